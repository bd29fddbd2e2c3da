"""Tessera beside its peers on the same arrays, in turn, with the same number of threads; see bench/peers/compare."""

import argparse
import json
import os
import platform
import statistics
import tempfile
import time

import numpy as np

import labels
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


def ask(question, threads, rounds=None, wanted=None):
    """All sides of a question, or those with one of the words wanted, in turn, as one record."""
    rounds = rounds or question.rounds
    n, k, d = question.size
    record = {"name": question.name, "text": question.text, "n": n, "k": k, "d": d, "threads": threads,
              "rounds": rounds, "calls": question.calls, "processor": platform.processor(), "sides": [], "missing": []}
    with tempfile.TemporaryDirectory() as folder:
        kept, running = {}, []

        def missing(spec, error):
            record["missing"].append({"name": spec.name, "reason": str(error)[:300]})

        def take_turns(group):
            for turn in range(rounds):
                for spec, side in list(group):
                    time.sleep(PAUSE)
                    try:
                        side.round(question.calls)
                    except (sides.Missing, OSError) as error:
                        missing(spec, error)
                        group.remove((spec, side))
            for spec, side in group:
                details = side.finish()
                calls = details.pop("calls", 1)
                entry = {"name": spec.name, "peer": spec.peer,
                         "seconds": spread([value / calls for value in side.seconds])}
                if side.first_call_seconds:
                    entry["first_call_seconds"] = side.first_call_seconds / calls
                record["sides"].append({**entry, **details})

        for spec in question.sides:
            if wanted and not any(word in spec.name for word in wanted):
                continue
            try:
                side, path = start(spec, threads, folder)
            except (sides.Missing, OSError) as error:
                missing(spec, error)
                continue
            if path:
                kept[spec.name] = path
            running.append((spec, side))
            if question.one_at_a_time:
                take_turns(running)
                running = []
        take_turns(running)
        compare_labels(question, record, kept)
    return record


def compare_labels(question, record, kept):
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


def main():
    parser = argparse.ArgumentParser(prog="bench/peers/compare", description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION",
                        help="some of: " + ", ".join(questions.QUESTIONS) + "; all but smoke without")
    parser.add_argument("--rounds", type=int, help="turns of each side; else by question")
    parser.add_argument("--sides", nargs="+", metavar="WORD", help="only sides whose names contain one of these")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json", help="write the records to this file; those that it has are not measured again")
    arguments = parser.parse_args()
    wanted = arguments.questions or [name for name in questions.QUESTIONS if name != "smoke"]
    unknown = set(wanted) - set(questions.QUESTIONS)
    if unknown:
        parser.error(f"unknown question {', '.join(sorted(unknown))}; expected some of "
                     f"{', '.join(questions.QUESTIONS)}")
    records = []
    if arguments.json and os.path.exists(arguments.json):
        with open(arguments.json) as file:
            records = json.load(file)
    for name in wanted:
        if any(record["name"] == name for record in records):
            continue
        record = ask(questions.QUESTIONS[name](), arguments.threads, arguments.rounds, arguments.sides)
        show(record)
        records.append(record)
        if arguments.json:
            with open(arguments.json + ".part", "w") as file:
                json.dump(records, file, indent=1)
            os.replace(arguments.json + ".part", arguments.json)


if __name__ == "__main__":
    main()
