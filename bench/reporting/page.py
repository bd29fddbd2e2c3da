"""docs/performance.md from the results of a run: the same text for the same file. Needs the standard library alone.
    python3 bench/reporting/page.py bench/results/cpu.json > docs/performance.md"""

import collections
import math
import sys

import targets
from results import Results

HEAVY, CYTHON, LOW_D = (65536, 4096, 16384), (65536, 1024, 2048), (196608, 256, 64)
RGB, INIT, SEEDING = (270000, 1024, 3), (65536, 1024, 8192), (65536, 256, 1024)
LIMITS = "cpu-device.md#what-limits-it"  # written by hand
NAMES = {HEAVY: "feature-heavy", CYTHON: "cython", LOW_D: "low-d", RGB: "rgb", INIT: "init", SEEDING: "seeding"}


def seconds(value):
    if value is None:
        return ""
    if value < 1e-6:
        return f"{value * 1e9:.3g} ns"
    if value < 1e-3:
        return f"{value * 1e6:.3g} us"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def mebibytes(value):
    return "" if value is None else f"{value / 2 ** 20:.4g}"


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}"


def table(head, rows):
    """Markdown; nothing where there are no rows."""
    if not rows:
        return "Not measured in this run.\n"
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def title(size):
    return f"`{NAMES[size]}`, {' x '.join(map(str, size))}"


def sized(size):
    return dict(zip("nkd", size))


def median(row):
    if row is None:
        return ""
    if "unsupported" in row:
        return "-"
    scaled = " (scaled)" if "scaled" in row else ""
    return seconds(row["seconds"]["median"]) + scaled


def spread(row):
    return f"{seconds(row['seconds']['min'])} .. {seconds(row['seconds']['max'])}"


def measured(results, question, size, **wanted):
    return [row for row in results.find(question, **sized(size), **wanted) if "unsupported" not in row]


def fastest(rows):
    """The row of the least median, or nothing."""
    return min((row for row in rows if "seconds" in row), key=lambda row: row["seconds"]["median"], default=None)


def with_tiles(row):
    tiles = " x ".join(str(row[key]) for key in ("tile_samples", "tile_centers") if key in row)
    return f"{row['schedule']} {tiles}, {row['mode']}"


# ---- sections, in order

def grid(results, size):
    eager = measured(results, "assign-grid", size, mode="eager")
    rows = []
    for row in sorted(eager, key=lambda row: (row["schedule"] != "product", row["schedule"] != "gram",
                                              row.get("tile_samples", 0), row.get("tile_centers", 0))):
        tiles = f"{row['tile_samples']} x {row['tile_centers']}" if "tile_samples" in row else ""
        other = results.one("assign-grid", **sized(size), mode="compiled", schedule=row["schedule"],
                            tile_samples=row.get("tile_samples"), tile_centers=row.get("tile_centers"))
        rows.append([row["schedule"], tiles, median(row), spread(row), seconds(row.get("first_call_seconds")),
                     number(row["gflops"]), mebibytes(row["peak_bytes"]), mebibytes(row.get("predicted_peak_bytes")),
                     row.get("labels_differ", ""), median(other),
                     seconds(other.get("compile_seconds")) if other else "",
                     mebibytes(other["peak_bytes"]) if other else "", other["labels_differ"] if other else ""])
    return f"### {title(size)}\n\n" + table(
        ["schedule", "tile: samples x centers", "eager", "least .. most", "first call", "GFLOP/s", "peak MiB",
         "formula MiB", "labels differ", "compiled", "compiling", "peak MiB", "labels differ"],
        rows) + grid_summary(results, size)


def grid_summary(results, size):
    """The fastest tiles beside the full Gram."""
    best = [fastest(measured(results, "assign-grid", size, schedule="gram_tiled", mode=mode))
            for mode in ("eager", "compiled")]
    full = results.one("assign-grid", **sized(size), schedule="gram", mode="eager")
    told = [f"{with_tiles(row)}, {median(row)} at {mebibytes(row['peak_bytes'])} MiB" for row in best if row]
    if not told or not full:
        return ""
    return (f"\nThe fastest tiles: {'; '.join(told)}. The eager full Gram: {median(full)} at "
            f"{mebibytes(full['peak_bytes'])} MiB.\n")


