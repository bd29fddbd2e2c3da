"""Asks tessera-bench every question at a small size and checks its rows. Usage: test_questions.py DEVICE"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["TESSERA_BENCH"]
DEVICE = sys.argv.pop() if len(sys.argv) > 1 else "cpu"
# The oracle and what runs on it are slow: smaller still.
SIZE = ["--size", "smoke"] if DEVICE == "cpu" else ["--samples", "300", "--clusters", "7", "--features", "5"]

QUESTIONS = ["assign-grid", "running", "lloyd", "init", "fit", "kernels", "ops"]
# Those whose every measured row says what its peak will be.
PREDICTED = {"assign-grid", "running", "lloyd", "init"}
MACHINE = {"processor", "cores", "threads", "device", "details", "commit"}
IDENTITY = {"question", "device", "mode", "schedule", "n", "machine", "source"}
TIMED = {"seconds", "first_call_seconds", "peak_bytes", "max_rss_bytes"}
# What each row of a question has besides.
FIELDS = {
    "assign-grid": {"k", "d", "gflops", *TIMED},
    "running": {"k", "d", "tile_centers", "gflops", "labels_differ", *TIMED},
    "lloyd": {"k", "d", *TIMED},
    "init": {"k", "d", "gigabytes_per_second", *TIMED},
    "fit": {"k", "d", "n_iter", "inertia", *TIMED},
    "kernels": {"k", "d", "operation", "seconds"},
    "ops": {"operation"},
}
SCHEDULES = {
    "assign-grid": {"gram", "product", "gram_tiled"},
    "running": {"running", "running_inside"},
    "lloyd": {"assign gram_tiled", "assign as fit does", "step", "step gram_tiled + tiled_mean", "update scatter",
              "update tiled_mean", "update one_hot"},
    "init": {"kmeans_plusplus", "kmeans_plusplus_recompute"},
    "fit": {"given centers", "kmeans++", "kmeans++ n_init 10", "given centers, 10 iterations"},
    "kernels": {"assign", "step", "kmeans++"},
    "ops": {"machine", "eager call"},
}


# What compile() is for, and says what it took.
COMPILED = {
    "assign-grid": {"gram", "gram_tiled"},
    "running": {"running", "running_inside"},
    "lloyd": {"assign gram_tiled", "step gram_tiled + tiled_mean"},
    "ops": {"compiled call"},
}


def ask(question, *options):
    device = [] if "--device" in options else ["--device", DEVICE]
    return subprocess.run([PROGRAM, question, *device, "--repeat", "1", *options],
                          capture_output=True, text=True)


class Questions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "rows.json")

    def tearDown(self):
        self.folder.cleanup()

    def rows(self, question, *options, size=SIZE):
        done = ask(question, *size, "--json", self.path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path) as file:
            return json.load(file)

    def check(self, question, row):
        self.assertEqual(row["question"], question)
        self.assertEqual(row["device"], DEVICE)
        self.assertLessEqual(IDENTITY | FIELDS[question], set(row), row)
        self.assertLessEqual(MACHINE, set(row["machine"]), row["machine"])
        if "seconds" in row:
            self.assertGreater(row["seconds"]["median"], 0, row)
            self.assertLessEqual(row["seconds"].get("min", 0), row["seconds"]["median"], row)
        if question in PREDICTED and "seconds" in row:
            self.assertIn("predicted_peak_bytes", row)
        if "predicted_peak_bytes" in row:
            self.assertLessEqual(row["peak_bytes"], row["predicted_peak_bytes"], row)
        makes_labels = question in ("assign-grid", "running", "lloyd") and row["schedule"] != "product"
        if makes_labels and not row["schedule"].startswith("update"):
            self.assertEqual(row["labels_differ"], 0, row)
        if question == "assign-grid" and row["schedule"] != "product":
            self.assertLessEqual({"tile_samples", "tile_centers"}, set(row), row)

    def test_every_question_eager(self):
        for question in QUESTIONS:
            with self.subTest(question):
                rows = self.rows(question)
                self.assertTrue(rows)
                for row in rows:
                    self.check(question, row)
                self.assertEqual({row["schedule"] for row in rows}, SCHEDULES[question])
            os.remove(self.path)

    def test_every_question_compiled_or_why_not(self):
        for question in QUESTIONS:
            with self.subTest(question):
                found, measured = set(), set()
                for row in self.rows(question, "--mode", "compiled"):
                    self.assertEqual(row["mode"], "compiled")
                    if "unsupported" in row:
                        self.assertTrue(row["unsupported"])
                        self.assertNotIn("seconds", row)
                        continue
                    measured.add(row["schedule"])
                    self.check(question, row)
                    if "compile_seconds" in row:
                        found.add(row["schedule"])
                        self.assertGreater(row["compile_seconds"], 0)
                self.assertEqual(found, COMPILED.get(question, set()))
                if question == "lloyd":
                    self.assertLessEqual({"assign as fit does", "step"}, measured)
            os.remove(self.path)

    def test_compiled_functions_are_explained(self):
        done = ask("assign-grid", *SIZE, "--mode", "compiled", "--only", "gram", "--explain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("matmul_argmin", done.stdout)

    def test_the_machine_is_measured_beside_operations_and_kernels(self):
        rows = self.rows("ops") + self.rows("kernels")
        measured = {row["operation"] for row in rows if row["schedule"] == "machine"}
        self.assertEqual(measured, {"machine copy", "machine read", "machine multiply-add"})
        for row in rows:
            if row["question"] == "ops" and "peak_bytes" in row and row["operation"] != "matmul square":
                self.assertGreater(row["share_of_copy"], 0, row)
            if row["question"] == "kernels" and row["operation"] != "all":
                self.assertGreater(row["share_of_peak"], 0, row)
                self.assertLessEqual(row["share"], 1, row)

    def test_options_are_in_the_rows(self):
        size = ["--samples", "100", "--clusters", "5", "--features", "3"]
        rows = self.rows("fit", "--threads", "2", "--data", "blobs", size=size)
        for row in rows:
            self.assertEqual((row["n"], row["k"], row["d"]), (100, 5, 3))
            self.assertEqual(row["machine"]["threads"], 2)
            self.assertEqual(row["source"]["samples"], "blobs")

    def test_one_row_alone_paced_with_its_labels(self):
        labels = os.path.join(self.folder.name, "labels.npy")
        done = subprocess.run([PROGRAM, "assign-grid", "--device", DEVICE, "--samples", "300", "--clusters", "7",
                               "--features", "5", "--only", "gram_tiled", "--tile-samples", "256", "--tile-centers", "7",
                               "--paced", "--labels", labels, "--json", self.path],
                              input="2\n1\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^ready \d")
        self.assertEqual([len(line.split()) for line in lines[1:3]], [2, 1])
        with open(self.path) as file:
            self.assertEqual([row["schedule"] for row in json.load(file)], ["gram_tiled"])
        self.assertEqual(os.path.getsize(labels), 128 + 8 * 300)

    def test_a_second_run_measures_only_what_is_missing(self):
        first = self.rows("lloyd")
        again = ask("lloyd", *SIZE, "--json", self.path)
        self.assertEqual(again.stdout.count("kept from"), len(first))
        with open(self.path) as file:
            self.assertEqual(first, json.load(file))

    def test_what_does_not_fit_is_refused_with_the_bytes(self):
        done = ask("lloyd", "--samples", "100000000", "--clusters", "10", "--features", "100000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bytes", done.stderr)

    def refused(self, told, *arguments, status=1):
        done = ask(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn(" s ", done.stdout)  # nothing was measured
        for text in told:
            self.assertIn(text, done.stderr)

    def test_what_cannot_be_is_refused_before_anything_is_measured(self):
        nowhere = os.path.join(self.folder.name, "nowhere", "file")
        self.refused(["nothing", "update scatter"], "lloyd", "--only", "nothing", *SIZE)
        self.refused(["--tile-centers 5000", "tile_centers="], "running", "--tile-centers", "5000", *SIZE)
        self.refused([nowhere], "ops", "--json", nowhere)
        self.refused([nowhere], "lloyd", "--labels", nowhere)
        self.refused(["11", "10"], "lloyd", "--samples", "10", "--clusters", "11", "--features", "2")
        self.refused(["no_such"], "ops", "--device", f"{DEVICE},no_such")
        self.refused(["whole number >= 1"], "ops", "--threads", "0", status=105)
        iris = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "iris.npy")
        self.refused(["--features 5", "(150, 4)"], "fit", "--data", iris, "--clusters", "3", "--features", "5")
        with open(self.path, "w") as file:
            file.write("[1]")
        self.refused([self.path], "lloyd", "--json", self.path)

    def test_a_line_that_is_no_number_of_calls_is_told(self):
        done = subprocess.run([PROGRAM, "ops", "--device", DEVICE, "--only", "add of 4", "--size", "tiny", "--paced"],
                              input="many\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('"many"', done.stderr)

    def test_unknown_size_and_device(self):
        done = ask("lloyd", "--size", "huge")
        self.assertEqual(done.returncode, 1)
        self.assertIn("feature-heavy", done.stderr)
        done = subprocess.run([PROGRAM, "ops", "--device", "nothing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
