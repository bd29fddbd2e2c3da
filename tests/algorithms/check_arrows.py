#!/usr/bin/env python3
"""Who may include whom: algorithms -> core <- devices.

check_arrows.py ROOT prints every breach, and fails if there is one. Its own rules are tried first, on lines
that break them.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEVICE_NAMES = re.compile(r"\b(cpu|cuda|gpu|fake|blas|blis|avx\w*)\b", re.IGNORECASE)
DEVICE_STRINGS = re.compile(r'"[^"\n]*\b(cpu|cuda|reference|fake)\b[^"\n]*"')


def without_comments(text):
    """The code with comments blanked, line for line."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/', blank, text, flags=re.DOTALL)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2)


def breaches_of_algorithm(folder, text):
    """Only the public header, the standard library and the folder itself; no device by name."""
    for number, header in includes(text):
        own = header.startswith(folder + "/") and ".." not in header
        standard = re.fullmatch(r"[a-z0-9_]+", header)
        if not (own or standard or header == "tessera/tessera.hpp"):
            yield number, f"includes {header}"
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if INCLUDE.match(line):
            continue
        if DEVICE_NAMES.search(line) or DEVICE_STRINGS.search(line):
            yield number, f"names a device: {line.strip()}"


def breaches_of_core(text):
    for number, header in includes(text):
        if re.search(r"(^|/)(devices|algorithms|kmeans)/", header):
            yield number, f"includes {header}"


def breaches_of_device(name, text):
    for number, header in includes(text):
        other = re.search(r"(?:^|/)devices/([^/]+)/", header)
        if other and other.group(1) not in (name, "common"):
            yield number, f"includes {header}"
        elif re.search(r"(^|/)(algorithms|kmeans)/", header) or re.match(r"\.\./\w+/", header):
            if not re.match(r"\.\./common/", header):
                yield number, f"includes {header}"


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".h"))


def check(root):
    found, files = [], 0
    rooms = [(root / "core", lambda path, text: breaches_of_core(text))]
    for folder in (root / "algorithms").iterdir():
        if folder.is_dir():
            rooms.append((folder, lambda path, text, name=folder.name: breaches_of_algorithm(name, text)))
    for folder in (root / "devices").iterdir():
        if folder.is_dir():
            rooms.append((folder, lambda path, text, name=folder.name: breaches_of_device(name, text)))
    for folder, rule in rooms:
        for path in sources(folder):
            files += 1
            for number, wrong in rule(path, path.read_text()):
                found.append(f"{path.relative_to(root)}:{number}: {wrong}")
    return found, files


def try_rules():
    def breaks(breaches):
        assert list(breaches), "a rule lets a breach pass"

    def keeps(breaches):
        assert not list(breaches), "a rule forbids what is allowed"

    keeps(breaches_of_algorithm("kmeans", '#include <tessera/tessera.hpp>\n#include <vector>\n#include "kmeans/a.hpp"\n// as on cpu\n'))
    breaks(breaches_of_algorithm("kmeans", "#include <tessera/device.hpp>"))
    breaks(breaches_of_algorithm("kmeans", '#include "devices/cpu/blis.hpp"'))
    breaks(breaches_of_algorithm("kmeans", "#include <fmt/format.h>"))
    breaks(breaches_of_algorithm("kmeans", '#include "kmeans/../../core/tessera/array.hpp"'))
    breaks(breaches_of_algorithm("kmeans", 'if (x.device().name() == "cpu") return;'))
    breaks(breaches_of_algorithm("kmeans", 'const auto d = device("reference:0");'))
    keeps(breaches_of_core("#include <tessera/device.hpp>"))
    breaks(breaches_of_core('#include "devices/common/element_ops.hpp"'))
    breaks(breaches_of_core('#include "../../algorithms/kmeans/kmeans.hpp"'))
    keeps(breaches_of_device("cpu", '#include "devices/common/element_ops.hpp"\n#include "devices/cpu/blis.hpp"'))
    breaks(breaches_of_device("cpu", '#include "devices/reference/views.hpp"'))
    breaks(breaches_of_device("cpu", '#include "../reference/views.hpp"'))
    breaks(breaches_of_device("cpu", "#include <kmeans/kmeans.hpp>"))


def main():
    try_rules()
    found, files = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) or f"{files} files include only what they may")
    if files < 20:
        print("too few files: is this the root of the tree?")
    return 1 if found or files < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
