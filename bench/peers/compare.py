"""Tessera beside scikit-learn and NumPy on the same arrays, in turn; see bench/peers/compare."""

import argparse
import json
import os
import platform
import statistics
import time
import timeit

import numpy as np
import sklearn
from threadpoolctl import threadpool_info

import ours
import sklearn_peer

FOLDER = "build/peers/data"


def saved(name, make):
    """The path of an array that is made once."""
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name + ".npy")
    if not os.path.exists(path):
        np.save(path, make())
    return path


def normal(n, d):
    return saved(f"normal-{n}-{d}",
                 lambda: np.random.default_rng(0).standard_normal((n, d), dtype=np.float32))


def first_rows(path, k):
    name = os.path.basename(path)[:-4]
    return saved(f"{name}-first-{k}", lambda: np.load(path, mmap_mode="r")[:k].copy())


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class Question:
    """Two sides of one question: each gives the seconds of one call."""

    def __init__(self, text, our_side, peer_side):
        self.text, self.our_side, self.peer_side = text, our_side, peer_side


def lloyd(n, k, d, threads, update):
    path = normal(n, d)
    centers_path = first_rows(path, k)
    x, centers = np.load(path), np.load(centers_path)
    peer = sklearn_peer.LloydStep(x, centers, threads, update)
    peer()
    schedule = "step" if update else "assign as fit does"
    return Question(
        f"{'Lloyd step' if update else 'assignment'} {n} x {k} x {d}",
        lambda: ours.seconds("lloyd", {"schedule": schedule}, threads, data=path, centers=centers_path,
                             only=schedule),
        lambda: seconds(peer))


def plus_plus(n, k, d, threads):
    path = normal(n, d)
    x = np.load(path)
    return Question(
        f"k-means++ {n} x {k} x {d}",
        lambda: ours.seconds("init", {"schedule": "kmeans_plusplus"}, threads, data=path, clusters=k,
                             only="kmeans_plusplus"),
        lambda: seconds(sklearn_peer.plus_plus(x, k, threads)))


def fit(name, threads, data, clusters, repeat, **options):
    x = np.load(data).astype(np.float32)
    path = saved(f"{name}-float32", lambda: x)
    centers_path = first_rows(path, clusters)
    call = sklearn_peer.fit(x, np.load(centers_path), threads, **options)
    call()
    ten = bool(options)
    return Question(
        f"fit from given centers, {name}" + (", 10 iterations" if ten else ""),
        lambda: ours.seconds("fit", {"schedule": "given centers, 10 iterations" if ten else "given centers"}, threads,
                             repeat=repeat, data=path, centers=centers_path,
                             only="given centers, 10 iterations" if ten else "given centers"),
        lambda: statistics.median(timeit.repeat(call, number=1, repeat=repeat)))


def add_of_4(threads):
    a = np.ones(4, dtype=np.float32)
    return Question(
        "add of 4 elements, NumPy's from Python",
        lambda: ours.seconds("ops", {"operation": "add of 4"}, threads, repeat=5, size="tiny", only="add of 4"),
        lambda: min(timeit.repeat(lambda: np.add(a, a), number=20000, repeat=5)) / 20000)


QUESTIONS = {
    "cython": lambda t: lloyd(65536, 1024, 2048, t, True),
    "cython-assign": lambda t: lloyd(65536, 1024, 2048, t, False),
    "low-d": lambda t: lloyd(196608, 256, 64, t, True),
    "seeding": lambda t: plus_plus(65536, 256, 1024, t),
    "iris": lambda t: fit("iris", t, "tests/data/iris.npy", 3, 200),
    "digits": lambda t: fit("digits", t, "tests/data/digits.npy", 10, 50),
    "ten-iterations": lambda t: fit("seeding", t, normal(65536, 1024), 256, 1, max_iter=10, tol=0),
    "add-4": add_of_4,
}


def ask(name, threads, rounds):
    question = QUESTIONS[name](threads)
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(question.our_side())
        theirs.append(question.peer_side())
    us, peer = statistics.median(mine), statistics.median(theirs)
    print(f"{question.text:48} tessera {us:12.6g} s   peer {peer:12.6g} s   speed {peer / us:6.2f} x", flush=True)
    return {"question": question.text, "tessera_seconds": mine, "peer_seconds": theirs, "speed": peer / us}


def main():
    parser = argparse.ArgumentParser(prog="bench/peers/compare", description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help="some of: " + ", ".join(QUESTIONS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    arguments = parser.parse_args()
    unknown = set(arguments.questions) - set(QUESTIONS)
    if unknown:
        parser.error(f"unknown question {', '.join(sorted(unknown))}; expected some of {', '.join(QUESTIONS)}")
    print(f"{platform.processor() or platform.machine()}, {arguments.threads} threads, scikit-learn "
          f"{sklearn.__version__}, NumPy {np.__version__}, OpenBLAS kernels "
          f"{', '.join(sorted({i['architecture'] for i in threadpool_info() if 'architecture' in i}))}")
    results = [ask(name, arguments.threads, arguments.rounds) for name in arguments.questions or QUESTIONS]
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