def running_summary(results, size):
    """The fastest running tile beside the fastest Gram tile."""
    best = fastest(measured(results, "running", size))
    gram = fastest(measured(results, "assign-grid", size, schedule="gram_tiled"))
    if not best or not gram:
        return ""
    times = best["seconds"]["median"] / gram["seconds"]["median"]
    return (f"\nThe fastest, {with_tiles(best)}, takes {times:.3g} x the time of the fastest Gram tiles, "
            f"{with_tiles(gram)}.\n")


def running(results, size):
    rows = []
    for row in sorted(measured(results, "running", size, mode="eager"),
                      key=lambda row: (row["tile_centers"], row["schedule"])):
        other = results.one("running", **sized(size), mode="compiled", schedule=row["schedule"],
                            tile_centers=row["tile_centers"])
        rows.append([row["tile_centers"], "inside" if row["schedule"].endswith("inside") else "outside", median(row),
                     mebibytes(row["peak_bytes"]), mebibytes(row["predicted_peak_bytes"]), row["labels_differ"],
                     median(other), seconds(other.get("compile_seconds")) if other else "",
                     mebibytes(other["peak_bytes"]) if other else "",
                     mebibytes(other["predicted_peak_bytes"]) if other else ""])
    return f"### {title(size)}\n\n" + table(
        ["centers a tile", "merge", "eager", "peak MiB", "formula MiB", "labels differ", "compiled", "compiling",
         "peak MiB", "formula MiB"], rows) + running_summary(results, size)


def covering(results, size, schedule, mode):
    """How often a tile's function is called for all samples and centers, and how long that takes."""
    whole = results.one("kernels", **sized(size), mode=mode, schedule=schedule, operation="all")
    n, k, _ = size
    calls = {"gram tile": math.ceil(n / 4096) * math.ceil(k / 1024)}.get(schedule)
    if schedule.startswith("running tile"):
        calls = math.ceil(k / 32)
    if not whole or not calls:
        return ""
    return f"\nAll samples and centers take {calls} such calls, {seconds(calls * whole['seconds']['median'])}.\n"


def kernels(results, size, mode):
    parts = []
    schedules = list(dict.fromkeys(row["schedule"] for row in measured(results, "kernels", size, mode=mode)))
    for schedule in schedules:
        rows = [row for row in measured(results, "kernels", size, mode=mode, schedule=schedule)
                if row["operation"] != "all" and row["share"] >= 0.005]
        rows.sort(key=lambda row: -row["share"])
        parts.append(f"{title(size)}, {schedule}, {mode}:\n\n" + table(
            ["operation / kernel", "calls", "time", "share", "MB", "GB/s", "GFLOP/s", "share of the machine's peak"],
            [[row["operation"], row["calls"], seconds(row["seconds"]["median"]), f"{row['share']:.1%}",
              number(row["bytes"] / 1e6), number(row["gigabytes_per_second"]), number(row.get("gflops")),
              f"{row['share_of_peak']:.0%} of {row['bound']}"] for row in rows])
                     + covering(results, size, schedule, mode))
    return "\n".join(parts)


def lloyd(results, size):
    rows = []
    for row in measured(results, "lloyd", size, mode="eager"):
        tiles = " x ".join(str(row[key]) for key in ("tile_samples", "tile_centers") if key in row)
        # What a fit does chooses its tiles by the mode.
        same_tiles = {key: row.get(key) for key in ("tile_samples", "tile_centers")
                      if row["schedule"] not in ("assign as fit does", "step")}
        other = results.one("lloyd", **sized(size), mode="compiled", schedule=row["schedule"], **same_tiles)
        rows.append([row["schedule"], tiles, median(row), spread(row), mebibytes(row["peak_bytes"]),
                     mebibytes(row.get("predicted_peak_bytes")), row.get("labels_differ", ""), median(other),
                     mebibytes(other["peak_bytes"]) if other else "",
                     other.get("labels_differ", "") if other else ""])
    return f"### {title(size)}\n\n" + table(
        ["phase", "tile", "eager", "least .. most", "peak MiB", "formula MiB", "labels differ", "compiled", "peak MiB",
         "labels differ"], rows)


