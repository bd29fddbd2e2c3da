"""What a report measures, in the order of its weight. A step is one run of tessera-bench or one comparison; its
minutes are a guess for two cores, by which steps that no longer fit are left out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    name: str
    minutes: float
    bench: tuple = ()  # arguments of tessera-bench
    peers: str = ""  # or a question of bench/peers
    threads: int = 0  # else the run's
    least: float = 0  # minutes that are worth a start, where rows are kept one by one; else all of them


def bench(name, minutes, *arguments, threads=0):
    return Step(name, minutes, tuple(arguments), threads=threads)


def peers(name, minutes):
    return Step(f"beside {name}", minutes, peers=name)


def of_size(size, minutes, *arguments, least=0):
    question = arguments[0]
    mode = " compiled" if "compiled" in arguments else ""
    return Step(f"{question} {size}{mode}", minutes, (*arguments, "--size", size), least=least)


def scaling():
    """One assignment and one step, a number at a time away from 65536 x 256 x 256."""
    start = {"samples": 65536, "clusters": 256, "features": 256}
    values = {"samples": [4096, 16384, 65536, 262144], "clusters": [16, 64, 256, 1024, 4096],
              "features": [4, 16, 64, 256, 1024, 4096]}
    steps = []
    for what, numbers in values.items():
        for number in numbers:
            size = {**start, what: number}
            arguments = [text for key, value in size.items() for text in (f"--{key}", str(value))]
            for schedule in ("assign as fit does", "step"):
                steps.append(bench(f"scaling {what} {number} {schedule}", 0.02, "lloyd", "--only", schedule, *arguments))
    return steps


def by_threads(most):
    steps = []
    for size in ("cython", "low-d"):
        for threads in sorted({1, most} | {2 ** i for i in range(10) if 2 ** i < most}):
            for schedule in ("assign as fit does", "step"):
                steps.append(bench(f"threads {threads} {size} {schedule}", 0.2, "lloyd", "--only", schedule, "--size",
                                   size, "--repeat", "5", threads=threads))
    steps.append(bench("threads multiply-add", 0.1, "ops", "--only", "machine multiply-add", "--repeat", "7"))
    return steps


def steps(threads):
    digits = ("--data", "tests/data/digits.npy", "--clusters", "10")
    iris = ("--data", "tests/data/iris.npy", "--clusters", "3")
    compiled = ("--mode", "compiled")
    heavy = "feature-heavy"
    of_32 = ("--tile-centers", "32")
    return [
        of_size("cython", 0.3, "ops", "--repeat", "5"),
        peers("assign-cython", 2.4),
        *by_threads(threads),
        peers("step-cython", 1.5),
        peers("assign-low-d", 0.6),
        peers("step-low-d", 0.2),
        peers("assign-rgb", 1.2),
        *[peers(name, 0.15) for name in
          ("fit-iris-given-centers", "fit-iris-kmeans++", "fit-iris-kmeans++-n_init-10", "fit-digits-given-centers",
           "fit-digits-kmeans++", "fit-blobs-given-centers")],
        peers("ten-65536-256-1024", 1),
        peers("ten-100000-1000-128", 1),
        peers("seeding", 1.9),
        peers("add-4", 0.2),
        peers("expression", 1),
        of_size("cython", 0.2, "kernels"),
        of_size("low-d", 0.1, "kernels"),
        of_size("seeding", 0.1, "kernels"),
        of_size("cython", 1.2, "lloyd"),
        of_size("cython", 1.2, "assign-grid"),
        of_size("cython", 1.2, "assign-grid", *compiled),
        of_size("cython", 0.3, "ops", *compiled),
        of_size("cython", 0.2, "kernels", *compiled),
        of_size("cython", 1, "lloyd", *compiled),
        of_size("low-d", 0.1, "lloyd"),
        of_size("low-d", 0.1, "lloyd", *compiled),
        of_size("rgb", 0.2, "lloyd"),
        of_size("rgb", 0.2, "lloyd", *compiled),
        of_size("seeding", 0.5, "init", "--repeat", "1"),
        of_size("low-d", 0.6, "running", "--repeat", "1"),
        of_size("low-d", 0.6, "running", "--repeat", "1", *compiled),
        *[bench(f"fit {name}", 0.1, "fit", *options, "--repeat", "20")
          for name, options in (("digits", digits), ("iris", iris))],
        of_size("smoke", 0.1, "fit"),
        *scaling(),
        of_size(heavy, 5.7, "lloyd", least=2),
        of_size("init", 2.7, "init"),
        peers("assign-feature-heavy", 5),
        bench("assign-grid feature-heavy compiled, tiles of 4096", 3, "assign-grid", "--size", heavy, *compiled,
              "--tile-samples", "4096"),
        peers("seeding-small", 0.7),
        peers("torch-cython", 2.2),
        peers("running-low-d", 2.2),
        of_size("cython", 1.7, "running", "--repeat", "1"),
        of_size("cython", 0.7, "running", "--repeat", "1", *compiled),
        of_size(heavy, 1.5, "kernels", *compiled),
        bench("running feature-heavy compiled, tiles of 32", 1, "running", "--size", heavy, *compiled, *of_32),
        bench("running feature-heavy, tiles of 32", 1.8, "running", "--size", heavy, *of_32, "--only", "running"),
        of_size(heavy, 12.6, "assign-grid", least=2),  # the longest, last: a second run goes on at the row it reached
    ]
