"""The speeds that are aimed at: what each is, what was reached, whether that is enough. `reached` is nothing where the
run did not measure it."""

from dataclasses import dataclass


@dataclass
class Target:
    text: str
    aim: float
    reached: float | None
    at_most: bool = False
    note: str = ""

    @property
    def met(self):
        if self.reached is None:
            return None
        return self.reached <= self.aim if self.at_most else self.reached >= self.aim


def ratio(above, below):
    return above / below if above and below else None


def least(*values):
    """The least of those that were measured, or nothing."""
    known = [value for value in values if value]
    return min(known) if known else None


EXACT = ("scikit-learn lloyd_iter_chunked_dense, no update", "numpy full Gram", "superkmeans assign",
         "faiss IndexFlatL2")
FIT = "tessera assignment as fit does, eager"
STEP, COMPILED_STEP = "tessera step as fit does, eager", "tessera step as fit does, compiled"
TILED = "tessera gram_tiled 4096 x 1024, eager"
COMPILED_GRAM = "tessera full Gram, compiled"


def exact_peers(results, record):
    return least(*(results.side(record, name) for name in EXACT),
                 results.side(record, "torch full Gram, eager"))


def ours(results, record):
    """Eager: the better of the assignment that fits make, without its compiling, and the portable tiles."""
    return least(results.side(record, FIT), results.side(record, TILED))


def assignments(results):
    name = "assign-cython"
    product = least(results.side(name, "tessera product alone"), results.side(name, "blis product alone"))
    heavy = {"n": 65536, "k": 4096, "d": 16384, "mode": "eager"}
    tile = results.one("assign-grid", schedule="gram_tiled", tile_samples=4096, tile_centers=1024, **heavy)
    heavy_name = "assign-feature-heavy"
    peak = 4 * 4096 * 1024 + 24 * 65536 + 2 ** 20
    return [
        Target("cython: eager assignment (the better of tiles of 4096 and of a fit's) over the whole product alone "
               "(the faster of ours and BLIS's)", 1.08,
               ratio(ours(results, name), product), True),
        Target("cython: eager assignment, speed beside the fastest peer that makes all products", 0.9,
               ratio(exact_peers(results, name), ours(results, name))),
        Target("feature-heavy: eager tiled assignment, speed beside the same product alone", 0.9,
               ratio(results.side(heavy_name, "tessera product alone"), results.side(heavy_name, TILED))),
        Target("feature-heavy: peak of the tiled assignment over tile + 24 bytes a sample + 1 MiB", 1.0,
               tile["peak_bytes"] / peak if tile else None, True),
        Target("cython: eager Lloyd step, speed beside scikit-learn", 0.9,
               ratio(results.side("step-cython", "scikit-learn lloyd_iter_chunked_dense"),
                     results.side("step-cython", STEP))),
        Target("low-d: eager Lloyd step, speed beside scikit-learn", 1.0,
               ratio(results.side("step-low-d", "scikit-learn lloyd_iter_chunked_dense"),
                     results.side("step-low-d", STEP))),
    ]


def gain(results, size, schedule="assign as fit does"):
    """How much faster all threads are than one."""
    n, k, d = size
    wanted = {"schedule": schedule, "n": n, "k": k, "d": d, "mode": "eager"}
    return ratio(results.seconds("lloyd", threads=1, **wanted), results.seconds("lloyd", **wanted))


def multiply_add_gain(results):
    alone = results.one("ops", operation="machine multiply-add", n=1)
    together = results.one("ops", operation="machine multiply-add", n=results.about["threads"])
    return ratio(together["gflops"], alone["gflops"]) if alone and together else None


def threads(results):
    return [Target(f"cython: the gain of {results.about['threads']} threads beside that of plain multiply-adds", 0.9,
                   ratio(gain(results, (65536, 1024, 2048)), multiply_add_gain(results)))]


def seeding(results):
    speed = ratio(results.side("seeding", "scikit-learn kmeans_plusplus"), results.side("seeding", "tessera k-means++"))
    passes = [row["share_of_read"] for row in results.find("kernels", schedule="kmeans++", n=65536, d=1024)
              if row.get("operation") == "matmul/matmul"]
    return [Target("k-means++ 65536 x 256 x 1024, speed beside scikit-learn", 8, speed),
            Target("k-means++: the candidates' pass over the data, share of the machine's reading", 0.7,
                   passes[-1] if passes else None)]


