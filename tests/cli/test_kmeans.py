"""kmeans fit and kmeans predict, on the device that TESSERA_TEST_DEVICES names."""

import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

import npy
from support import (
    DATA, DEVICE, DEVICE_FAULT, INPUT, INTERRUPTED, OUTPUT, PROGRAM, SUCCESS, USAGE, CommandLineTest,
)

# Two groups on a line, and their means.
SIMPLE = [[0.0], [1.0], [10.0], [11.0]]
SUMMARY_FIELDS = {
    "device", "n_samples", "n_features", "n_clusters", "assign", "update", "tile_samples", "tile_centers",
    "compiled", "inertia", "n_iter", "stopped", "relocated", "distinct", "warnings", "peak_bytes", "seconds", "history",
}
HISTORY_FIELDS = {"inertia", "shift", "relocated", "seconds", "peak_bytes"}


class KMeansTest(CommandLineTest):
    def write(self, name, values, dtype="float32", **options):
        npy.write(self.path(name), values, dtype, **options)
        return self.path(name)

    def fit(self, data, clusters, *options, out="out"):
        self.good("kmeans", "fit", "--input", data, "--clusters", clusters, "--device", DEVICE,
                  "--output", self.path(out), *options)
        return self.summary(self.path(out))

    def bad_fit(self, code, data, clusters, *options, says=(), out="out"):
        return self.bad(code, "kmeans", "fit", "--input", data, "--clusters", clusters, "--device", DEVICE,
                        "--output", self.path(out), *options, says=says)

    def result(self, name, out="out"):
        return npy.read(self.path(f"{out}/{name}.npy"))


