"""bench/peers/compare with a tessera-bench that measures nothing: what it keeps, refuses, and survives."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SIDE = f"""#!{sys.executable}
import json, os, sys, time
print("ready 0.5", flush=True)
for line in sys.stdin:
    if os.environ.get("SLOW"):
        time.sleep(60)
    print(*["0.25"] * int(line), flush=True)
if os.environ.get("DIES"):
    sys.exit("the end was bad")
with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
    json.dump([{{"n_iter": 3}}], file)
"""


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.json = os.path.join(self.folder.name, "beside.json")
        self.program = os.path.join(self.folder.name, "bench.py")
        with open(self.program, "w") as file:
            file.write(SIDE)
        os.chmod(self.program, 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *options, **environment):
        return subprocess.Popen(
            [sys.executable, "-B", os.path.join(ROOT, "bench", "peers", "compare.py"), "add-4", *options],
            cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TESSERA_BENCH": self.program, **environment})

    def ask(self, *options, **environment):
        process = self.start("--sides", "tessera", "--threads", "1", "--json", self.json, *options, **environment)
        said, errors = process.communicate(timeout=60)
        return process.returncode, said, errors

    def records(self):
        with open(self.json) as file:
            return json.load(file)

    def test_a_record_is_kept_only_if_threads_rounds_and_sides_are_the_same(self):
        self.assertEqual(self.ask("--rounds", "1")[0], 0)
        self.assertIn("add-4: kept from " + self.json, self.ask("--rounds", "1")[1])
        self.assertEqual(len(self.records()), 1)
        self.ask("--rounds", "2")
        self.ask("--rounds", "1", "--threads", "2")
        self.assertEqual([(record["rounds"], record["threads"]) for record in self.records()], [(1, 1), (2, 1), (1, 2)])
        before = self.records()
        before[0]["sides"].append({"name": "numpy add", "peer": "numpy", "seconds": {"median": 1}})
        with open(self.json, "w") as file:
            json.dump(before, file)
        self.assertNotIn("kept", self.ask("--rounds", "1")[1])

    def test_wrong_arguments_are_refused_before_anything_is_measured(self):
        with open(self.json, "w") as file:
            file.write("[{")
        unwritable = os.path.join(self.folder.name, "nowhere", "x.json")
        for options, told in ((["--rounds", "-1"], "--rounds -1"), (["--sides", "nobody"], "nobody"),
                              (["--json", self.json], self.json), (["--json", unwritable], unwritable)):
            process = self.start(*options)
            said, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said), (2, ""), options)
            self.assertIn(told, errors.splitlines()[-1])
            self.assertNotIn("Traceback", errors)

    def test_a_side_that_dies_at_its_end_is_missing(self):
        status, said, errors = self.ask("--rounds", "1", DIES="yes")
        self.assertEqual(status, 0, errors)
        self.assertIn("missing: it ended with status 1", said)
        self.assertIn("the end was bad", self.records()[0]["missing"][0]["reason"])

    def test_an_interrupt_ends_with_a_line(self):
        process = self.start("--sides", "tessera", SLOW="yes")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=20)[1]
        self.assertEqual(process.returncode, 130)
        self.assertEqual(errors.strip(), "bench/peers/compare: stopped")


if __name__ == "__main__":
    unittest.main()
