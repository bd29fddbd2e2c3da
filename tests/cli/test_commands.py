"""devices, make, picture, and what all commands share."""

import os
import signal
import struct
import subprocess
import time
import unittest
import zlib
from pathlib import Path

import npy
from support import DEVICE_FAULT, INPUT, INTERRUPTED, OUTPUT, PROGRAM, USAGE, CommandLineTest


class Shared(CommandLineTest):
    def test_help_shows_examples_and_exit_codes(self):
        self.assertIn("130", self.good("--help"))
        for command in (["devices"], ["make"], ["kmeans", "fit"], ["kmeans", "predict"], ["picture"]):
            self.assertIn(" ".join(["tessera", *command]), self.good(*command, "--help"), command)

    def test_version(self):
        self.assertRegex(self.good("--version"), r"^tessera \d+\.\d+\.\d+\n$")

    def test_usage(self):
        self.bad(USAGE)
        self.bad(USAGE, "nonsense", says=['no command "nonsense"', "tessera --help"])
        self.bad(USAGE, "make", "nonsense", says=['no command "nonsense"', "tessera make --help"])
        self.bad(USAGE, "make", "blobs", "--samples", "10", says=["tessera make blobs --help"])
        self.bad(USAGE, "make", "blobs", "--samples", "ten", "--features", "2", "-o", self.path("x.npy"))
        self.bad(USAGE, "kmeans", "fit", "--clusters", "3", says=["--input", "tessera kmeans fit --help"])


    def test_numbers_are_whole_texts_in_decimal(self):
        for option, text in (("--samples", ""), ("--samples", "1e3"), ("--samples", "9" * 20), ("--seed", "-1"),
                             ("--seed", ""), ("--spread", ""), ("--spread", "wide"), ("--clusters", "0x10")):
            arguments = {"--samples": 10, "--features": 2, "--output": self.path("x.npy"), option: text}
            self.bad(USAGE, "make", "blobs", *(word for pair in arguments.items() for word in pair),
                     says=[f'{option}: "{text}" is no '])
        self.good("make", "blobs", "-n", "010", "-d", "2", "-o", self.path("x.npy"))
        self.assertEqual(npy.read(self.path("x.npy"))[1], (10, 2))

    def test_an_error_that_cannot_be_shown_keeps_its_exit_code(self):
        command = [PROGRAM, "kmeans", "fit", "-i", self.path("no.npy"), "-k", "3", "-o", self.path("out")]
        for nowhere in ("2>/dev/full", "2>&-"):
            run = subprocess.run(["sh", "-c", f'"$@" {nowhere}', "sh", *command], check=False)
            self.assertEqual(run.returncode, INPUT)

    def test_standard_output_that_takes_nothing_is_an_error(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, "devices"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, OUTPUT)


class Devices(CommandLineTest):
    def test_shows_modules_with_their_paths(self):
        text = self.good("devices")
        for name in ("cpu", "reference"):
            self.assertIn(f"libtessera_device_{name}.so", text)
            self.assertIn(f"\n  {name}: ", text)

    def test_a_broken_module_is_shown_with_its_reason(self):
        broken = Path(self.path("libtessera_device_broken.so"))
        broken.write_bytes(b"not a library")
        text = self.good("devices", env={"TESSERA_DEVICE_PATH": str(self.folder)})
        self.assertIn(str(broken), text)
        self.assertIn("no devices: ", text)
        self.assertIn("\n  cpu: ", text)

    def test_a_broken_module_is_not_left_out_of_all_in_silence(self):
        Path(self.path("libtessera_device_cpu.so")).write_bytes(b"not a library")
        self.good("make", "normal", "-n", 20, "-d", 2, "-o", self.path("x.npy"))
        run = self.run_program("kmeans", "fit", "-i", self.path("x.npy"), "-k", 2, "-o", self.path("out"),
                               "--device", "all", env={"TESSERA_DEVICE_PATH": str(self.folder)})
        self.assertEqual(run.returncode, 0)
        self.assertIn("left out: ", run.stderr)
        self.assertIn(self.path("libtessera_device_cpu.so"), run.stderr)