class Fit(KMeansTest):
    def test_results(self):
        x = self.write("x.npy", SIMPLE)
        summary = self.fit(x, 2)
        self.assertLessEqual(SUMMARY_FIELDS, set(summary))
        self.assertEqual(set(summary["seconds"]), {"load", "init", "assign", "update", "total"})
        self.assertEqual((summary["n_samples"], summary["n_features"], summary["n_clusters"]), (4, 1, 2))
        self.assertEqual(summary["device"], DEVICE)
        self.assertEqual((summary["assign"], summary["update"]), ("gram_tiled", "scatter"))
        self.assertEqual(summary["inertia"], 1.0)
        self.assertEqual(summary["distinct"], 2)
        self.assertEqual(summary["warnings"], [])
        self.assertGreater(summary["peak_bytes"], 0)
        self.assertEqual(summary["n_iter"], len(summary["history"]))
        for row in summary["history"]:
            self.assertLessEqual(HISTORY_FIELDS, set(row))
            self.assertEqual(set(row["seconds"]), {"assign", "update"})
            self.assertEqual(set(row["peak_bytes"]), {"assign", "update"})
            self.assertGreaterEqual(row["inertia"], 0)
        dtype, shape, labels = self.result("labels")
        self.assertEqual((dtype, shape), ("int64", (4,)))
        self.assertEqual(labels[0], labels[1])
        self.assertEqual(labels[2], labels[3])
        self.assertNotEqual(labels[0], labels[2])
        dtype, shape, centers = self.result("centers")
        self.assertEqual((dtype, shape), ("float32", (2, 1)))
        self.assertEqual(sorted(centers), [0.5, 10.5])

    def test_dtypes(self):
        expected = {
            "float32": "float32", "float64": "float64", "int8": "float32", "uint8": "float32", "int16": "float32",
            "uint16": "float32", "int32": "float64", "int64": "float64", "uint32": "float64", "uint64": "float64",
        }
        for dtype, computed in expected.items():
            values = [[int(v) for v in row] for row in SIMPLE] if "int" in dtype else SIMPLE
            x = self.write(f"{dtype}.npy", values, dtype)
            self.fit(x, 2)
            self.assertEqual(self.result("centers")[0], computed, dtype)
        self.fit(self.write("x.npy", SIMPLE, "float64"), 2, "--dtype", "float32")
        self.assertEqual(self.result("centers")[0], "float32")
        self.fit(self.write("x.npy", [[0], [1], [10], [11]], "uint8"), 2, "--dtype", "float64")
        self.assertEqual(self.result("centers")[0], "float64")

    def test_layouts_of_the_file(self):
        values = [[0.0, 5.0], [1.0, 5.0], [10.0, 7.0], [11.0, 7.0]]
        self.fit(self.write("x.npy", values), 2)
        expected = self.result("labels"), self.result("centers")
        flat = [v for row in values for v in row]
        columns = [row[c] for c in range(2) for row in values]
        self.fit(self.write("big.npy", flat, shape=(4, 2), descr=">f4"), 2)
        self.assertEqual((self.result("labels"), self.result("centers")), expected)
        self.fit(self.write("fortran.npy", columns, shape=(4, 2), fortran=True), 2)
        self.assertEqual((self.result("labels"), self.result("centers")), expected)

    def test_init_from_a_file(self):
        x = self.write("x.npy", [[0.0], [1.0], [10.0], [11.0]])
        init = self.write("init.npy", [[0.0], [1.0]])
        summary = self.fit(x, 2, "--init", init, "--max-iter", 1)
        # After one step the centers are 0 and 22/3; labels are for those.
        self.assertEqual(self.result("labels")[2], [0, 0, 1, 1])
        self.assertAlmostEqual(self.result("centers")[2][1], 22 / 3, places=5)
        self.assertEqual((summary["n_iter"], summary["stopped"]), (1, "max_iter"))

    def test_methods_agree(self):
        expected = None
        init = self.write("init.npy", [self.digits(i) for i in range(10)])
        for assign in ("gram", "gram_tiled", "running"):
            for update in ("scatter", "one_hot", "tiled_mean"):
                summary = self.fit(DATA / "digits.npy", 10, "--init", init, "--assign", assign, "--update", update,
                                   "--max-iter", 4, "--tol", 0)
                self.assertEqual((summary["assign"], summary["update"]), (assign, update))
                labels = self.result("labels")[2]
                expected = expected or labels
                different = sum(a != b for a, b in zip(labels, expected))
                self.assertLessEqual(different, 2, (assign, update))

    @staticmethod
    def digits(i):
        data = (DATA / "digits.npy").read_bytes()[-1797 * 64 * 4:]
        return list(struct.unpack_from("<64f", data, i * 256))

    def test_tiles_are_reported_and_change_nothing(self):
        summary = self.fit(DATA / "digits.npy", 10, "--tile-samples", 100, "--tile-centers", 4)
        self.assertEqual((summary["tile_samples"], summary["tile_centers"]), (100, 4))
        tiled = self.result("labels")
        summary = self.fit(DATA / "digits.npy", 10)
        self.assertGreater(summary["tile_samples"], 0)
        self.assertGreater(summary["tile_centers"], 0)
        self.assertEqual(self.result("labels"), tiled)

    def test_weights(self):
        x = self.write("x.npy", [[0.0], [1.0]])
        weights = self.write("w.npy", [2.0, 2.0])
        self.assertEqual(self.fit(x, 1, "--weights", weights)["inertia"], 1.0)

    def test_seeds_and_threads(self):
        results = []
        for seed, threads in ((1, 1), (1, 3), (2, 1)):
            self.fit(DATA / "digits.npy", 10, "--seed", seed, "--threads", threads, "--init", "random")
            results.append((self.result("labels"), self.result("centers")))
        self.assertEqual(results[0], results[1])
        self.assertNotEqual(results[0], results[2])

    def test_n_init_keeps_the_best(self):
        one = self.fit(DATA / "iris.npy", 3, "--init", "random", "--seed", 3)["inertia"]
        self.assertLessEqual(self.fit(DATA / "iris.npy", 3, "--init", "random", "--seed", 3, "--n-init", 8)["inertia"],
                             one)

    def test_tol_zero_stops_when_labels_repeat(self):
        summary = self.fit(DATA / "iris.npy", 3, "--tol", 0, "--max-iter", 1000)
        self.assertEqual(summary["stopped"], "labels")
        self.assertLess(summary["n_iter"], 1000)

    def test_warnings(self):
        x = self.write("x.npy", [[1.0, 2.0]] * 10)
        summary = self.fit(x, 3)
        self.assertEqual(summary["distinct"], 1)
        self.assertEqual(summary["inertia"], 0)
        self.assertTrue(summary["warnings"])

    def test_quiet_in_a_pipe(self):
        x = self.write("x.npy", SIMPLE)
        arguments = ["kmeans", "fit", "--input", x, "--clusters", 2, "--device", DEVICE, "--output", self.path("out")]
        text = self.good(*arguments)  # standard error is empty
        self.assertNotIn("\r", text)
        self.assertLessEqual(len(text.splitlines()), 2)
        self.assertEqual(self.good(*arguments, "--quiet"), "")

    def test_results_replace_earlier_ones_whole(self):
        self.fit(DATA / "digits.npy", 10)
        self.fit(self.write("x.npy", SIMPLE), 2)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["centers.npy", "labels.npy", "summary.json"])
        self.assertEqual(self.result("labels")[1], (4,))

    def test_the_input_is_left_as_it_was(self):
        x = self.write("x.npy", SIMPLE)
        before = Path(x).read_bytes()
        self.fit(x, 2)
        self.assertEqual(Path(x).read_bytes(), before)


