"""Tessera beside its peers on the same arrays, in turn, with the same number of threads; see bench/peers/compare."""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time

import arrays
import questions
import sides

PAUSE = 0.2  # seconds; threads of the side before go to sleep meanwhile


def start(spec, threads, folder):
    path = os.path.join(folder, spec.name.replace("/", "-") + ".npy") if spec.labels else None
    if spec.peer == "tessera":
        return sides.Ours(spec.name, threads, spec.arguments, path), path
    return sides.Peer(spec.name, threads, spec.peer, spec.arguments, path), path


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def sides_of(question, wanted):
    """Those with one of the words wanted in their names; all without words."""
    return [spec for spec in question.sides if not wanted or any(word in spec.name for word in wanted)]


def ask(question, threads, rounds=None, wanted=None):
    """All sides of a question, or those with one of the words wanted, in turn, as one record."""
    rounds = rounds or question.rounds
    n, k, d = question.size
    arrays.make_pending()
    record = {"name": question.name, "text": question.text, "n": n, "k": k, "d": d, "threads": threads,
              "rounds": rounds, "calls": question.calls, "peers_once": question.peers_once,
              "processor": platform.processor(), "sides": [], "missing": []}
    with tempfile.TemporaryDirectory() as folder:
        kept, running, alive = {}, [], []

        def missing(spec, error):
            record["missing"].append({"name": spec.name, "reason": str(error)[:300]})

        def take_turns(group, rounds=rounds):
            for turn in range(rounds):
                for spec, side in list(group):
                    time.sleep(PAUSE)
                    try:
                        side.round(question.calls)
                    except (sides.Missing, OSError, ValueError) as error:
                        missing(spec, error)
                        group.remove((spec, side))
            for spec, side in group:
                try:
                    details = side.finish()
                except (sides.Missing, OSError) as error:
                    missing(spec, error)
                    continue
                calls = details.pop("calls", 1)
                entry = {"name": spec.name, "peer": spec.peer,
                         "seconds": spread([value / calls for value in side.seconds])}
                if side.first_call_seconds:
                    entry["first_call_seconds"] = side.first_call_seconds / calls
                record["sides"].append({**entry, **details})

        try:
            for spec in sides_of(question, wanted):
                try:
                    side, path = start(spec, threads, folder)
                except (sides.Missing, OSError, ValueError, IndexError) as error:
                    missing(spec, error)
                    continue
                alive.append(side)
                if path:
                    kept[spec.name] = path
                if question.peers_once and spec.peer != "tessera":
                    take_turns(running)
                    running = []
                    take_turns([(spec, side)], 1)
                else:
                    running.append((spec, side))
            take_turns(running)
        finally:  # whoever stops the comparison waits for nobody
            for side in alive:
                side.stop()
        compare_labels(question, record, kept)
    return record


def compare_labels(question, record, kept):
    if not kept:
        return
    import labels  # both are needed here alone: --help and errors want no NumPy
    import numpy as np
    reference = None
    for side in record["sides"]:
        path = kept.get(side["name"])
        if not path or not os.path.exists(path):
            continue
        found = np.load(path)
        if reference is None:
            reference, record["labels_of"] = found, side["name"]
        elif question.name.startswith(("fit", "ten")):
            side["labels_differ"] = {"count": int((found != reference).sum()), "of": int(found.size)}
        else:
            side["labels_differ"] = labels.compare(reference, found, question.data, question.centers)


def show(record):
    print(f"{record['text']}, {record['n']} x {record['k']} x {record['d']}, {record['threads']} threads", flush=True)
    fastest = min((side["seconds"]["median"] for side in record["sides"] if side["peer"] == "tessera"), default=None)
    for side in record["sides"]:
        median = side["seconds"]["median"]
        line = f"  {side['name']:52} {median:12.6g} s"
        if fastest and side["peer"] != "tessera":
            line += f"   {median / fastest:6.2f} x ours"
        if side.get("labels_differ", {}).get("count"):
            line += f"   labels differ in {side['labels_differ']['count']}"
        print(line, flush=True)
    for side in record["missing"]:
        print(f"  {side['name']:52} missing: {side['reason']}", flush=True)


