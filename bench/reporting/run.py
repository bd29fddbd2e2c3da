"""Measures what steps.py lists, keeps what it finds after each step, and writes results, page and figures.
See bench/report."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import page
import targets
from results import Results
from steps import steps

BENCH = os.environ.get("TESSERA_BENCH", "build/release/bin/tessera-bench")
RESULTS = "bench/results"


def say(text):
    print(f"-- {text}", flush=True)


def take(step, folder, arguments, seconds):
    """Runs one step, at most `seconds` long. Whether it ended well."""
    threads = step.threads or arguments.threads
    if step.peers:
        command = ["bench/peers/compare", "--venv", arguments.venv, step.peers, "--json",
                   os.path.join(folder, "beside.json")]
    else:
        command = [BENCH, *step.bench, "--device", arguments.device, "--json", os.path.join(folder, "rows.json")]
    command += ["--threads", str(threads)]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(timeout=seconds) == 0
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as stop:
        os.killpg(process.pid, 15)  # the sides of a comparison, too: they are its children
        process.wait()
        if isinstance(stop, KeyboardInterrupt):
            raise
        say(f"{step.name}: stopped, its time is over")
        return False


def read(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path) as file:
        return json.load(file)


def measure(arguments, folder):
    """Takes the steps that are wanted, not taken yet, and fit into the time."""
    path = os.path.join(folder, "steps.json")
    taken = read(path, {})
    left_out = []
    began = time.monotonic()
    for step in steps(arguments.threads):
        if step.name in taken or (arguments.steps and not any(text in step.name for text in arguments.steps)):
            continue
        if step.peers and not arguments.venv:
            left_out.append(step.name)
            continue
        left = 60 * arguments.budget - (time.monotonic() - began)
        if 60 * (step.least or step.minutes) > left:
            left_out.append(step.name)
            continue
        say(f"{step.name} ({(time.monotonic() - began) / 60:.1f} of {arguments.budget:g} minutes)")
        start = time.monotonic()
        # A step that hangs must not take the time of all others.
        most = min(left, 60 * (step.most or 3 * step.minutes + 2))
        try:
            whole = take(step, folder, arguments, most)
        except KeyboardInterrupt:  # what is there is kept, and becomes the page
            left_out.append(step.name)
            arguments.budget = 0
            continue
        if whole or step.most:
            taken[step.name] = round(time.monotonic() - start, 1)
            with open(path, "w") as file:
                json.dump(taken, file, indent=1)
        else:
            left_out.append(step.name)
    if left_out:
        say("not measured, a second run takes them up: " + ", ".join(left_out))
    return taken, left_out


def latest(rows):
    """Of rows that answer the same question, the last: a file may hold those of an earlier version, too."""
    def identity(row):
        kept = ("question", "device", "mode", "schedule", "n", "k", "d", "tile_samples", "tile_centers", "operation",
                "source")
        return json.dumps([row.get(key) for key in kept] + [row["machine"]["threads"]])
    return list({identity(row): row for row in rows}.values())


def main():
    parser = argparse.ArgumentParser(prog="bench/report", description=__doc__)
    parser.add_argument("--device", default="cpu", help="whose page is docs/performance.md; another has no peers")
    parser.add_argument("--name", help="of the results: bench/results/NAME.json; else the device's")
    parser.add_argument("--budget", type=float, default=60, help="minutes; steps that do not fit are left out")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--venv", default="build/peers-venv", help="with the peers and matplotlib; made at first")
    parser.add_argument("--no-peers", action="store_true", help="measures Tessera alone, without a virtual environment")
    parser.add_argument("--steps", nargs="*", help="only steps whose names contain one of these words")
    parser.add_argument("--list", action="store_true", help="lists the steps and their minutes")
    parser.add_argument("--fresh", action="store_true", help="forgets what an earlier run of that name measured")
    parser.add_argument("--page-only", action="store_true", help="measures nothing: page, figures and targets anew")
    arguments = parser.parse_args()
    if arguments.list:
        for step in steps(arguments.threads):
            print(f"{step.minutes:6.1f} min  {step.name}")
        print(f"{sum(step.minutes for step in steps(arguments.threads)):6.1f} min  all")
        return 0
    arguments.name = arguments.name or arguments.device.replace(":", "-")
    if arguments.no_peers or arguments.device != "cpu":
        arguments.venv = ""

    os.makedirs(RESULTS, exist_ok=True)
    results_path = os.path.join(RESULTS, arguments.name + ".json")
    if not arguments.page_only:
        folder = os.path.join("build/report", arguments.name)
        if arguments.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder, exist_ok=True)
        taken, left_out = measure(arguments, folder)
        rows = latest(read(os.path.join(folder, "rows.json"), []))
        if not rows:
            say("no row was measured")
            return 1
        about = {"command": f"bench/report --device {arguments.device} --threads {arguments.threads}",
                 "device": arguments.device, "threads": arguments.threads,
                 "minutes": round(sum(taken.values()) / 60, 1), "left_out": left_out,
                 **surroundings()}
        Results(about, rows, read(os.path.join(folder, "beside.json"), [])).save(results_path)
        say(f"wrote {results_path}")
    results = Results.load(results_path)
    page_path = "docs/performance.md" if arguments.name == "cpu" else os.path.join("build/report", arguments.name + ".md")
    os.makedirs(os.path.dirname(page_path), exist_ok=True)
    with open(page_path, "w") as file:
        file.write(page.text(results))
    say(f"wrote {page_path}")
    if arguments.name == "cpu":
        draw(arguments.venv, results_path)
    print(targets.table(results))
    return 0


def surroundings():
    """What surrounds the rows: system and compiler."""
    with open("/etc/os-release") as file:
        system = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return {"system": system["PRETTY_NAME"].strip('"'), "compiler": compiler}


def draw(venv, results_path):
    python = os.path.join(venv, "bin/python") if venv else sys.executable
    done = subprocess.run([python, "bench/reporting/figures.py", results_path, "docs/figures"], check=False)
    say("drew docs/figures" if done.returncode == 0 else "no figures: matplotlib is missing, or see above")


if __name__ == "__main__":
    sys.exit(main())