class Terminal(KMeansTest):
    def run_on_a_terminal(self, arguments, until, on_sight=None):
        """Runs with standard error on a terminal; returns (exit code, what was shown)."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        shown = ""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            if select.select([leader], [], [], 1)[0]:
                try:
                    piece = os.read(leader, 65536).decode()
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                shown += piece
                if on_sight and re.search(until, shown):
                    on_sight(process)
                    on_sight = None
        code = process.wait(timeout=60)
        os.close(leader)
        return code, shown

    def test_progress(self):
        code, shown = self.run_on_a_terminal(
            ["kmeans", "fit", "--input", DATA / "digits.npy", "--clusters", 10, "--device", DEVICE, "--tol", 0,
             "--output", self.path("out")], None)
        self.assertEqual(code, SUCCESS)
        for word in ("iteration", "inertia", "shift", "/s"):
            self.assertIn(word, shown)

    def test_interrupt_writes_what_there_is(self):
        self.good("make", "uniform", "--samples", 60000, "--features", 8, "--device", DEVICE,
                  "--output", self.path("x.npy"))
        code, shown = self.run_on_a_terminal(
            ["kmeans", "fit", "--input", self.path("x.npy"), "--clusters", 200, "--device", DEVICE, "--tol", 0,
             "--max-iter", 1000000, "--init", "random", "--output", self.path("out")],
            r"iteration\s+1\b", lambda process: process.send_signal(signal.SIGINT))
        self.assertEqual(code, INTERRUPTED, shown)
        self.assertIn("interrupted", shown)
        summary = self.summary(self.path("out"))
        self.assertEqual(summary["stopped"], "interrupted")
        self.assertEqual(summary["n_iter"], len(summary["history"]))
        self.good("kmeans", "predict", "--input", self.path("x.npy"), "--centers", self.path("out/centers.npy"),
                  "--device", DEVICE, "--output", self.path("labels.npy"))
        self.assertEqual(npy.read(self.path("labels.npy")), self.result("labels"))


class Predict(KMeansTest):
    def predict(self, x, centers, *options):
        self.good("kmeans", "predict", "--input", x, "--centers", centers, "--device", DEVICE,
                  "--output", self.path("predicted.npy"), *options)
        return npy.read(self.path("predicted.npy"))

    def test_equals_the_labels_of_fit(self):
        for options in ([], ["--assign", "running"], ["--tile-samples", "97", "--tile-centers", "3"]):
            self.fit(DATA / "digits.npy", 10, "--max-iter", 3, *options)
            labels = self.predict(DATA / "digits.npy", self.path("out/centers.npy"), *options)
            self.assertEqual(labels, self.result("labels"), options)

    def test_converts_to_the_dtype_of_the_centers(self):
        x = self.write("x.npy", [[0], [4], [10]], "int64")
        centers = self.write("c.npy", [[0.0], [9.0]], "float32")
        self.assertEqual(self.predict(x, centers), ("int64", (3,), [0, 0, 1]))
        x = self.write("x64.npy", [[0.0], [4.0], [10.0]], "float64")
        self.assertEqual(self.predict(x, centers)[2], [0, 0, 1])

    def test_close_centers(self):
        x = self.write("x.npy", [[10000.3], [4096.5]])
        self.assertEqual(self.predict(x, self.write("c.npy", [[10000.0], [10000.25]]))[2][0], 1)
        self.assertEqual(self.predict(x, self.write("c.npy", [[4096.0], [4096.5]]))[2][1], 1)

    def test_errors(self):
        x = self.write("x.npy", SIMPLE)
        wide = self.write("wide.npy", [[0.0, 1.0]])
        nan = self.write("nan.npy", [[0.0], [math.nan]])
        out = ["--device", DEVICE, "--output", self.path("p.npy")]
        self.bad(INPUT, "kmeans", "predict", "--input", x, "--centers", wide, *out, says=["(1, 2)", "--input has 1 features"])
        self.bad(INPUT, "kmeans", "predict", "--input", x, "--centers", nan, *out, says=["row 1", "--centers has"])
        self.bad(INPUT, "kmeans", "predict", "--input", nan, "--centers", x, *out, says=["row 1"])
        self.bad(INPUT, "kmeans", "predict", "--input", x, "--centers", self.path("none.npy"), *out,
                 says=["none.npy", "--centers: "])
        self.bad(OUTPUT, "kmeans", "predict", "--input", x, "--centers", x, "--device", DEVICE, "--output",
                 self.path("no/p.npy"), says=["no/p.npy"])
        self.assertFalse(os.path.exists(self.path("p.npy")))


class Errors(KMeansTest):
    def test_files(self):
        self.bad_fit(INPUT, self.path("none.npy"), 2, says=["none.npy", "--input: "])
        self.bad_fit(INPUT, self.folder, 2, says=["--input: "])
        whole = Path(self.write("x.npy", SIMPLE)).read_bytes()
        Path(self.path("short.npy")).write_bytes(whole[:-3])
        self.bad_fit(INPUT, self.path("short.npy"), 2, says=["short.npy"])
        Path(self.path("head.npy")).write_bytes(whole[:20])
        self.bad_fit(INPUT, self.path("head.npy"), 2, says=["head.npy"])
        Path(self.path("text.npy")).write_text("1,2\n3,4\n")
        self.bad_fit(INPUT, self.path("text.npy"), 2, says=["text.npy", "--input: "])
        x = self.write("x.npy", SIMPLE)
        self.bad_fit(INPUT, x, 2, "--weights", self.path("none.npy"), says=["none.npy", "--weights: "])
        self.bad_fit(INPUT, x, 2, "--init", self.path("text.npy"), says=["text.npy", "--init: "])
        self.bad_fit(INPUT, self.write("large.npy", SIMPLE, shape=(10**9, 10**9)), 2, says=["large.npy"])

    def test_values(self):
        x = self.write("x.npy", SIMPLE)
        self.bad_fit(INPUT, x, 5, says=["--clusters is 5 but --input has only 4 samples"])
        self.bad_fit(INPUT, x, 0, says=["--clusters is 0"])
        self.bad_fit(INPUT, x, -1)
        self.bad_fit(INPUT, self.write("flat.npy", [1.0, 2.0]), 1, says=["--input has shape (2,)"])
        self.bad_fit(INPUT, self.write("empty.npy", [], shape=(0, 3)), 1)
        self.bad_fit(INPUT, self.write("narrow.npy", [], shape=(3, 0)), 1)
        for value in (math.nan, math.inf, -math.inf):
            rows = [[float(i), 1.0] for i in range(100)]
            rows[37][1] = value
            self.bad_fit(INPUT, self.write("nan.npy", rows), 2, says=["37", "--input has"])

    def test_weights(self):
        x = self.write("x.npy", SIMPLE)
        for weights, word in (([1.0, -1.0, 1.0, 1.0], "1"), ([0.0] * 4, "0"), ([1.0] * 3, "(3,)"),
                              ([math.nan, 1.0, 1.0, 1.0], "0"), ([[1.0]] * 4, "(4, 1)")):
            self.bad_fit(INPUT, x, 2, "--weights", self.write("w.npy", weights), says=[word, "--weights "])

    def test_init(self):
        x = self.write("x.npy", SIMPLE)
        for init, word in (([[1.0]], "(1, 1)"), ([[1.0, 2.0]] * 2, "(2, 2)"), ([1.0, 2.0], "(2,)"),
                           ([[1.0], [math.nan]], "1")):
            self.bad_fit(INPUT, x, 2, "--init", self.write("init.npy", init), says=[word, "--init has"])
        self.bad_fit(INPUT, x, 2, "--init", self.path("none.npy"), says=["none.npy", "--init"])
        self.bad_fit(INPUT, x, 2, "--init", "cleverly", says=["cleverly"])

    def test_options(self):
        x = self.write("x.npy", SIMPLE)
        self.bad_fit(USAGE, x, 2, "--assign", "guess", says=["--assign"])
        self.bad_fit(USAGE, x, 2, "--update", "guess", says=["--update"])
        self.bad_fit(USAGE, x, 2, "--dtype", "int8", says=["--dtype"])
        self.bad_fit(INPUT, x, 2, "--max-iter", 0, says=["--max-iter is 0"])
        self.bad_fit(INPUT, x, 2, "--n-init", 0, says=["--n-init is 0"])
        self.bad_fit(INPUT, x, 2, "--tol", -1, says=["--tol is -1"])
        self.bad_fit(INPUT, x, 2, "--tol", "nan", says=["--tol is"])
        self.bad_fit(INPUT, x, 2, "--threads", 0, says=["--threads is 0"])
        self.bad_fit(INPUT, x, 2, "--tile-samples", -5, says=["--tile-samples is -5"])

    def test_devices(self):
        x = self.write("x.npy", SIMPLE)
        for name in ("toaster", "cpu:7", ":", ""):
            self.bad(DEVICE_FAULT, "kmeans", "fit", "--input", x, "--clusters", 2, "--device", name,
                     "--output", self.path("out"))

    def test_output(self):
        x = self.write("x.npy", SIMPLE)
        Path(self.path("file")).write_text("")
        self.bad_fit(OUTPUT, x, 2, out="file", says=["file"])
        self.bad_fit(OUTPUT, x, 2, out="file/below", says=["below"])
        self.bad(OUTPUT, "kmeans", "fit", "--input", x, "--clusters", 2, "--output", "/proc/tessera")


if __name__ == "__main__":
    unittest.main()
