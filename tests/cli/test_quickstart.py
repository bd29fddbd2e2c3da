"""tools/quickstart, with the program that is built already: what it writes for each device, and what it says."""

import collections
import json
import subprocess
import unittest
from pathlib import Path

import npy
from support import DATA, PROGRAM, CommandLineTest

QUICKSTART = Path(__file__).resolve().parents[2] / "tools" / "quickstart"


class Quickstart(CommandLineTest):
    def test_every_device(self):
        out = Path(self.path("out"))
        run = subprocess.run([QUICKSTART, "--program", PROGRAM, "--output", out], text=True, check=False,
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertIn("Try next", run.stdout)
        devices = [path for path in sorted(out.iterdir()) if path.is_dir()]
        self.assertLessEqual({"cpu", "reference"}, {path.name for path in devices})
        for path in devices:
            self.assertIn(str(path.name), run.stdout)
            dtype, shape, labels = npy.read(path / "labels.npy")
            self.assertEqual((dtype, shape), ("int64", (1797,)))
            self.assertEqual(npy.read(path / "centers.npy")[:2], ("float32", (10, 64)))
            self.assertEqual((path / "centers.png").read_bytes()[:4], b"\x89PNG")
            self.assertEqual(json.loads((path / "summary.json").read_text())["device"], path.name)
            self.assertGreater(self.share_of_the_commonest_digit(labels), 0.7, path)
        for row in json.loads((out / "comparison.json").read_text())["others"]:
            self.assertEqual(row["labels_differ"], 0, row)
            self.assertLess(abs(row["inertia_relative"]), 1e-6, row)

    @staticmethod
    def share_of_the_commonest_digit(labels):
        digits = npy.read(DATA / "digits_target.npy")[2]
        counts = collections.Counter(zip(labels, digits))
        return sum(max(counts[label, digit] for digit in range(10)) for label in set(labels)) / len(labels)


if __name__ == "__main__":
    unittest.main()
