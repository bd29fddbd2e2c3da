"""numexpr: element-wise work in one pass."""

import numexpr
import numpy as np


def expression(problem):
    numexpr.set_num_threads(problem.threads)
    # Numbers of another width would widen the result.
    names = {"x": problem.x, "one": np.float32(1), "half": np.float32(0.5), "quarter": np.float32(0.25),
             "three": np.float32(3)}

    def call():
        numexpr.evaluate("sqrt(x*x + one)*half + x - quarter*x*x + three", local_dict=names)
    return call


CALLS = {"expression": expression}


def about():
    return {"numexpr": numexpr.__version__}
