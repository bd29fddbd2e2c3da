"""What the tests of the command line share: how it is run, and where its files lie."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TESSERA_PROGRAM"]
DATA = Path(__file__).resolve().parent.parent / "data"
# The device that the kmeans tests run on.
DEVICE = os.environ.get("TESSERA_TEST_DEVICES", "cpu").split(",")[0]

SUCCESS, UNEXPECTED, USAGE, INPUT, DEVICE_FAULT, OUTPUT, MEMORY, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def run_program(self, *arguments, env=None):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)], text=True, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=600, env={**os.environ, **(env or {})}, check=False,
        )

    def good(self, *arguments, **options):
        """Runs, and demands success with nothing on standard error."""
        run = self.run_program(*arguments, **options)
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertEqual(run.stderr, "")
        return run.stdout

    def bad(self, code, *arguments, says=(), **options):
        """Runs, and demands the exit code, one line and a hint on standard error, and the words in it."""
        run = self.run_program(*arguments, **options)
        self.assertEqual(run.returncode, code, f"stdout: {run.stdout}\nstderr: {run.stderr}")
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 2, run.stderr)
        self.assertTrue(lines[0].startswith("tessera: "), run.stderr)
        self.assertTrue(lines[1].startswith("  hint: "), run.stderr)
        for word in says:
            self.assertIn(word, run.stderr)
        return run.stderr

    def summary(self, folder):
        return json.loads((Path(folder) / "summary.json").read_text())
