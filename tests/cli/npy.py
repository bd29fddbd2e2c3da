"""Reads and writes .npy files with Python's standard library alone, apart from the code under test."""

import ast
import struct

FORMATS = {
    "|b1": "?", "|i1": "b", "|u1": "B",
    "<i2": "h", "<i4": "i", "<i8": "q", "<u2": "H", "<u4": "I", "<u8": "Q", "<f4": "f", "<f8": "d",
}
NAMES = {
    "bool": "|b1", "int8": "|i1", "uint8": "|u1", "int16": "<i2", "int32": "<i4", "int64": "<i8",
    "uint16": "<u2", "uint32": "<u4", "uint64": "<u8", "float32": "<f4", "float64": "<f8",
}


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from flat(value)
        else:
            yield value


def shape_of(values):
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        if not values:
            break
        values = values[0]
    return tuple(shape)


def write(path, values, dtype="float32", shape=None, descr=None, fortran=False):
    """`values`: nested lists, or flat with `shape`. In file order: for `fortran` the caller's business."""
    shape = shape_of(values) if shape is None else shape
    descr = descr or NAMES[dtype]
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = list(flat(values))
    code = FORMATS[descr.replace(">", "<")]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1"))
        file.write(struct.pack(("<" if descr[0] != ">" else ">") + f"{len(data)}{code}", *data))


def read(path):
    """(dtype's name, shape, values in file order)."""
    with open(path, "rb") as file:
        magic = file.read(8)
        assert magic[:6] == b"\x93NUMPY", path
        (length,) = struct.unpack("<H", file.read(2)) if magic[6] == 1 else struct.unpack("<I", file.read(4))
        header = ast.literal_eval(file.read(length).decode("latin1"))
        body = file.read()
    assert not header["fortran_order"], path
    names = {descr: name for name, descr in NAMES.items()}
    code = FORMATS[header["descr"]]
    count = len(body) // struct.calcsize(code)
    return names[header["descr"]], header["shape"], list(struct.unpack(f"<{count}{code}", body))
