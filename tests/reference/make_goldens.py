#!/usr/bin/env python3
"""Writes data/goldens.json: what NumPy gives for inputs full of special values.

The reference device is compared with it, and every other device with the reference device. Run again only
where an operation is added:

    python3 -m venv venv && venv/bin/pip install numpy && venv/bin/python make_goldens.py

Floats are little-endian bytes in hexadecimal, so that every bit is kept. Where NumPy defines nothing (casts of floats that do not fit,
negative integer exponents), there is no golden: tests/contracts holds those.
"""

import json
import pathlib

import numpy as np

np.seterr(all="ignore")

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
INTEGERS = SIGNED + UNSIGNED
NUMERIC = INTEGERS + FLOATS
ALL = ["bool"] + NUMERIC


class Goldens:
    """Named input arrays, and cases that refer to them."""

    def __init__(self):
        self.arrays = {}
        self.names = {}
        self.cases = []

    @staticmethod
    def encode(x):
        x = np.asarray(x, order="C")
        data = x.tobytes().hex() if x.dtype.kind == "f" else x.astype(int if x.dtype.kind == "b" else x.dtype).ravel().tolist()
        return {"dtype": x.dtype.name, "shape": list(x.shape), "data": data}

    def name(self, x):
        encoded = self.encode(x)
        key = json.dumps(encoded)
        if key not in self.names:
            self.names[key] = f"a{len(self.names)}"
            self.arrays[self.names[key]] = encoded
        return self.names[key]

    def add(self, op, inputs, out, **options):
        self.cases.append({"op": op, "in": [self.name(x) for x in inputs], "out": self.encode(out), **options})


def special(dtype):
    """Values where operations go wrong."""
    if dtype == "bool":
        return np.array([True, False, True])
    if dtype in FLOATS:
        info = np.finfo(dtype)
        return np.array(
            [np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, info.tiny, info.max, info.min, 1, -1, 0.5,
             -0.5, 1.5, -1.5, 2.5, -7, 3, 0.1, -0.3, 1e10, 88.5, -87], dtype=dtype)
    info = np.iinfo(dtype)
    return np.unique(np.array([info.min, info.max, info.min + 1, info.max - 1, 0, 1, 2, 3, 5, 7, 31],
                              dtype=dtype)) if dtype in UNSIGNED else np.array(
                                  [info.min, info.max, info.min + 1, 0, 1, -1, 2, -2, 3, 7, -7, 100], dtype=dtype)


