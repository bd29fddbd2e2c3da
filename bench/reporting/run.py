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


class Unusable(Exception):
    """A file that cannot be read, and why."""


def read(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    try:
        with open(path) as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise Unusable(f"{path} cannot be read ({error}); move it away, or take --fresh") from None
    if not isinstance(found, type(otherwise)):
        raise Unusable(f"{path} holds no {type(otherwise).__name__}; move it away, or take --fresh")
    return found


def load(path):
    """The results of an earlier run, with at least one row."""
    try:
        results = Results.load(path)
    except FileNotFoundError:
        raise Unusable(f"there are no results {path}; measure first, or see --name") from None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Unusable(f"{path} holds no results of bench/report ({type(error).__name__}: {error})") from None
    if not results.rows:
        raise Unusable(f"{path} holds no rows")
    return results


def chosen(arguments):
    """The steps that are asked for."""
    return [step for step in steps(arguments.threads)
            if not arguments.steps or any(text in step.name for text in arguments.steps)]


def missing(arguments, taken):
    """The names of steps without figures, chosen or not; only the cpu has peers."""
    return [step.name for step in steps(arguments.threads)
            if step.name not in taken and not (step.peers and arguments.device != "cpu")]


def would_lose(path):
    """Whether a file of results has rows already. One that cannot be read is not overwritten in silence, either."""
    if not os.path.exists(path):
        return False
    try:
        return bool(load(path).rows)
    except Unusable:
        return True


def measure(arguments, folder):
    """Takes the steps that are wanted, not taken yet, and fit into the time."""
    path = os.path.join(folder, "steps.json")
    before = read(path, {"threads": arguments.threads, "seconds": {}})
    if before.get("threads") != arguments.threads:
        raise Unusable(f"{path} is not of a run with {arguments.threads} threads; take --fresh, or another --name")
    taken = before["seconds"]
    left_out = []
    began = time.monotonic()
    for step in chosen(arguments):
        if step.name in taken:
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
        most = min(left, 60 * (3 * step.minutes + 2))
        try:
            whole = take(step, folder, arguments, most)
        except KeyboardInterrupt:  # what is there is kept, and becomes the page
            left_out.append(step.name)
            arguments.budget = 0
            continue
        if whole:
            taken[step.name] = round(time.monotonic() - start, 1)
            with open(path, "w") as file:
                json.dump({"threads": arguments.threads, "seconds": taken}, file, indent=1)
        else:
            left_out.append(step.name)
    if left_out:
        say("not measured, a second run takes them up: " + ", ".join(left_out))
    return taken


def latest(rows):
    """Of rows that answer the same question, the last: a file may hold those of an earlier version, too."""
    def identity(row):
        kept = ("question", "device", "mode", "schedule", "n", "k", "d", "tile_samples", "tile_centers", "operation",
                "source")
        return json.dumps([row.get(key) for key in kept] + [row["machine"]["threads"]])
    return list({identity(row): row for row in rows}.values())


def parsed():
    parser = argparse.ArgumentParser(prog="bench/report", description=__doc__, allow_abbrev=False)
    parser.add_argument("--device", default="cpu", help="whose page is docs/performance.md; another has no peers")
    parser.add_argument("--name", help="of the results: bench/results/NAME.json; else the device's")
    parser.add_argument("--budget", type=float, default=60,
                        help="minutes; steps that do not fit are left out, and 0 writes what is there")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--venv", default="build/peers-venv", help="with the peers and matplotlib; made at first")
    parser.add_argument("--no-peers", action="store_true", help="measures Tessera alone, without a virtual environment")
    parser.add_argument("--steps", nargs="+", metavar="WORD", help="only steps whose names contain one of these words")
    parser.add_argument("--list", action="store_true", help="lists the steps and their minutes")
    parser.add_argument("--fresh", action="store_true", help="forgets what an earlier run of that name measured")
    parser.add_argument("--page-only", action="store_true", help="measures nothing: page, figures and targets anew")
    parser.add_argument("--publish", action="store_true",
                        help="overwrites bench/results/NAME.json, page and figures even where steps are missing; without "
                        "it such a run writes build/report/NAME.json and NAME.md if there are results already")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # the arguments alone, before a build
    arguments = parser.parse_args()
    if not 0 <= arguments.budget < float("inf"):
        parser.error(f"--budget {arguments.budget:g}: expected minutes, or 0 to write what is there")
    if arguments.name and (os.sep in arguments.name or arguments.name.startswith(".")):
        parser.error(f"--name {arguments.name}: expected a name, not a path")
    if arguments.threads < 1:
        parser.error(f"--threads {arguments.threads}: expected a whole number >= 1")
    for word in arguments.steps or []:
        if not any(word in step.name for step in steps(arguments.threads)):
            parser.error(f"--steps {word}: no step's name contains it; bench/report --list shows them")
    arguments.name = arguments.name or arguments.device.replace(":", "-")
    if arguments.no_peers or arguments.device != "cpu":
        arguments.venv = ""
    return arguments


def write_results(arguments):
    """Measures, and writes what there is. The path, and whether these are the published results."""
    path = os.path.join(RESULTS, arguments.name + ".json")
    folder = os.path.join("build/report", arguments.name)
    if arguments.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    for name in ("rows.json", "beside.json"):
        read(os.path.join(folder, name), [])  # said now, if it cannot be read
    taken = measure(arguments, folder)
    rows, beside = (read(os.path.join(folder, name), []) for name in ("rows.json", "beside.json"))
    if not rows:
        raise Unusable("no row was measured")
    gone = missing(arguments, taken)
    published = arguments.publish or not gone or not would_lose(path)
    if not published:
        say(f"{len(gone)} steps are missing: {path} and its page are left as they are; --publish overwrites them")
        path = folder + ".json"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    about = {"command": f"bench/report --device {arguments.device} --threads {arguments.threads}",
             "device": arguments.device, "threads": arguments.threads,
             "minutes": round(sum(taken.values()) / 60, 1), "left_out": gone, **surroundings()}
    # Of comparisons, too, the last; none of another number of threads.
    beside = {record["name"]: record for record in beside if record["threads"] == arguments.threads}
    Results(about, latest(rows), list(beside.values())).save(path)
    say(f"wrote {path}")
    return path, published


def report(arguments):
    if arguments.page_only:
        results_path, published = os.path.join(RESULTS, arguments.name + ".json"), True
    else:
        results_path, published = write_results(arguments)
    results = load(results_path)
    is_page = published and arguments.name == "cpu"
    page_path = "docs/performance.md" if is_page else os.path.join("build/report", arguments.name + ".md")
    os.makedirs(os.path.dirname(page_path), exist_ok=True)
    text = page.text(results)
    with open(page_path, "w") as file:
        file.write(text)
    say(f"wrote {page_path}")
    if is_page:
        draw(arguments.venv, results_path)
    print(targets.table(results))


def main():
    arguments = parsed()
    if arguments.check:
        return 0
    if arguments.list:
        for step in chosen(arguments):
            print(f"{step.minutes:6.1f} min  {step.name}")
        print(f"{sum(step.minutes for step in chosen(arguments)):6.1f} min  all")
        return 0
    try:
        report(arguments)
    except Unusable as error:
        print(f"bench/report: {error}", file=sys.stderr)
        return 1
    return 0


def surroundings():
    """What surrounds the rows: system and compiler."""
    with open("/etc/os-release") as file:
        system = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return {"system": system["PRETTY_NAME"].strip('"'), "compiler": compiler}


def draw(venv, results_path):
    python = os.path.join(venv, "bin/python") if venv else sys.executable
    try:
        command = [python, "bench/reporting/figures.py", results_path, "docs/figures"]
        drawn = subprocess.run(command, check=False).returncode == 0
    except OSError:  # no such environment
        drawn = False
    say("drew docs/figures" if drawn else f"no figures: {python} has no matplotlib, or see above")


if __name__ == "__main__":
    sys.exit(main())