class Make(CommandLineTest):
    def test_what_does_not_fit_the_disk_is_refused_first(self):
        for samples in (10**13, 2**63 - 1):
            self.bad(OUTPUT, "make", "uniform", "-n", samples, "-d", 7, "-o", self.path("x.npy"),
                     says=[f"{samples} x 7 x 4 bytes"])

    def make(self, kind, *arguments, name="x.npy"):
        self.good("make", kind, *arguments, "--output", self.path(name))
        return npy.read(self.path(name))

    def test_uniform(self):
        dtype, shape, values = self.make("uniform", "--samples", 500, "--features", 3, "--low", -2, "--high", 3)
        self.assertEqual((dtype, shape), ("float32", (500, 3)))
        self.assertTrue(all(-2 <= v < 3 for v in values))
        self.assertAlmostEqual(sum(values) / len(values), 0.5, delta=0.2)

    def test_normal_float64(self):
        dtype, shape, values = self.make(
            "normal", "--samples", 2000, "--features", 2, "--mean", 5, "--stddev", 2, "--dtype", "float64")
        self.assertEqual((dtype, shape), ("float64", (2000, 2)))
        mean = sum(values) / len(values)
        self.assertAlmostEqual(mean, 5, delta=0.2)
        self.assertAlmostEqual(sum((v - mean) ** 2 for v in values) / len(values), 4, delta=0.4)

    def test_blobs_lie_around_their_centers(self):
        _, shape, values = self.make("blobs", "--samples", 300, "--features", 2, "--clusters", 4,
                                     "--spread", 0.01, "--labels", self.path("labels.npy"))
        self.assertEqual(shape, (300, 2))
        dtype, shape, labels = npy.read(self.path("labels.npy"))
        self.assertEqual((dtype, shape), ("int64", (300,)))
        self.assertEqual(set(labels), {0, 1, 2, 3})
        for cluster in range(4):
            xs = [values[2 * i] for i in range(300) if labels[i] == cluster]
            self.assertLess(max(xs) - min(xs), 0.2)

    def test_seeds(self):
        size = ["--samples", 50, "--features", 4]
        first = self.make("normal", *size, "--seed", 1)
        self.assertEqual(first, self.make("normal", *size, "--seed", 1))
        self.assertNotEqual(first, self.make("normal", *size, "--seed", 2))

    def test_the_first_rows_do_not_depend_on_how_many_follow(self):
        for kind in ("uniform", "normal", "blobs"):
            # More features than a block of elements holds: a row a block; and several blocks of rows.
            for features, few, many in ((7, 10, 1000), (400_001, 2, 5)):
                size = ["--features", features]
                _, _, short = self.make(kind, "--samples", few, *size)
                _, _, long = self.make(kind, "--samples", many, *size)
                self.assertEqual(short, long[:len(short)], (kind, features))

    def test_rows_of_different_blocks_differ(self):
        _, _, values = self.make("uniform", "--samples", 6, "--features", 400_001)
        self.assertNotEqual(values[:400_001], values[-400_001:])
        self.assertEqual(len(set(values[::400_001])), 6)

    def test_devices_agree(self):
        size = ["--samples", 100, "--features", 3]
        on_cpu = self.make("uniform", *size, "--device", "cpu")
        self.assertEqual(on_cpu, self.make("uniform", *size, "--device", "reference"))

    def test_interrupt_leaves_nothing_behind(self):
        process = subprocess.Popen(
            [PROGRAM, "make", "uniform", "--samples", "100000000", "--features", "100", "-o", self.path("x.npy")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not os.listdir(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)
        while sum(path.stat().st_size for path in self.folder.iterdir()) < 10**6 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, said)
        self.assertIn("was not written", said)
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_values(self):
        out = self.path("x.npy")
        size = ["--samples", 10, "--features", 2]
        self.bad(INPUT, "make", "normal", "--samples", 0, "--features", 2, "-o", out, says=["--samples"])
        self.bad(INPUT, "make", "blobs", *size, "--clusters", 0, "-o", out, says=["--clusters"])
        self.bad(INPUT, "make", "normal", *size, "--dtype", "int32", "-o", out, says=["int32", "float64"])
        self.bad(INPUT, "make", "normal", *size, "--dtype", "float31", "-o", out, says=["float31"])
        self.bad(INPUT, "make", "normal", *size, "--stddev", -1, "-o", out, says=["--stddev is -1"])
        self.bad(INPUT, "make", "blobs", *size, "--spread", -1, "-o", out, says=["--spread is -1"])
        self.bad(INPUT, "make", "uniform", *size, "--low", 3, "-o", out, says=["--low is 3, --high is 1"])
        self.bad(DEVICE_FAULT, "make", "normal", *size, "--device", "toaster", "-o", out, says=["toaster"])
        self.bad(OUTPUT, "make", "normal", *size, "-o", self.path("no/such/folder/x.npy"), says=["no/such/folder"])
        self.bad(OUTPUT, "make", "normal", *size, "-o", self.folder, says=["folder"])
        self.assertEqual(os.listdir(self.folder), [])


class Picture(CommandLineTest):
    def test_draws_a_grid(self):
        npy.write(self.path("x.npy"), [[0, 1, 2, 3, 4, 5]] * 3)
        self.good("picture", "-i", self.path("x.npy"), "--rows", 2, "--columns", 3, "--scale", 4,
                  "-o", self.path("x.png"))
        data = Path(self.path("x.png")).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height, depth, color = struct.unpack(">IIBB", data[16:26])
        # Three cells of 3 x 2 values, 4 pixels a value, with a gap of 4 pixels around each.
        self.assertEqual((width, height, depth, color), (3 * (3 * 4 + 4) + 4, 2 * 4 + 4 + 4, 8, 0))
        at = data.index(b"IDAT")
        (length,) = struct.unpack(">I", data[at - 4:at])
        lines = zlib.decompress(data[at + 4:at + 4 + length])
        self.assertEqual(len(lines), height * (width + 1))

    def test_numbers_are_decimal(self):
        npy.write(self.path("x.npy"), [list(range(10))])
        picture = ["picture", "-i", self.path("x.npy"), "-o", self.path("x.png"), "--columns", "010"]
        self.good(*picture, "--rows", "01")
        self.bad(USAGE, *picture, "--rows", "", says=["--rows", "whole number"])

    def test_bad_input(self):
        npy.write(self.path("x.npy"), [[0, 1, 2, 3]])
        shape = ["--rows", 2, "--columns", 2]
        self.bad(INPUT, "picture", "-i", self.path("x.npy"), "--rows", 2, "--columns", 3, "-o", self.path("x.png"),
                 says=["(1, 4)"])
        self.bad(INPUT, "picture", "-i", self.path("y.npy"), *shape, "-o", self.path("x.png"), says=["y.npy"])
        npy.write(self.path("nan.npy"), [[0, 1, 2, float("nan")]])
        self.bad(INPUT, "picture", "-i", self.path("nan.npy"), *shape, "-o", self.path("x.png"))
        self.bad(OUTPUT, "picture", "-i", self.path("x.npy"), *shape, "-o", self.path("no/x.png"))

    def test_a_device_file_stays_one(self):
        self.good("make", "normal", "-n", 4, "-d", 4, "-o", self.path("y.npy"))
        self.bad(OUTPUT, "picture", "-i", self.path("y.npy"), "--rows", 2, "--columns", 2, "-o", "/dev/full")
        self.assertTrue(Path("/dev/full").is_char_device())


if __name__ == "__main__":
    unittest.main()