def fits(results):
    def speed(record):
        return ratio(results.side(record, "scikit-learn KMeans"), results.side(record, "tessera fit"))

    aims = [("tiny (iris), from given centers", "fit-iris-given-centers", 3),
            ("tiny (iris), k-means++", "fit-iris-kmeans++", 3),
            ("tiny (iris), k-means++, n_init 10", "fit-iris-kmeans++-n_init-10", 3),
            ("digits, k = 10, from given centers", "fit-digits-given-centers", 2),
            ("digits, k = 10, k-means++", "fit-digits-kmeans++", 2)]
    made = [Target(f"fit of {text}, speed beside scikit-learn", aim, speed(record)) for text, record, aim in aims]
    for size in ((65536, 256, 1024), (100000, 1000, 128)):
        record = "ten-" + "-".join(str(value) for value in size)
        made.append(Target(f"fit of 10 iterations, {' x '.join(map(str, size))}, speed beside scikit-learn", 0.95,
                           speed(record)))
    made.append(Target("add of 4 elements, time over NumPy's from Python", 1.0,
                       ratio(results.side("add-4", "tessera add"), results.side("add-4", "numpy add")), True))
    return made


def operations(results):
    scatter = [row["share_of_read"] for row in results.find("kernels", schedule="step", mode="eager", n=65536, k=1024,
                                                              d=2048)
               if row.get("operation") == "scatter_add/scatter"]
    made = [Target("cython: scatter update, share of the machine's reading", 0.5, scatter[-1] if scatter else None)]
    for name in ("add", "multiply", "where", "sum", "min", "sum rows", "min rows", "argmin rows"):
        row = results.one("ops", operation=name, n=100_000_000, mode="eager")
        made.append(Target(f"{name}, 10^8 elements, share of a copy", 0.7, row["share_of_copy"] if row else None))
    return made


def compiled(results):
    """Those of compile()."""
    cython = "assign-cython"
    grid = {"mode": "compiled", "n": 65536, "k": 1024, "d": 2048}
    whole = results.one("assign-grid", schedule="gram", **grid)
    rows = [row for row in results.rows if "compile_seconds" in row]
    # By hand, in turn with the compiled one: tiles of 4096 samples, and one tile of all.
    by_hand = least(results.side(cython, TILED), results.side(cython, "tessera full Gram, eager"))
    return [
        Target("compiled: most seconds of compiling", 0.05,
               max((row["compile_seconds"] for row in rows), default=None), True),
        Target("compiled expression of 10^8 elements, share of Tessera's copy in turn", 0.7,
               ratio(results.side("expression", "tessera copy"), results.side("expression", "tessera compiled"))),
        Target("cython: compiled full Gram, speed beside the fastest peer", 0.95,
               ratio(exact_peers(results, cython), results.side(cython, COMPILED_GRAM))),
        Target("cython: compiled full Gram, speed beside the better of our eager tiles of 4096 and of all samples, in "
               "turn", 1.0,
               ratio(by_hand, results.side(cython, COMPILED_GRAM))),
        Target("cython: peak of the compiled full Gram over 16 MiB + 24 bytes a sample", 1.0,
               whole["peak_bytes"] / (2 ** 24 + 24 * 65536) if whole else None, True),
        Target("low-d: compiled full Gram, speed beside the fastest peer", 1.6,
               ratio(exact_peers(results, "assign-low-d"), results.side("assign-low-d", COMPILED_GRAM))),
        Target("low-d: the whole step, compiled, speed beside scikit-learn", 1.5,
               ratio(results.side("step-low-d", "scikit-learn lloyd_iter_chunked_dense"),
                     results.side("step-low-d", COMPILED_STEP))),
        Target("rgb: compiled full Gram, speed beside faiss", 1.0,
               ratio(results.side("assign-rgb", "faiss IndexFlatL2"), results.side("assign-rgb", COMPILED_GRAM))),
    ]


def all_targets(results):
    return [*assignments(results), *threads(results), *seeding(results), *fits(results), *operations(results),
            *compiled(results)]


def lines(results):
    """(what, aim, reached, met) as texts."""
    for target in all_targets(results):
        aim = f"{'<=' if target.at_most else '>='} {target.aim:g}"
        reached = "not measured" if target.reached is None else f"{target.reached:.3g}"
        yield target.text, aim, reached, {None: "", True: "yes", False: "NO"}[target.met]


def table(results):
    return "\n".join(f"{met:4} {reached:>12}  {aim:>8}  {text}" for text, aim, reached, met in
                     [("what", "aim", "reached", "met"), *lines(results)])
