"""--device all: a folder for each device, the same initial centers, and a comparison."""

import json
import unittest
from pathlib import Path

import npy
from support import DATA, INPUT, CommandLineTest


class AllDevices(CommandLineTest):
    def test_fit(self):
        out = Path(self.path("out"))
        text = self.good("kmeans", "fit", "--input", DATA / "digits.npy", "--clusters", 10, "--device", "all",
                         "--output", out)
        devices = sorted(p.name for p in out.iterdir() if p.is_dir())
        self.assertLessEqual({"cpu", "reference"}, set(devices))
        comparison = json.loads((out / "comparison.json").read_text())
        self.assertEqual(comparison["first"], "cpu")
        self.assertEqual(sorted([comparison["first"], *(row["device"] for row in comparison["others"])]), devices)
        for row in comparison["others"]:
            self.assertEqual(row["labels_differ"], 0, row)
            self.assertLess(abs(row["inertia_relative"]), 1e-6, row)
        iterations = {json.loads((out / device / "summary.json").read_text())["n_iter"] for device in devices}
        self.assertEqual(len(iterations), 1)
        for device in devices:
            self.assertIn(device, text)
            self.assertEqual(npy.read(out / device / "labels.npy")[1], (1797,))
            self.assertEqual(npy.read(out / device / "centers.npy")[:2], ("float32", (10, 64)))

    def test_predict(self):
        self.good("kmeans", "fit", "--input", DATA / "iris.npy", "--clusters", 3, "--output", self.path("out"))
        self.good("kmeans", "predict", "--input", DATA / "iris.npy", "--centers", self.path("out/centers.npy"),
                  "--device", "all", "--output", self.path("labels.npy"))
        expected = npy.read(self.path("out/labels.npy"))
        for device in ("cpu", "reference"):
            self.assertEqual(npy.read(self.path(f"{device}/labels.npy")), expected)

    def test_a_bad_input_is_one_error(self):
        npy.write(self.path("x.npy"), [[1.0], [float("inf")]])
        self.bad(INPUT, "kmeans", "fit", "--input", self.path("x.npy"), "--clusters", 1, "--device", "all",
                 "--output", self.path("out"))


if __name__ == "__main__":
    unittest.main()