def read(path):
    """The records of a file that is to be written, too; ValueError or OSError where it is none or cannot be."""
    records = []
    if os.path.exists(path):
        with open(path) as file:
            records = json.load(file)
        keys = {"name", "threads", "rounds", "sides", "missing"}
        if not isinstance(records, list) or not all(isinstance(record, dict) and keys <= set(record)
                                                    for record in records):
            raise ValueError("it holds no list of comparisons")
    with open(path + ".part", "w"):
        pass
    os.remove(path + ".part")
    return records


def write(path, records):
    with open(path + ".part", "w") as file:
        json.dump(records, file, indent=1)
    os.replace(path + ".part", path)


def answers(record, question, arguments):
    """Whether a record is what would be measured: the same question, threads, rounds and sides."""
    names = {side["name"] for side in record["sides"] + record["missing"]}
    return (record["name"] == question.name and record["threads"] == arguments.threads
            and record["rounds"] == (arguments.rounds or question.rounds)
            and names == {spec.name for spec in sides_of(question, arguments.sides)})


def parsed():
    parser = argparse.ArgumentParser(prog="bench/peers/compare", description=__doc__, allow_abbrev=False)
    parser.add_argument("questions", nargs="*", metavar="QUESTION",
                        help="some of: " + ", ".join(questions.QUESTIONS) + "; all but smoke without")
    parser.add_argument("--venv", metavar="FOLDER", default="build/peers-venv",
                        help="the virtual environment of the peers, made at first (default: build/peers-venv)")
    parser.add_argument("--rounds", type=int, help="turns of each side; else by question")
    parser.add_argument("--sides", nargs="+", metavar="WORD", help="only sides whose names contain one of these")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json", metavar="FILE",
                        help="write the records to this file; those that it has are not measured again")
    arguments = parser.parse_args()
    arguments.questions = arguments.questions or [name for name in questions.QUESTIONS if name != "smoke"]
    unknown = set(arguments.questions) - set(questions.QUESTIONS)
    if unknown:
        parser.error(f"unknown question {', '.join(sorted(unknown))}; expected some of "
                     f"{', '.join(questions.QUESTIONS)}")
    for option, value in (("--rounds", arguments.rounds), ("--threads", arguments.threads)):
        if value is not None and value < 1:
            parser.error(f"{option} {value}: expected a whole number >= 1")
    names = [spec.name for name in arguments.questions for spec in questions.QUESTIONS[name]().sides]
    for word in arguments.sides or []:
        if not any(word in name for name in names):
            parser.error(f"--sides {word}: no side's name contains it; they are {', '.join(dict.fromkeys(names))}")
    arguments.records = []
    if arguments.json:
        try:
            arguments.records = read(arguments.json)
        except (OSError, ValueError) as error:
            parser.error(f"--json {arguments.json}: {error}")
    return arguments


def compare(arguments):
    records = arguments.records
    for name in arguments.questions:
        arrays.pending.clear()  # those of the others are made when it is their turn
        question = questions.QUESTIONS[name]()
        if arguments.sides and not sides_of(question, arguments.sides):
            print(f"{name}: no such side", flush=True)
            continue
        if any(answers(record, question, arguments) for record in records):
            print(f"{name}: kept from {arguments.json}", flush=True)
            continue
        record = ask(question, arguments.threads, arguments.rounds, arguments.sides)
        show(record)
        records.append(record)
        if arguments.json:
            write(arguments.json, records)


def main():
    arguments = parsed()
    try:
        compare(arguments)
    except KeyboardInterrupt:
        print("\nbench/peers/compare: stopped; what was finished is kept" if arguments.json
              else "\nbench/peers/compare: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"bench/peers/compare: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