def pairs(dtype):
    """Every special value beside a third or a fifth of them all."""
    values = special(dtype)
    step = 3 if len(values) < 13 else 5
    grid = [(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if (i + j) % step == 0]
    return np.array([a for a, _ in grid], dtype=dtype), np.array([b for _, b in grid], dtype=dtype)


def numbers(dtype, shape, seed):
    """Moderate values with ties."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in FLOATS:
        return (rng.integers(-16, 17, shape) / 8).astype(dtype)
    return rng.integers(-5 if dtype in SIGNED else 0, 6, shape).astype(dtype)


def add_unary(g):
    same = {
        "negative": (NUMERIC, np.negative), "abs": (NUMERIC, np.abs), "square": (NUMERIC, np.square),
        "sign": (NUMERIC, np.sign), "floor": (NUMERIC, np.floor), "ceil": (NUMERIC, np.ceil),
        "round": (NUMERIC, np.round), "trunc": (NUMERIC, np.trunc), "isnan": (NUMERIC, np.isnan),
        "isinf": (NUMERIC, np.isinf), "isfinite": (NUMERIC, np.isfinite), "sqrt": (FLOATS, np.sqrt),
        "logical_not": (["bool"], np.logical_not), "bitwise_invert": (["bool"] + INTEGERS, np.invert),
    }
    for op, (dtypes, function) in same.items():
        for dtype in dtypes:
            g.add(op, [special(dtype)], function(special(dtype)))
    for op, function in {"exp": np.exp, "log": np.log}.items():
        for dtype in FLOATS:
            x = special(dtype)
            g.add(op, [x], function(x.astype("float64")).astype(dtype), tolerance=6e-7 if dtype == "float32" else 1e-15)


def add_binary(g):
    table = {
        "add": (NUMERIC, np.add), "subtract": (NUMERIC, np.subtract), "multiply": (NUMERIC, np.multiply),
        "divide": (FLOATS, np.divide), "floor_divide": (NUMERIC, np.floor_divide), "remainder": (NUMERIC, np.remainder),
        "minimum": (NUMERIC, np.minimum), "maximum": (NUMERIC, np.maximum), "equal": (ALL, np.equal),
        "not_equal": (ALL, np.not_equal), "less": (NUMERIC, np.less), "less_equal": (NUMERIC, np.less_equal),
        "greater": (NUMERIC, np.greater), "greater_equal": (NUMERIC, np.greater_equal),
        "logical_and": (["bool"], np.logical_and), "logical_or": (["bool"], np.logical_or),
        "logical_xor": (["bool"], np.logical_xor), "bitwise_and": (["bool"] + INTEGERS, np.bitwise_and),
        "bitwise_or": (["bool"] + INTEGERS, np.bitwise_or), "bitwise_xor": (["bool"] + INTEGERS, np.bitwise_xor),
        "bitwise_left_shift": (INTEGERS, np.left_shift), "bitwise_right_shift": (INTEGERS, np.right_shift),
    }
    for op, (dtypes, function) in table.items():
        for dtype in dtypes:
            a, b = pairs(dtype)
            g.add(op, [a, b], function(a, b))
    for dtype in NUMERIC:
        a, b = pairs(dtype)
        if dtype in FLOATS:
            out = np.power(a.astype("float64"), b.astype("float64")).astype(dtype)
            g.add("pow", [a, b], out, tolerance=6e-7 if dtype == "float32" else 2e-15)
        else:
            a, b = a[b >= 0], b[b >= 0]
            g.add("pow", [a, b], np.power(a, b))


def add_casts(g):
    for source in ALL:
        for target in ALL:
            x = special(source)
            if source in FLOATS and target in INTEGERS:
                # The ends of the range are tested elsewhere: NumPy leaves them open.
                x = np.array([0, 1.9, 100.5, 127, -0.5] + ([-1.9, -127.99] if target in SIGNED else []), dtype=source)
            g.add("astype", [x], x.astype(target), dtype=target)


def descending(row):
    """Python's sort keeps equals in order when reversed; NaN goes last in both directions."""
    numbers_at = [i for i, v in enumerate(row) if v == v]
    return sorted(numbers_at, key=lambda i: row[i], reverse=True) + [i for i, v in enumerate(row) if v != v]


def add_rows(g):
    for dtype in ALL:
        x = numbers(dtype, (3, 4, 5), 1)
        wide = x.astype("float64") if dtype == "float32" else x
        total = None if dtype in FLOATS or dtype == "bool" else ("uint64" if dtype in UNSIGNED else "int64")
        result = dtype if dtype in FLOATS else (total or "int64")
        for axis in (0, 1, 2):
            if dtype != "bool":
                near = dict(tolerance=1e-6 if dtype == "float32" else 1e-14) if dtype in FLOATS else {}
                g.add("sum", [x], wide.sum(axis=axis, dtype=total).astype(result), axis=axis, **near)
                g.add("prod", [x], wide.prod(axis=axis, dtype=total).astype(result), axis=axis, **near)
                g.add("cumulative_sum", [x], wide.cumsum(axis=axis, dtype=total).astype(result), axis=axis, **near)
                g.add("cumulative_prod", [x], wide.cumprod(axis=axis, dtype=total).astype(result), axis=axis, **near)
                if dtype in FLOATS:
                    g.add("mean", [x], wide.mean(axis=axis).astype(dtype), axis=axis, **near)
                    g.add("var", [x], wide.var(axis=axis).astype(dtype), axis=axis, tolerance=1e-5 if dtype == "float32" else 1e-13)
            g.add("any", [x], x.any(axis=axis), axis=axis)
            g.add("all", [x], x.all(axis=axis), axis=axis)
        if dtype == "bool":
            continue
        for values in (x, np.resize(special(dtype), (2, 12, 3))):
            for axis in (0, 1, 2):
                g.add("min", [values], values.min(axis=axis), axis=axis)
                g.add("max", [values], values.max(axis=axis), axis=axis)
                g.add("argmin", [values], values.argmin(axis=axis).astype("int64"), axis=axis)
                g.add("argmax", [values], values.argmax(axis=axis).astype("int64"), axis=axis)
            g.add("sort", [values], np.sort(values, axis=1, kind="stable"), axis=1)
            order = np.argsort(values, axis=1, kind="stable").astype("int64")
            g.add("argsort", [values], order, axis=1)
            down = np.apply_along_axis(lambda row: np.array(descending(row.tolist()), dtype="int64"), 1, values)
            g.add("argsort", [values], down, axis=1, descending=True)
            g.add("sort", [values], np.take_along_axis(values, down, axis=1), axis=1, descending=True)
        row = np.sort(numbers(dtype, (20,), 2))
        for side in ("left", "right"):
            wanted = numbers(dtype, (11,), 3)
            g.add("searchsorted", [row, wanted], np.searchsorted(row, wanted, side).astype("int64"), side=side)
        g.add("nonzero", [numbers(dtype, (40,), 4)], np.nonzero(numbers(dtype, (40,), 4))[0].astype("int64"))


def add_indexing(g):
    for dtype in ALL:
        x = numbers(dtype, (3, 4, 2), 5)
        at = np.array([3, -1, 0, -4, 2, 2], dtype="int64")
        g.add("take", [x, at], np.take(x, at, axis=1), axis=1)
        along = np.random.default_rng(6).integers(-4, 4, (3, 5, 2))
        g.add("take_along_axis", [x, along], np.take_along_axis(x, along, axis=1), axis=1)
        updates = numbers(dtype, (3, 6, 2), 7)
        scatters = {"scatter_set": None, "scatter_add": np.add, "scatter_min": np.minimum, "scatter_max": np.maximum}
        for op, function in scatters.items():
            if dtype == "bool" and function is not None:
                continue
            target = x.copy()
            for c, i in enumerate(at):
                old = target[:, i, :]
                target[:, i, :] = updates[:, c, :] if function is None else function(old, updates[:, c, :])
            g.add(op, [x, at, updates], target, axis=1)
        chosen = numbers("bool", (3, 4, 2), 8)
        other = numbers(dtype, (4, 2), 9)
        g.add("where", [chosen, x, other], np.where(chosen, x, other))


def add_products(g):
    for dtype in NUMERIC:
        for a_shape, b_shape in (((3, 5), (5, 4)), ((2, 3, 5), (5, 2)), ((2, 3, 0), (0, 4))):
            a, b = numbers(dtype, a_shape, 10), numbers(dtype, b_shape, 11)
            g.add("matmul", [a, b], np.matmul(a, b))
        extreme = np.resize(special(dtype), (3, 6)) if dtype in INTEGERS else np.resize(special(dtype)[:5], (3, 6))
        g.add("matmul", [extreme, numbers(dtype, (6, 2), 12)], np.matmul(extreme, numbers(dtype, (6, 2), 12)))


def philox(counter, key):
    """Philox4x32-10 by the paper (Salmon, Moraes, Dror, Shaw, SC 2011)."""
    mask = 0xFFFFFFFF
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & mask, (first >> 32) ^ c[3] ^ k[1], first & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def add_random(g):
    # The authors' known answers.
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == [
        0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    for key, counter in ((0, 0), (0x0123456789ABCDEF, 5), (2**64 - 1, 2**64 - 2)):
        words = []
        for block in range(counter, counter + 5):
            words += philox([(block >> shift) & 0xFFFFFFFF for shift in (0, 32, 64, 96)], [key & 0xFFFFFFFF, key >> 32])
        g.add("random_bits", [], np.array(words[:18], dtype="uint32"), key=key, counter=counter)
        wide = [words[2 * i] | words[2 * i + 1] << 32 for i in range(9)]
        g.add("random_bits", [], np.array(wide, dtype="uint64"), key=key, counter=counter)


def main():
    g = Goldens()
    for add in (add_unary, add_binary, add_casts, add_rows, add_indexing, add_products, add_random):
        add(g)
    path = pathlib.Path(__file__).resolve().parent / "data" / "goldens.json"
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in g.cases)
    arrays = ",\n".join(f'"{name}":{json.dumps(array, separators=(",", ":"))}' for name, array in g.arrays.items())
    path.write_text(f'{{"numpy":"{np.__version__}",\n"arrays":{{\n{arrays}}},\n"cases":[\n{lines}]}}\n')
    print(f"{len(g.cases)} cases, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
