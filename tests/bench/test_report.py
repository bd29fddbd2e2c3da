"""The page about performance is what its generator makes of the committed results; aims and losses say what is true."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bench", "reporting"))

import page  # noqa: E402
import steps  # noqa: E402
import targets  # noqa: E402
from results import Results  # noqa: E402

MACHINE = {"processor": "a processor", "cores": 2, "threads": 2, "device": "a device", "details": {}, "commit": "abc"}
RESULTS = os.path.join(ROOT, "bench", "results", "cpu.json")


def side(name, seconds, **more):
    return {"name": name, "peer": name.split()[0], "seconds": {"median": seconds, "min": seconds, "max": seconds}, **more}


def record(name, *sides, missing=()):
    return {"name": name, "text": "A question", "n": 1, "k": 1, "d": 1, "threads": 2, "rounds": 1, "calls": 1,
            "sides": list(sides), "missing": list(missing)}


def grid_row(seconds, **more):
    return {"question": "assign-grid", "device": "cpu", "mode": "eager", "schedule": "gram_tiled", "n": 65536, "k": 1024,
            "d": 2048, "tile_samples": 4096, "tile_centers": 1024, "machine": MACHINE, "gflops": 1.0,
            "seconds": {"median": seconds, "min": seconds, "max": seconds}, "peak_bytes": 1, "predicted_peak_bytes": 2,
            "labels_differ": 0, **more}


def results(rows=(), beside=()):
    return Results({"command": "a command", "threads": 2, "left_out": []}, list(rows) or [grid_row(1.0)], list(beside))


class Page(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(RESULTS), "there are no committed results")
    def test_the_page_is_what_its_generator_makes_of_the_results(self):
        with open(os.path.join(ROOT, "docs", "performance.md")) as file:
            self.assertEqual(page.text(Results.load(RESULTS)), file.read(),
                             "make it anew: bench/report --page-only")

    @unittest.skipUnless(os.path.exists(RESULTS), "there are no committed results")
    def test_figures_of_the_page_are_there_and_small(self):
        for name in ("grid", "peak", "scaling"):
            self.assertLess(os.path.getsize(os.path.join(ROOT, "docs", "figures", name + ".svg")), 300_000)

    def test_the_same_results_make_the_same_page(self):
        beside = [record("fit-iris-kmeans++", side("tessera fit", 0.25), side("scikit-learn KMeans", 1.0))]
        self.assertEqual(page.text(results(beside=beside)), page.text(results(beside=beside)))

    def test_a_row_that_was_not_measured_has_no_seconds(self):
        rows = [grid_row(1.0), {**grid_row(1.0, mode="compiled"), "unsupported": "a reason"}]
        del rows[1]["seconds"]
        self.assertIn("| gram_tiled | 4096 x 1024 | 1 s |", page.text(results(rows)))

    def test_differing_labels_are_explained_by_their_distances(self):
        differ = {"count": 1, "of": 10, "within_rounding": 1,
                  "rows": [{"row": 3, "ours": 1, "theirs": 2, "our_distance": 1.25, "their_distance": 1.5}]}
        beside = [record("assign-cython", side("tessera a", 1.0), side("numpy full Gram", 2.0, labels_differ=differ))]
        text = page.text(results(beside=beside))
        self.assertIn("| 1 of 10 |", text)
        self.assertIn("| 3 | 1 | 1.25 | 2 | 1.5 |", text)

    def test_sides_that_differ_alike_share_a_table(self):
        differ = {"count": 2, "of": 10, "within_rounding": 1,
                  "rows": [{"row": 3, "ours": 1, "theirs": 2, "our_distance": 1.25, "their_distance": 1.5}]}
        beside = [record("assign-cython", side("tessera a", 1.0), side("numpy b", 2.0, labels_differ=differ),
                         side("faiss c", 2.0, labels_differ=differ))]
        text = page.text(results(beside=beside))
        self.assertEqual(text.count("| 3 | 1 | 1.25 | 2 | 1.5 |"), 1)
        self.assertIn("Theirs: numpy b, faiss c.", text)
        self.assertIn("(the first 1 are listed)", text)

    def test_the_fastest_tiles_stand_beside_the_full_gram_and_the_running_minima(self):
        running = {"question": "running", "schedule": "running", "tile_centers": 32}
        rows = [grid_row(1.0), grid_row(0.5, tile_samples=256), grid_row(0.8, schedule="gram"),
                grid_row(0.1, schedule="product"), grid_row(2.0, **running)]
        text = page.text(results(rows))
        self.assertIn("The fastest tiles: gram_tiled 256 x 1024, eager, 500 ms", text)
        self.assertIn("The eager full Gram: 800 ms", text)
        self.assertIn("takes 4 x the time of the fastest Gram tiles", text)

    def test_a_missed_aim_says_where_its_limits_are_told(self):
        slow = record("fit-digits-kmeans++", side("tessera fit", 1.0), side("scikit-learn KMeans", 1.5))
        text = page.losses(results(beside=[slow]))
        self.assertIn(f"[what limits it]({page.LIMITS})", text)
        name, anchor = page.LIMITS.split("#")
        with open(os.path.join(ROOT, "docs", name)) as file:
            headings = [line.strip("# \n").lower().replace(" ", "-") for line in file if line.startswith("## ")]
        self.assertIn(anchor, headings)

    def test_missing_peers_are_named(self):
        beside = [record("assign-cython", side("tessera a", 1.0), missing=[{"name": "faiss x", "reason": "why"}])]
        self.assertIn("Missing: faiss x (why).", page.text(results(beside=beside)))


class Aims(unittest.TestCase):
    def aims(self, **arguments):
        return {text: (reached, met) for text, _, reached, met in targets.lines(results(**arguments))}

    def test_nothing_measured_is_neither_met_nor_missed(self):
        self.assertEqual(set(self.aims().values()), {("not measured", "")})

    def test_a_speed_is_the_peers_time_over_ours(self):
        fast = record("fit-iris-kmeans++", side("tessera fit", 0.25), side("scikit-learn KMeans", 1.0))
        slow = record("fit-digits-kmeans++", side("tessera fit", 1.0), side("scikit-learn KMeans", 1.5))
        aims = self.aims(beside=[fast, slow])
        self.assertEqual(aims["fit of tiny (iris), k-means++, speed beside scikit-learn"], ("4", "yes"))
        self.assertEqual(aims["fit of digits, k = 10, k-means++, speed beside scikit-learn"], ("1.5", "NO"))

    def test_an_assignment_is_held_against_the_faster_product(self):
        beside = [record("assign-cython", side(targets.FIT, 1.2), side(targets.TILED, 1.1),
                         side("tessera product alone", 1.05), side("blis product alone", 1.0))]
        self.assertIn(("1.1", "NO"), self.aims(beside=beside).values())

    def test_losses_name_the_peers_that_were_faster(self):
        beside = [record("step-low-d", side("tessera step", 1.0), side("numpy x", 0.5), side("faiss y", 2.0))]
        text = page.losses(results(beside=beside))
        self.assertIn("numpy x took 500 ms", text)
        self.assertNotIn("faiss", text)

    def test_losses_compare_a_schedule_with_the_same_of_ours(self):
        beside = [record("step-cython", side("tessera step", 1.0), side("tessera tiled", 3.0), side("torch tiled", 2.0),
                         side("tessera product alone", 0.5), side("numpy product alone", 0.4))]
        text = page.losses(results(beside=beside))
        self.assertIn("torch tiled took 2 s, tessera tiled 3 s", text)
        self.assertIn("numpy product alone took 400 ms, tessera product alone 500 ms", text)


class Files(unittest.TestCase):
    def test_what_was_written_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            before = results(beside=[record("add-4", side("tessera add", 1.0, machine=MACHINE))])
            before.save(path)
            after = Results.load(path)
        self.assertEqual((after.about, after.rows, after.beside), (before.about, before.rows, before.beside))

    def test_steps_have_names_of_their_own(self):
        names = [step.name for step in steps.steps(2)]
        self.assertEqual(len(names), len(set(names)))


class Runs(unittest.TestCase):
    """bench/report in a folder of its own, with a tessera-bench that writes one row."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.makedirs(self.path("docs"))
        with open(self.path("bench.py"), "w") as file:
            file.write(f"""#!{sys.executable}
import json, sys
with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
    json.dump([{grid_row(0.25)!r}], file)
""")
        os.chmod(self.path("bench.py"), 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, *parts):
        return os.path.join(self.folder.name, *parts)

    def run_report(self, *options):
        return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "bench", "reporting", "run.py"), "--no-peers",
                               "--threads", "2", *options], cwd=self.folder.name, capture_output=True, text=True,
                              env={**os.environ, "TESSERA_BENCH": self.path("bench.py")})

    def has(self, *parts):
        return os.path.exists(self.path(*parts))

    def publish_before(self):
        os.makedirs(self.path("bench", "results"), exist_ok=True)
        results([grid_row(1.0), grid_row(2.0, k=7)]).save(self.path("bench", "results", "cpu.json"))

    def published(self):
        return len(Results.load(self.path("bench", "results", "cpu.json")).rows)

    def test_a_partial_run_leaves_what_was_published(self):
        self.publish_before()
        done = self.run_report("--steps", "fit smoke", "--budget", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("steps are missing", done.stdout)
        self.assertEqual(self.published(), 2)
        self.assertTrue(self.has("build", "report", "cpu.json"))
        self.assertTrue(self.has("build", "report", "cpu.md"))
        self.assertFalse(self.has("docs", "performance.md"))

    def test_publish_overwrites_nevertheless(self):
        self.publish_before()
        done = self.run_report("--steps", "fit smoke", "--budget", "1", "--publish")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.published(), 1)
        self.assertTrue(self.has("docs", "performance.md"))

    def test_a_whole_run_publishes(self):
        self.publish_before()
        os.makedirs(self.path("build", "report", "cpu"))
        taken = {"threads": 2, "seconds": {step.name: 1.0 for step in steps.steps(2)}}
        for name, content in (("steps", taken), ("rows", [grid_row(0.25)])):
            with open(self.path("build", "report", "cpu", name + ".json"), "w") as file:
                json.dump(content, file)
        done = self.run_report("--budget", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.published(), 1)

    def test_figures_of_other_threads_are_not_taken_up(self):
        self.assertEqual(self.run_report("--name", "t", "--steps", "fit smoke", "--budget", "1").returncode, 0)
        again = self.run_report("--name", "t", "--steps", "fit smoke", "--budget", "1", "--threads", "1")
        self.assertEqual(again.returncode, 1)
        self.assertRegex(again.stderr, r"\Abench/report: .*is not of a run with 1 threads; take --fresh.*\n\Z")

    def test_a_name_is_no_path(self):
        self.assertIn("expected a name, not a path", self.run_report("--name", "../x", "--budget", "0").stderr)

    def test_what_cannot_be_read_is_one_line(self):
        self.assertRegex(self.run_report("--page-only").stderr, r"\Abench/report: there are no results .*\n\Z")
        self.publish_before()
        with open(self.path("bench", "results", "cpu.json"), "w") as file:
            file.write("{")
        done = self.run_report("--page-only")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Abench/report: .*cpu.json holds no results.*\n\Z")

    def test_the_list_is_of_the_steps_that_are_chosen(self):
        self.assertEqual(len(self.run_report("--list", "--steps", "fit smoke").stdout.splitlines()), 2)

    def test_wrong_arguments_are_refused(self):
        for options in (["--steps", "nothing like it"], ["--budget", "-1"], ["--threads", "0"]):
            done = self.run_report(*options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(options[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
