"""What a run of bench/report found: one JSON file, read and written here."""

import json


class Results:
    """`rows` of tessera-bench, `beside`: the records of bench/peers, `about`: the run."""

    def __init__(self, about=None, rows=None, beside=None):
        self.about, self.rows, self.beside = about or {}, rows or [], beside or []

    @staticmethod
    def load(path):
        with open(path) as file:
            data = json.load(file)
        for row in data["rows"]:
            row["machine"] = data["machines"][row["machine"]]
        for record in data["beside"]:
            for side in record["sides"]:
                if "machine" in side:
                    side["machine"] = data["machines"][side["machine"]]
        return Results(data["about"], data["rows"], data["beside"])

    def save(self, path):
        """A row a line; the machine of each by its number, since most share one."""
        machines = []

        def numbered(row):
            if "machine" not in row:
                return row
            if row["machine"] not in machines:
                machines.append(row["machine"])
            return {**row, "machine": machines.index(row["machine"])}

        rows = [numbered(rounded(row)) for row in self.rows]
        beside = [{**record, "sides": [numbered(side) for side in record["sides"]]} for record in rounded(self.beside)]
        parts = {"about": self.about, "machines": machines, "rows": rows, "beside": beside}
        with open(path, "w") as file:
            file.write("{\n" + ",\n".join(f'"{key}": {block(value)}' for key, value in parts.items()) + "\n}\n")

    def find(self, question, threads=None, **wanted):
        """The rows of a question that have all of `wanted`; with the run's number of threads unless one is given."""
        threads = threads or self.about.get("threads")
        return [row for row in self.rows
                if row["question"] == question and row["machine"]["threads"] == threads
                and all(row.get(key) == value for key, value in wanted.items())]

    def one(self, question, **wanted):
        """The last such row that was measured, or nothing."""
        rows = [row for row in self.find(question, **wanted) if "unsupported" not in row]
        return rows[-1] if rows else None

    def seconds(self, question, **wanted):
        row = self.one(question, **wanted)
        return row["seconds"]["median"] if row else None

    def record(self, name):
        return next((record for record in self.beside if record["name"] == name), None)

    def side(self, record_name, side_name):
        """The median seconds of one side of a comparison, or nothing."""
        for side in (self.record(record_name) or {"sides": []})["sides"]:
            if side["name"] == side_name:
                return side["seconds"]["median"]
        return None


def rounded(value):
    """Six digits: more were noise, and made changes hard to read."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def block(value):
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(item) for item in value) + "\n]" if value else "[]"
    return json.dumps(value)
