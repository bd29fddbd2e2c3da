"""The sides of a comparison: a process each, which waits for its turn, so that they can take turns."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("TESSERA_BENCH", "build/release/bin/tessera-bench")
# Bundled with an OpenBLAS that takes its oldest kernels on a processor whose name it does not know.
OLD_BLAS = ("faiss",)
HERE = os.path.dirname(os.path.abspath(__file__))


def best_kernels():
    """OpenBLAS's name for the kernels that this processor can run."""
    with open("/proc/cpuinfo") as file:
        flags = file.read()
    return "SkylakeX" if "avx512vl" in flags else "Haswell" if "avx2" in flags else ""


class Missing(Exception):
    """A side that is not there, and why."""


class Side:
    """A process that says it is ready, then answers each number of calls with the seconds of each call."""

    def __init__(self, name, command, environment):
        self.name, self.seconds = name, []
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, env=environment)
        line = self.process.stdout.readline()
        if not line.startswith("ready"):
            self.stop()
            raise Missing(self.reason(line))
        self.first_call_seconds = float(line.split()[1])

    def reason(self, line):
        self.errors.seek(0)
        said = [text.strip() for text in [line, *self.errors] if text.strip()]
        return said[-1] if said else f"it ended with status {self.process.returncode} and said nothing"

    def stop(self):
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what it was not yet told is lost
            self.process.stdin.close()

    def round(self, calls):
        answer = []
        with contextlib.suppress(OSError):  # a side that is gone says why below
            self.process.stdin.write(f"{calls}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
        if len(answer) != calls:
            self.stop()
            raise Missing(self.reason(" ".join(answer)))
        self.seconds += [float(text) for text in answer]

    def finish(self):
        """What there is to know besides seconds."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        last = ""
        for line in self.process.stdout:
            last = line.strip() or last
        if self.process.wait() != 0:
            raise Missing(f"it ended with status {self.process.returncode}: {self.reason(last)}")
        try:
            return self.details(last)
        except (ValueError, LookupError) as error:
            raise Missing(f"what it said at its end is no record: {error!r}") from None

    def details(self, last):
        return json.loads(last) if last.startswith("{") else {}


class Ours(Side):
    """A row of tessera-bench."""

    def __init__(self, name, threads, arguments, labels):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "rows.json")
        command = [PROGRAM, arguments["question"], "--paced", "--threads", str(threads), "--json", self.path]
        if labels:
            command += ["--labels", labels]
        for option, value in arguments.items():
            if option != "question":
                command += [f"--{option}", str(value)]
        super().__init__(name, command, dict(os.environ))

    def reason(self, line):
        if "unsupported: " in line:
            return line.split("unsupported: ")[1].strip()
        return super().reason(line)

    def details(self, last):
        if not os.path.exists(self.path):
            return {}
        with open(self.path) as file:
            row = json.load(file)[-1]
        kept = ("peak_bytes", "predicted_peak_bytes", "max_rss_bytes", "compile_seconds", "n_iter", "inertia", "calls",
                "tile_samples", "tile_centers", "scaled", "machine")
        return {key: row[key] for key in kept if key in row}


class Peer(Side):
    """A function of one of the peers' modules."""

    def __init__(self, name, threads, peer, arguments, labels):
        environment = dict(os.environ)
        # What would hold an OpenBLAS to the kernels of an older processor.
        for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
            environment.pop(variable, None)
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                         "NUMEXPR_NUM_THREADS"):
            environment[variable] = str(threads)
        if peer in OLD_BLAS and best_kernels():
            environment["OPENBLAS_CORETYPE"] = best_kernels()
        command = [sys.executable, os.path.join(HERE, "serve.py"), peer,
                   json.dumps({**arguments, "threads": threads, "labels": labels})]
        super().__init__(name, command, environment)