def init(results, size):
    rows = [[row["schedule"], median(row), number(row["gigabytes_per_second"]), mebibytes(row["peak_bytes"]),
             mebibytes(row["predicted_peak_bytes"])] for row in measured(results, "init", size, mode="eager")]
    return f"### {title(size)}\n\n" + table(
        ["version", "time", "samples read once a center, GB/s", "peak MiB", "formula MiB"], rows)


def fits(results):
    rows = [[row["source"]["samples"].split("/")[-1], f"{row['n']} x {row['k']} x {row['d']}", row["schedule"],
             median(row), "yes" if row.get("assign_compiled") else "no", row["n_iter"],
             number(row["inertia"], 6), mebibytes(row["peak_bytes"])]
            for row in results.find("fit", mode="eager") if "unsupported" not in row]
    return table(["samples", "n x k x d", "fit", "time", "compiled", "iterations", "inertia", "peak MiB"], rows)


def operations(results):
    rows = []
    found = [row for row in results.find("ops") if "unsupported" not in row]
    largest = max((row["n"] for row in found if "share_of_copy" in row), default=0)
    for row in found:
        if row["n"] != largest:
            continue
        rows.append([row["operation"], row["mode"] if "seconds" in row else "", median(row) if "seconds" in row else "",
                     number(row.get("gigabytes_per_second")),
                     f"{row['share_of_copy']:.0%}" if "share_of_copy" in row else "",
                     f"{row['share_of_read']:.0%}" if "share_of_read" in row else ""])
    parts = [f"On {largest} float32 elements:\n\n" + table(
        ["operation", "mode", "time", "GB/s", "of a copy", "of reading"], rows)]
    rest = [[row["operation"], row["n"], seconds(row["seconds"]["median"]) if "seconds" in row else "",
             number(row.get("gflops")), f"{row['share_of_peak']:.0%}" if "share_of_peak" in row else ""]
            for row in found if row["operation"] in ("matmul square", "machine multiply-add")
            or row["operation"].endswith("of 4")]
    parts.append("Products by their side, multiply-adds by their threads, and what a call costs:\n\n" + table(
        ["operation", "size", "time", "GFLOP/s", "of multiply-adds"], rest))
    return "\n".join(parts)


def scaling(results):
    rows = []
    for what, fixed in (("n", {"k": 256, "d": 256}), ("k", {"n": 65536, "d": 256}), ("d", {"n": 65536, "k": 256})):
        found = [row for row in results.find("lloyd", mode="eager", schedule="assign as fit does", **fixed)
                 if row["size"] == "custom"]
        for row in sorted(found, key=lambda row: row[what]):
            step = results.one("lloyd", mode="eager", schedule="step", n=row["n"], k=row["k"], d=row["d"])
            rows.append([what, row[what], median(row), number(row["gflops"]), median(step)])
    made = "65536 x 256 x 256, one number at a time changed:\n\n" + table(
        ["changed", "to", "assignment", "GFLOP/s", "whole step"], rows)
    rows = []
    for size in (CYTHON, LOW_D):
        counts = sorted({row["machine"]["threads"] for row in results.rows
                         if row["question"] == "lloyd" and (row["n"], row["k"], row["d"]) == size})
        for schedule in ("assign as fit does", "step"):
            alone = results.seconds("lloyd", threads=1, schedule=schedule, mode="eager", **sized(size))
            for count in counts:
                row = results.one("lloyd", threads=count, schedule=schedule, mode="eager", **sized(size))
                if row:
                    rows.append([NAMES[size], schedule, count, median(row),
                                 number(targets.ratio(alone, row["seconds"]["median"]))])
    plain = targets.multiply_add_gain(results)
    note = f"\nPlain multiply-adds gained {plain:.3g}.\n" if plain else ""
    return made + "\nThreads:\n\n" + table(["size", "what", "threads", "time", "gain"], rows) + note


