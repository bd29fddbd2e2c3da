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
PREDICTED = {"assign-grid", "running", "init"}
MACHINE = {"processor", "cores", "threads", "device", "details", "commit"}


def ask(question, *options):
    return subprocess.run([PROGRAM, question, "--device", DEVICE, "--repeat", "1", *options],
                          capture_output=True, text=True)


class Questions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "rows.json")

    def tearDown(self):
        self.folder.cleanup()

    def rows(self, question, *options):
        done = ask(question, *SIZE, "--json", self.path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path) as file:
            return json.load(file)

    def check(self, question, row):
        self.assertEqual(row["question"], question)
        self.assertEqual(row["device"], DEVICE)
        self.assertTrue(MACHINE <= set(row["machine"]), row["machine"])
        self.assertGreater(row["seconds"]["median"], 0)
        if question in PREDICTED:
            self.assertIn("predicted_peak_bytes", row)
        if "predicted_peak_bytes" in row:
            self.assertLessEqual(row["peak_bytes"], row["predicted_peak_bytes"], row)
        if question in ("assign-grid", "running"):
            self.assertEqual(row["labels_differ"], 0, row)

    def test_every_question_eager(self):
        for question in QUESTIONS:
            with self.subTest(question):
                rows = self.rows(question)
                self.assertTrue(rows)
                for row in rows:
                    self.check(question, row)
            os.remove(self.path)

    def test_every_question_compiled_says_that_it_is_not_there(self):
        for question in QUESTIONS:
            with self.subTest(question):
                for row in self.rows(question, "--mode", "compiled"):
                    self.assertEqual(row["mode"], "compiled")
                    self.assertTrue(row["unsupported"])
                    self.assertNotIn("seconds", row)
            os.remove(self.path)

    def test_a_second_run_measures_only_what_is_missing(self):
        first = self.rows("lloyd")
        second = self.rows("lloyd")
        self.assertEqual(first, second)

    def test_what_does_not_fit_is_refused_with_the_bytes(self):
        done = ask("lloyd", "--samples", "100000000", "--clusters", "10", "--features", "100000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bytes", done.stderr)

    def test_unknown_size_and_device(self):
        done = ask("lloyd", "--size", "huge")
        self.assertEqual(done.returncode, 1)
        self.assertIn("feature-heavy", done.stderr)
        done = subprocess.run([PROGRAM, "ops", "--device", "nothing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
