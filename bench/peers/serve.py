"""One peer's side of a comparison: serve.py PEER ARGUMENTS; sides.py says what it answers. Each module NAME_peer.py
has CALLS, functions that make a call from a problem, and about(), its versions."""

import importlib
import json
import os
import resource
import sys
import time

import numpy as np


class Problem:
    """The arrays and options of a comparison."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.threads = arguments["threads"]
        self.x = np.load(arguments["data"]) if "data" in arguments else None
        self.centers = np.load(arguments["centers"]) if "centers" in arguments else None
        self.details = {}  # what a call wants to have told

    def __getattr__(self, name):
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(name) from None


def blas():
    from threadpoolctl import threadpool_info
    return sorted({f"{pool['internal_api']} {pool.get('version') or ''} {pool.get('architecture') or ''}".strip()
                   for pool in threadpool_info()})


def main():
    problem = Problem(json.loads(sys.argv[2]))
    try:
        peer = importlib.import_module(sys.argv[1] + "_peer")
        call = peer.CALLS[problem.call](problem)
    except (ImportError, OSError) as error:
        print(f"not installed: {error}", flush=True)
        return 1
    result, first = None, 0.0
    if problem.arguments.get("warm_up", True):
        start = time.perf_counter()
        result = call()
        first = time.perf_counter() - start
    print("ready", first, flush=True)
    for line in sys.stdin:
        seconds = []
        for _ in range(int(line)):
            start = time.perf_counter()
            result = call()
            seconds.append(time.perf_counter() - start)
        print(*seconds, flush=True)
    labels = problem.arguments.get("labels")
    if labels and result is not None:
        np.save(labels, np.asarray(result).astype(np.int64).ravel())
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if "OPENBLAS_CORETYPE" in os.environ:
        problem.details["openblas_coretype"] = os.environ["OPENBLAS_CORETYPE"]
    print(json.dumps({"versions": peer.about(), "blas": blas(), "max_rss_bytes": usage, **problem.details}), flush=True)
    # Runtimes of threads may not agree on who ends first.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