def comparison(record):
    """A table of one record: ours first, then the peers, the fastest first."""
    sides = record["sides"]
    own = [side for side in sides if side["peer"] == "tessera"]
    best = min((side["seconds"]["median"] for side in own if "product alone" not in side["name"]), default=None)
    rows = []
    for side in own + sorted((side for side in sides if side["peer"] != "tessera"),
                             key=lambda side: side["seconds"]["median"]):
        differ = side.get("labels_differ")
        rows.append([side["name"], seconds(side["seconds"]["median"]), spread(side),
                     number(targets.ratio(side["seconds"]["median"], best)),
                     seconds(side.get("first_call_seconds")), mebibytes(side.get("peak_bytes")),
                     mebibytes(side.get("thread_local_bytes")), mebibytes(side.get("max_rss_bytes")),
                     f"{differ['count']} of {differ['of']}" if differ else ""])
    text = f"### {record['text']}, {record['n']} x {record['k']} x {record['d']}\n\n"
    once = "; each peer once" if record.get("peers_once") else ""
    text += f"{record['rounds']} turns of {record['calls']} calls{once}, {record['threads']} threads.\n\n"
    text += table(["side", "median", "least .. most", "time over our best", "first call", "peak MiB",
                   "thread-local MiB", "process MiB", "labels differ"], rows)
    text += explained(sides)
    for side in record["missing"]:
        text += f"\nMissing: {side['name']} ({side['reason']}).\n"
    return text


def explained(sides):
    """Each row whose labels differ, by its two distances; sides that differ alike share a table."""
    groups = []
    for side in sides:
        differ = side.get("labels_differ", {})
        if not differ.get("count") or "rows" not in differ:
            continue
        alike = next((names for names, other in groups if other == differ), None)
        if alike:
            alike.append(side["name"])
        else:
            groups.append(([side["name"]], differ))
    text = ""
    for names, differ in groups:
        listed = "" if differ["count"] == len(differ["rows"]) else f" (the first {len(differ['rows'])} are listed)"
        text += (f"\nRows that have another label{listed}, with squared distances in float64; "
                 f"{differ['within_rounding']} of {differ['count']} are ties within the rounding of a float32 product. "
                 f"Theirs: {', '.join(names)}.\n\n")
        text += table(["row", "our label", "its distance", "their label", "its distance"],
                      [[row["row"], row["ours"], f"{row['our_distance']:.9g}", row["theirs"],
                        f"{row['their_distance']:.9g}"] for row in differ["rows"]])
    return text


def rival(record, side):
    """Ours that a peer's side is measured against: the same schedule if there is one, else the best assignment, step
    or fit; nothing for a product that has no counterpart."""
    own = [other for other in record["sides"] if other["peer"] == "tessera"]
    same = [other for other in own if other["name"].split(" ", 1)[1] == side["name"].split(" ", 1)[1]]
    if not same and "product alone" in side["name"]:
        return None
    best = same or [other for other in own if "product alone" not in other["name"] and other["name"] != "tessera copy"]
    return min(best, key=lambda other: other["seconds"]["median"], default=None)


def losses(results):
    """Where a peer was faster than the same of ours, or than our best, and aims that were missed."""
    lines = []
    for record in results.beside:
        for side in record["sides"]:
            ours = None if side["peer"] == "tessera" else rival(record, side)
            if ours and ours["seconds"]["median"] > side["seconds"]["median"]:
                lines.append(f"- {record['text']}, {record['n']} x {record['k']} x {record['d']}: {side['name']} took "
                             f"{seconds(side['seconds']['median'])}, {ours['name']} "
                             f"{seconds(ours['seconds']['median'])}, "
                             f"{ours['seconds']['median'] / side['seconds']['median']:.3g} x its time.")
    lines += [f"- Aim missed: {text}: {reached}, aimed at {aim}; [what limits it]({LIMITS})."
              for text, aim, reached, met in targets.lines(results) if met == "NO"]
    return "\n".join(lines) + "\n" if lines else "Nowhere in this run: no peer was faster, and no aim was missed.\n"


def machine(results):
    about, first = results.about, results.rows[-1]["machine"]
    commits = collections.Counter(row["machine"]["commit"] for row in results.rows)
    rows = [["processor", f"{first['processor']}, {first['cores']} cores"], ["system", about.get("system", "")],
            ["compiler", about.get("compiler", "")], ["device", first["device"]],
            *[[key, value] for key, value in first["details"].items()
              if key in ("features", "vector kernels", "threads", "products")],
            ["commit", ", ".join(f"{commit} ({count} rows)" for commit, count in commits.most_common())]]
    versions, kernels = {}, set()
    for record in results.beside:
        for side in record["sides"]:
            versions.update(side.get("versions", {}))
            kernels.update(side.get("blas", []))
    rows += [[key, value] for key, value in sorted(versions.items())]
    if kernels:
        rows.append(["threads and BLAS of the peers, with their kernels", ", ".join(sorted(kernels))])
    return table(["what", "which"], rows)


