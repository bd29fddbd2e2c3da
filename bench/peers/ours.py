"""Tessera's side: one process of tessera-bench a round, so that peers can be timed in between."""

import json
import os
import subprocess
import tempfile

PROGRAM = os.environ.get("TESSERA_BENCH", "build/release/bin/tessera-bench")


def rows(question, threads, repeat, **arguments):
    """The rows that tessera-bench gives for a question; `arguments` are its options."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        command = [PROGRAM, question, "--threads", str(threads), "--repeat", str(repeat), "--json", path]
        for name, value in arguments.items():
            command += [f"--{name}", str(value)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(path) as file:
            return json.load(file)


def seconds(question, wanted, threads, repeat=1, **arguments):
    """The median seconds of the one row that has all of `wanted`, a dictionary."""
    found = [row for row in rows(question, threads, repeat, **arguments)
             if all(row.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        raise SystemExit(f"compare: {question} gave {len(found)} rows with {wanted}")
    return found[0]["seconds"]["median"]
