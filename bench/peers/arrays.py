"""The arrays that every side reads: made once, kept as .npy. Naming one makes nothing, and needs no NumPy; make_pending()
makes those that were named."""

import os

pending = {}  # path: how to make it, in the order in which they need each other

FOLDER = os.environ.get("TESSERA_BENCH_DATA", "build/peers-data")


def saved(name, make):
    """The path of an array that is made once."""
    path = os.path.join(FOLDER, name + ".npy")
    if not os.path.exists(path):
        pending[path] = make
    return path


def make_pending():
    if not pending:
        return
    import numpy as np
    os.makedirs(FOLDER, exist_ok=True)
    for path, make in pending.items():
        np.save(path + ".part.npy", make(np))
        os.replace(path + ".part.npy", path)
    pending.clear()


def normal(n, d):
    return saved(f"normal-{n}-{d}",
                 lambda np: np.random.default_rng(0).standard_normal((n, d), dtype=np.float32))


def blobs(n, k, d):
    def make(np):
        rng = np.random.default_rng(0)
        means = rng.uniform(-10, 10, (k, d))
        return (means[rng.integers(0, k, n)] + rng.standard_normal((n, d))).astype(np.float32)
    return saved(f"blobs-{n}-{k}-{d}", make)


def data_set(name):
    """One of tests/data, in float32."""
    return saved(f"{name}-float32", lambda np: np.load(f"tests/data/{name}.npy").astype(np.float32))


def uniform(n):
    return saved(f"uniform-{n}", lambda np: np.random.default_rng(0).random((n // 1000, 1000), dtype=np.float32))


def first_rows(path, k):
    name = os.path.basename(path)[:-4]
    return saved(f"{name}-first-{k}", lambda np: np.load(path, mmap_mode="r")[:k].copy())