def figure(name, text):
    return f"![{text}](figures/{name}.svg)\n"


def text(results):
    beside = {record["name"]: record for record in results.beside}

    def compared(*names):
        return "\n".join(comparison(beside[name]) for name in names if name in beside)

    aims = table(["aim", "at", "reached", "met"], [list(line) for line in targets.lines(results)])
    left_out = results.about.get("left_out") or []
    parts = [
        "# Performance\n",
        f"Made by `{results.about['command']}` from `bench/results/`; do not change it by hand. Float32, device "
        f"`{results.about.get('device', 'cpu')}`, {results.about['threads']} threads; medians after a warm-up. Machines "
        "differ, and drift: ratios within one run are of use, and seconds only beside each other.\n",
        "```\nbench/report --list            # what it measures, with the minutes of each step\n"
        "bench/report --budget 60       # all of it, this page and its figures\n"
        "bench/peers/compare --help     # one comparison alone\n"
        "build/release/bin/tessera-bench --help\n```\n",
        "## The machine\n", machine(results),
        "## Aims\n", "Speeds are ratios of medians of figures measured in turn, where both sides are in one table.\n", aims,
        "## Where we lose\n", losses(results),
        "## Gram tiles\n",
        "Sample tiles by center tiles; `gram` is the whole product at once, `product` that product alone, its output "
        "warm. Compiled, the function of one tile is compiled and the loops stay outside; the full Gram is compiled "
        "whole. The formula of the peak: a tile of distances, 24 bytes a sample, 1 MiB. Labels are compared with those "
        "of the eager full Gram. At `feature-heavy` each row is one call after one warm-up for all.\n",
        grid(results, HEAVY), grid(results, CYTHON), figure("grid", "Time and peak over the tiles"),
        "## Running minima\n",
        "Direct differences, a tile of centers at a time. Scaled rows timed the first 64 centers.\n",
        running(results, HEAVY), running(results, CYTHON), running(results, LOW_D), compared("running-low-d"),
        "## Kernels\n",
        "By the profiler, each kernel waited for; kernels under half a percent are left out. The peak is that of plain "
        "loops in the same run: copying or reading for bandwidth, multiply-adds for arithmetic.\n",
        *[kernels(results, size, mode) for size in (HEAVY, CYTHON, LOW_D, SEEDING) for mode in ("eager", "compiled")],
        figure("peak", "Share of the machine's peak"),
        "## Lloyd step\n",
        "Assignment and update apart, each with a peak of its own. `step` is what a fit makes in an iteration, "
        "its assignment eager or compiled; which of both a fit takes is its own choice.\n",
        lloyd(results, HEAVY), lloyd(results, CYTHON), lloyd(results, LOW_D), lloyd(results, RGB),
        "## The same arrays through others\n",
        "A process a side, in turn, each with the same number of threads. The release of scikit-learn stands in for the "
        "branch of its Lloyd iteration in chunks of 256 samples (cakedev0/scikit-learn, pull request 26), with which "
        "this schedule was first compared: the released kernel has the same chunks. Its thread-local memory is a chunk "
        "of distances and the sums of the centers for each thread; the process is its most resident memory.\n",
        compared("assign-cython", "step-cython", "assign-low-d", "step-low-d", "assign-rgb", "assign-feature-heavy",
                 "torch-cython"),
        "## k-means++\n",
        "Norms once and candidates by `take`, and the first version, which multiplies x by x again for every center and "
        "has the candidates' indices on the host.\n",
        init(results, INIT), init(results, SEEDING), compared("seeding", "seeding-small"),
        "## Whole fits\n", fits(results),
        compared(*[name for name in beside if name.startswith(("fit-", "ten-"))]),
        "## Operations\n", operations(results), compared("add-4", "expression"),
        "## Scaling\n", scaling(results), figure("scaling", "Scaling in samples, clusters, features and threads"),
    ]
    if left_out:
        parts += ["## Not measured\n", "Steps without time in this run: " + ", ".join(left_out) + ".\n"]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


if __name__ == "__main__":
    sys.stdout.write(text(Results.load(sys.argv[1])))
