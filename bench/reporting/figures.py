"""The figures of docs/performance.md, by matplotlib: figures.py RESULTS.json FOLDER"""

import os
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

import page  # noqa: E402
from results import Results  # noqa: E402

# The same file for the same results.
plt.rcParams.update({"svg.hashsalt": "tessera", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
                     "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False})


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name + ".svg"), metadata={"Date": None})
    plt.close(figure)


def finish(axes, **settings):
    """Scales and texts; nothing has a scale where nothing was measured."""
    if not axes.lines:
        settings = {key: value for key, value in settings.items() if not key.endswith("scale")}
    axes.set(**settings)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)


def grid(results, folder):
    sizes = [size for size in (page.HEAVY, page.CYTHON)
             if page.measured(results, "assign-grid", size, schedule="gram_tiled")] or [page.CYTHON]
    figure, panels = plt.subplots(2, len(sizes), figsize=(4.6 * len(sizes), 5.6), squeeze=False)
    for column, size in enumerate(sizes):
        above, below = panels[0][column], panels[1][column]
        for mode, line in (("eager", "-"), ("compiled", "--")):
            rows = page.measured(results, "assign-grid", size, schedule="gram_tiled", mode=mode)
            for i, centers in enumerate(sorted({row["tile_centers"] for row in rows})):
                some = sorted((row for row in rows if row["tile_centers"] == centers),
                              key=lambda row: row["tile_samples"])
                x = [row["tile_samples"] for row in some]
                options = {"label": f"{centers} centers, {mode}", "color": f"C{i}", "linestyle": line, "marker": "o",
                           "markersize": 3}
                above.plot(x, [row["seconds"]["median"] for row in some], **options)
                below.plot(x, [row["peak_bytes"] / 2 ** 20 for row in some], **options)
        product = results.one("assign-grid", schedule="product", mode="eager", **page.sized(size))
        if product:
            above.axhline(product["seconds"]["median"], color="grey", linewidth=1, label="the product alone")
        finish(above, xscale="log", xlabel="samples a tile", ylabel="seconds", ylim=(0, None), title=page.NAMES[size])
        finish(below, xscale="log", yscale="log", xlabel="samples a tile", ylabel="peak, MiB")
    save(figure, folder, "grid")


def scaling(results, folder):
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.4))
    fixed = (("n", {"k": 256, "d": 256}), ("k", {"n": 65536, "d": 256}), ("d", {"n": 65536, "k": 256}))
    names = {"n": "samples", "k": "clusters", "d": "features"}
    for axes, (what, others) in zip(panels, fixed):
        for schedule in ("assign as fit does", "step"):
            rows = [row for row in results.find("lloyd", schedule=schedule, mode="eager", **others)
                    if row["size"] == "custom"]
            rows.sort(key=lambda row: row[what])
            if not rows:
                continue
            axes.plot([row[what] for row in rows], [row["seconds"]["median"] for row in rows], marker="o", markersize=3,
                      label={"step": "whole step"}.get(schedule, "assignment"))
        finish(axes, xscale="log", yscale="log", xlabel=names[what], ylabel="seconds")
    axes = panels[3]
    for size in (page.CYTHON, page.LOW_D):
        found = {}
        for row in results.rows:
            if row["question"] == "lloyd" and row["schedule"] == "step" and "seconds" in row \
                    and row["mode"] == "eager" and (row["n"], row["k"], row["d"]) == size:
                found[row["machine"]["threads"]] = row["seconds"]["median"]
        if 1 in found:
            counts = sorted(found)
            axes.plot(counts, [found[1] / found[count] for count in counts], marker="o", markersize=3,
                      label=f"step, {page.NAMES[size]}")
    peaks = {row["n"]: row["gflops"] for row in results.rows if row.get("operation") == "machine multiply-add"}
    if 1 in peaks:
        axes.plot(sorted(peaks), [peaks[count] / peaks[1] for count in sorted(peaks)], color="grey",
                  label="plain multiply-adds")
    finish(axes, xlabel="threads", ylabel="gain", ylim=(0, None))
    save(figure, folder, "scaling")


def peak(results, folder):
    bars = []
    for row in results.find("kernels", mode="eager", **page.sized(page.CYTHON)):
        if "share_of_peak" in row and row["share"] >= 0.02:
            bars.append((f"{row['operation'].split('/')[0]} in {row['schedule']} ({row['bound']})",
                         row["share_of_peak"], "C0"))
    for row in results.find("ops", n=100_000_000):
        if "share_of_copy" in row:
            bars.append((f"{row['operation']}, {row['mode']}, of a copy", row["share_of_copy"],
                         "C1" if row["mode"] == "eager" else "C2"))
    for row in results.find("ops", operation="matmul square"):
        if "share_of_peak" in row:
            bars.append((f"matmul, side {row['n']}, of multiply-adds", row["share_of_peak"], "C3"))
    figure, axes = plt.subplots(figsize=(7, 0.22 * max(len(bars), 4) + 0.8))
    places = range(len(bars), 0, -1)
    axes.barh(list(places), [share for _, share, _ in bars], color=[color for *_, color in bars], height=0.7)
    axes.set_yticks(list(places), [name for name, *_ in bars], fontsize=7)
    axes.axvline(1, color="grey", linewidth=1)
    axes.set(xlabel="share of the machine's peak, 65536 x 1024 x 2048 and 10^8 elements")
    axes.grid(axis="y", visible=False)
    save(figure, folder, "peak")


def main():
    results = Results.load(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    grid(results, sys.argv[2])
    scaling(results, sys.argv[2])
    peak(results, sys.argv[2])


if __name__ == "__main__":
    main()
