"""BLIS by itself, the build with threads of its own: the product alone, its output warm."""

import ctypes
import glob
import os

import numpy as np

# By processor names BLIS may take slower kernels than the processor can run; 0 is its configuration for AVX-512.
with open("/proc/cpuinfo") as cpuinfo:
    if "avx512f" in cpuinfo.read():
        os.environ.setdefault("BLIS_ARCH_TYPE", "0")
FOUND = sorted(glob.glob("/usr/lib/*/blis-pthread/libblis.so.*"))
if not FOUND:
    raise ImportError("no BLIS with pthreads; on Debian: apt-get install libblis4-pthread")
BLIS = ctypes.CDLL(FOUND[0])
ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112


def product(problem):
    x, centers = problem.x, problem.centers
    out = np.empty((x.shape[0], centers.shape[0]), dtype=np.float32)
    (n, d), k = x.shape, centers.shape[0]
    pointer, one, zero = ctypes.c_void_p, ctypes.c_float(1), ctypes.c_float(0)

    def call():
        BLIS.cblas_sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, n, k, d, one, pointer(x.ctypes.data), d,
                         pointer(centers.ctypes.data), d, zero, pointer(out.ctypes.data), k)
    return call


CALLS = {"product": product}


def about():
    BLIS.bli_info_get_version_str.restype = ctypes.c_char_p
    BLIS.bli_arch_string.restype = ctypes.c_char_p
    return {"blis": f"{BLIS.bli_info_get_version_str().decode()} "
                    f"{BLIS.bli_arch_string(BLIS.bli_arch_query_id()).decode()}, pthreads"}
