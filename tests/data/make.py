"""Writes the data sets of this folder. Needs scikit-learn: python3 -m venv v && v/bin/pip install scikit-learn."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris

here = Path(__file__).parent
digits = load_digits()
np.save(here / "digits.npy", digits.data.astype(np.float32))
np.save(here / "digits_target.npy", digits.target.astype(np.int64))
iris = load_iris()
np.save(here / "iris.npy", iris.data.astype(np.float64))
np.save(here / "iris_target.npy", iris.target.astype(np.int64))
