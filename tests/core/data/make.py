"""Makes the files beside this script with NumPy (2.3 or later, which prints float32 as this library does).

    python3 make.py

printed/NAME.npy with printed/NAME.txt, what str() says of it; npy/NAME.npy, whose elements are 0, 1, 2, ...
in row-major order, cast to the dtype (0, 1, 0, ... for bool).
"""
import pathlib

import numpy as np
from numpy.lib import format as npy_format

here = pathlib.Path(__file__).parent
printed = here / "printed"
npy = here / "npy"
printed.mkdir(exist_ok=True)
npy.mkdir(exist_ok=True)

nan, inf = np.nan, np.inf
f4, f8 = np.float32, np.float64
grid = np.arange(12).reshape(3, 4)
arrays = {
    "int_vector": np.array([1, -20, 300]),
    "int_matrix": grid,
    "int_cube": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
    "int_rank_4": np.arange(16, dtype=np.uint8).reshape(2, 2, 2, 2),
    "int_extremes": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max]),
    "uint64_extremes": np.array([0, np.iinfo(np.uint64).max], dtype=np.uint64),
    "bools": np.array([[True, False], [True, True]]),
    "bools_true": np.array([True, True]),
    "whole_floats": np.array([1.0, 2.0, -30.0], dtype=f4),
    "fractions": np.array([0.1, 0.25, 1 / 3], dtype=f4),
    "fractions_f8": np.array([[0.1, 0.25], [1 / 3, -2 / 3]], dtype=f8),
    "mixed_lengths": np.array([1.5, 10.25, -100.125], dtype=f8),
    "negative_zero": np.array([-0.0, 0.0], dtype=f4),
    "small": np.array([1e-5, 1.0], dtype=f8),
    "edge_of_small": np.array([1e-4, 1e-2], dtype=f4),
    "large_f4": np.array([1e6, 1.0], dtype=f4),
    "large_f8": np.array([1e8, 2.5], dtype=f8),
    "almost_large_f8": np.array([99999999.0, 88888888.0], dtype=f8),
    "wide_ratio": np.array([0.001, 1.5], dtype=f8),
    "exponents": np.array([[1e300, -1e-300], [1.25, 0.0]], dtype=f8),
    "long_exponent": np.array([1.2345678912345e-12, 1e10], dtype=f8),
    "rounded": np.array([1.123456789123, 2.0], dtype=f8),
    "rounded_ties": np.array([0.000000005, 0.123456785, 0.123456775], dtype=f8),
    "exact_ties": np.array([0.001953125 + 2.0**-9 * k for k in range(1, 4)], dtype=f8),
    "with_nan": np.array([[nan, 1.0], [-2.5, 3.0]], dtype=f4),
    "with_inf": np.array([inf, -inf, 1.0], dtype=f8),
    "with_inf_and_exponents": np.array([nan, inf, -inf, 1e-10], dtype=f8),
    "only_nan": np.array([nan, nan], dtype=f4),
    "only_negative_inf": np.array([-inf, inf], dtype=f4),
    "negative_inf_and_one": np.array([-inf, 1.0], dtype=f8),
    "zeros": np.zeros((2, 2), dtype=f4),
    "empty_vector": np.zeros((0,), dtype=f4),
    "empty_matrix": np.zeros((0, 3), dtype=f8),
    "scalar_int": np.array(-7),
    "scalar_bool": np.array(True),
    "scalar_float": np.array(0.1, dtype=f4),
    "scalar_whole": np.array(3.0, dtype=f8),
    "scalar_small": np.array(1e-5, dtype=f8),
    "scalar_small_f4": np.array(1e-4, dtype=f4),
    "scalar_large": np.array(1.5e16, dtype=f8),
    "scalar_almost_large": np.array(123456789012345.0, dtype=f8),
    "scalar_nan": np.array(nan, dtype=f4),
    "long_line": np.arange(40),
    "long_line_floats": np.arange(40, dtype=f4) / 8,
    "long_rows": np.arange(60).reshape(2, 30),
    "summary_vector": np.arange(1001, dtype=np.int16),
    "summary_matrix": (np.arange(1600) % 251).astype(np.uint8).reshape(40, 40),
    "summary_tall": np.arange(1002, dtype=np.int16).reshape(334, 3),
    "summary_cube": (np.arange(1183) % 100).astype(np.int8).reshape(7, 13, 13),
    "not_quite_summary": np.arange(1000, dtype=np.int16),
    "summary_hides_wide_values": np.where(np.arange(1200) == 600, 1e6, 1.0).astype(f4),
}
for name, x in arrays.items():
    np.save(printed / f"{name}.npy", x)
    (printed / f"{name}.txt").write_text(str(x) + "\n")

for code in ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8"]:
    values = (np.arange(6) % 2 if code == "|b1" else np.arange(6)).astype(code).reshape(2, 3)
    name = np.dtype(code).name
    np.save(npy / f"{name}.npy", values)
    if values.itemsize > 1:
        np.save(npy / f"{name}_big_endian.npy", values.astype(values.dtype.newbyteorder(">")))
np.save(npy / "fortran_f4.npy", np.asfortranarray(np.arange(6, dtype=f4).reshape(2, 3)))
np.save(npy / "fortran_cube_i2.npy", np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4)))
np.save(npy / "fortran_big_endian_f8.npy", np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3)))
np.save(npy / "scalar_f8.npy", np.array(0.0))
np.save(npy / "empty_i4.npy", np.zeros((0, 3), dtype="<i4"))
for version in [(2, 0), (3, 0)]:
    with open(npy / f"version_{version[0]}_f4.npy", "wb") as file:
        npy_format.write_array(file, np.arange(6, dtype=f4).reshape(2, 3), version=version)
