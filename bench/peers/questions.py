"""What is compared with whom. A question has sides, which take turns on the same arrays."""

from dataclasses import dataclass, field

import arrays


@dataclass
class Side:
    name: str
    peer: str  # "tessera", or the module NAME_peer.py
    arguments: dict
    labels: bool = False  # labels to compare with those of the first such side


@dataclass
class Question:
    name: str
    text: str
    size: tuple  # n, k, d
    rounds: int
    calls: int  # of each round
    minutes: float  # roughly, on two cores
    sides: list = field(default_factory=list)
    data: str = ""
    centers: str = ""
    peers_once: bool = False  # after our sides' turns each peer, alone, one round: large problems


def ours(name, question, labels=False, **arguments):
    options = {key.replace("_", "-"): value for key, value in arguments.items()}
    return Side(f"tessera {name}", "tessera", {"question": question, **options}, labels)


def theirs(peer, name, call, labels=False, **arguments):
    return Side(f"{peer} {name}".replace("sklearn", "scikit-learn"), peer, {"call": call, **arguments}, labels)


def portable(files, tile_samples, tile_centers, compiled=False):
    mode = "compiled" if compiled else "eager"
    return ours(f"gram_tiled {tile_samples} x {tile_centers}, {mode}", "assign-grid", True, only="gram_tiled",
                tile_samples=tile_samples, tile_centers=tile_centers, mode=mode, **files)


def full_gram(files, compiled=False):
    mode = "compiled" if compiled else "eager"
    return ours(f"full Gram, {mode}", "assign-grid", True, only="gram", mode=mode, **files)


def as_fit(files, compiled=False):
    mode = "compiled" if compiled else "eager"
    return ours(f"assignment as fit does, {mode}", "lloyd", True, only="assign as fit does", mode=mode, **files)


def step_as_fit(files, compiled=False):
    mode = "compiled" if compiled else "eager"
    return ours(f"step as fit does, {mode}", "lloyd", True, only="step", mode=mode, **files)


def exact_peers(files, clusters):
    """The peers' assignments; all but scikit-learn's take every product at once or in tiles of their own."""
    return [theirs("sklearn", "lloyd_iter_chunked_dense, no update", "assign", True, **files),
            theirs("numpy", "full Gram", "gram", True, **files),
            theirs("faiss", "IndexFlatL2", "assign", True, **files),
            theirs("superkmeans", "assign", "assign", True, clusters=clusters, **files)]


def normal_problem(n, k, d):
    data = arrays.normal(n, d)
    return {"data": data, "centers": arrays.first_rows(data, k)}


def assign_cython():
    n, k, d = 65536, 1024, 2048
    files = normal_problem(n, k, d)
    product = {"only": "product", **files}
    return Question("assign-cython", "Assignment, and the whole product alone", (n, k, d), 5, 1, 3, [
        as_fit(files), as_fit(files, True), portable(files, 4096, 1024), full_gram(files), full_gram(files, True),
        portable(files, 4096, 1024, True),
        ours("product alone", "assign-grid", **product), theirs("blis", "product alone", "product", **files),
        theirs("numpy", "product alone", "product", **files), *exact_peers(files, k)], **files)


def torch_cython():
    n, k, d = 65536, 1024, 2048
    files = normal_problem(n, k, d)
    tiles = {"tile_samples": 4096, "tile_centers": 1024}
    return Question("torch-cython", "Assignment beside PyTorch", (n, k, d), 2, 1, 2.2, [
        as_fit(files), portable(files, 4096, 1024), full_gram(files), full_gram(files, True),
        portable(files, 4096, 1024, True),
        theirs("torch", "product alone", "product", **files),
        theirs("torch", "full Gram, eager", "gram", True, **files),
        theirs("torch", "full Gram, compiled", "gram", True, compiled=True, **files),
        theirs("torch", "gram_tiled 4096 x 1024, eager", "gram_tiled", True, **tiles, **files),
        theirs("torch", "gram_tiled 4096 x 1024, compiled", "gram_tiled", True, compiled=True, **tiles, **files)],
        **files)


def step_cython():
    n, k, d = 65536, 1024, 2048
    files = normal_problem(n, k, d)
    return Question("step-cython", "Lloyd step", (n, k, d), 5, 1, 2, [
        step_as_fit(files), step_as_fit(files, True),
        ours("step gram_tiled 256 x 1024 + tiled_mean 256", "lloyd", True, only="step gram_tiled + tiled_mean",
             tile_samples=256, **files),
        theirs("sklearn", "lloyd_iter_chunked_dense", "step", True, **files),
        theirs("torch", "step gram_tiled 256 x 1024 + tiled_mean 256", "step", True, tile_samples=256,
               tile_centers=1024, update_tile=256, **files)], **files)


def assign_small(name, n, k, d, rounds):
    files = normal_problem(n, k, d)
    return Question(f"assign-{name}", "Assignment", (n, k, d), rounds, 3, 1, [
        as_fit(files), as_fit(files, True), portable(files, 4096, min(1024, k)), full_gram(files, True),
        *exact_peers(files, k), theirs("torch", "full Gram, eager", "gram", True, **files)], **files)


def step_low_d():
    n, k, d = 196608, 256, 64
    files = normal_problem(n, k, d)
    return Question("step-low-d", "Lloyd step", (n, k, d), 7, 3, 0.5, [
        step_as_fit(files), step_as_fit(files, True),
        theirs("sklearn", "lloyd_iter_chunked_dense", "step", True, **files)], **files)


def running_low_d():
    n, k, d = 196608, 256, 64
    files = normal_problem(n, k, d)
    options = {"tile_centers": 32, **files}

    def mine(schedule, mode):
        return ours(f"{schedule} 32, {mode}", "running", True, only=schedule, mode=mode, **options)

    def torch(inside, compiled):
        where, mode = ("_inside" if inside else ""), ("compiled" if compiled else "eager")
        return theirs("torch", f"running{where} 32, {mode}", "running", True, inside=inside, compiled=compiled,
                      **options)
    return Question("running-low-d", "Running minima, 32 centers a tile", (n, k, d), 2, 1, 2.5, [
        mine("running", "eager"), mine("running_inside", "eager"), mine("running", "compiled"),
        mine("running_inside", "compiled"), torch(False, False), torch(True, False), torch(False, True),
        torch(True, True)], **files)


def seeding(name, n, k, d, rounds, minutes, first_versions):
    data = {"data": arrays.normal(n, d)}
    sides = [ours("k-means++", "init", only="kmeans_plusplus", clusters=k, **data),
             theirs("sklearn", "kmeans_plusplus", "plus_plus", clusters=k, warm_up=False, **data)]
    if first_versions:
        sides += [ours("k-means++, first version", "init", only="kmeans_plusplus_recompute", clusters=k, **data),
                  theirs("torch", "k-means++", "plus_plus", clusters=k, recompute=False, **data),
                  theirs("torch", "k-means++, first version", "plus_plus", clusters=k, recompute=True, **data)]
    return Question(name, "k-means++", (n, k, d), rounds, 1, minutes, sides, data=data["data"])


def small_fit(name, data, size, schedule, calls):
    n, k, d = size
    options = {"given centers": {}, "kmeans++": {"n_init": 1}, "kmeans++ n_init 10": {"n_init": 10}}[schedule]
    given = {"centers": arrays.first_rows(data, k)} if schedule == "given centers" else {}
    return Question(f"fit-{name}-{schedule.replace(' ', '-')}", f"Fit of {name}, {schedule}", (n, k, d), 5, calls, 0.3, [
        ours("fit", "fit", bool(given), only=schedule, clusters=k, data=data, **given),
        theirs("sklearn", "KMeans", "fit", bool(given), clusters=k, options=options, data=data, **given)],
        data=data, centers=given.get("centers", ""))


def ten_iterations(n, k, d):
    files = normal_problem(n, k, d)
    ten = {"max_iter": 10, "tol": 0}
    return Question(f"ten-{n}-{k}-{d}", "Fit of 10 iterations from given centers", (n, k, d), 3, 1, 1, [
        ours("fit", "fit", True, only="given centers, 10 iterations", **files),
        theirs("sklearn", "KMeans", "fit", True, clusters=k, options=ten, **files),
        theirs("faiss", "Kmeans", "fit", clusters=k, options=ten, **files),
        theirs("superkmeans", "train, from its own centers", "fit", clusters=k, options=ten, **files)], **files)


def add_of_4():
    return Question("add-4", "add of 4 elements; NumPy's called from Python", (4, 0, 0), 5, 3, 0.3, [
        ours("add", "ops", only="add of 4", size="tiny"), theirs("numpy", "add", "add of 4")])


def expression():
    n = 100_000_000
    data = {"data": arrays.uniform(n)}
    size = {"only": "expression", "samples": 100_000, "features": 1000}
    return Question("expression", "sqrt(x*x + 1)*0.5 + x - 0.25*x*x + 3", (n, 0, 0), 5, 1, 1.5, [
        ours("eager", "ops", **size), ours("compiled", "ops", mode="compiled", **size),
        ours("copy", "ops", **{**size, "only": "copy"}),
        theirs("numpy", "eager", "expression", **data), theirs("numexpr", "evaluate", "expression", **data),
        theirs("torch", "eager", "expression", **data),
        theirs("torch", "compiled", "expression", compiled=True, **data)])


def assign_feature_heavy():
    n, k, d = 65536, 4096, 16384
    files = normal_problem(n, k, d)
    return Question("assign-feature-heavy", "Assignment, and the whole product alone", (n, k, d), 2, 1, 5, [
        portable(files, 4096, 1024), ours("product alone", "assign-grid", only="product", **files),
        theirs("sklearn", "lloyd_iter_chunked_dense, no update", "assign", True, warm_up=False, **files),
        theirs("numpy", "full Gram", "gram", True, warm_up=False, **files)], peers_once=True, **files)


def small_everything():
    """All peers at a size for trying the scripts."""
    n, k, d = 3000, 17, 24
    files = normal_problem(n, k, d)
    tiles = {"tile_samples": 1024, "tile_centers": 17}
    return Question("smoke", "Assignment, for trying", (n, k, d), 2, 2, 0.5, [
        as_fit(files), portable(files, 1024, 17), full_gram(files, True), theirs("blis", "product", "product", **files),
        *exact_peers(files, k), theirs("torch", "gram_tiled", "gram_tiled", True, **tiles, **files),
        theirs("sklearn", "step", "step", True, **files), theirs("torch", "step", "step", True, update_tile=256,
                                                                 **tiles, **files),
        theirs("torch", "running", "running", True, tile_centers=16, inside=True, **files),
        theirs("torch", "k-means++", "plus_plus", clusters=5, recompute=True, data=files["data"]),
        theirs("faiss", "Kmeans", "fit", clusters=k, options={"max_iter": 10}, **files),
        theirs("superkmeans", "train", "fit", clusters=k, options={"max_iter": 10}, **files)], **files)


def fits():
    made = {}
    for schedule in ("given centers", "kmeans++", "kmeans++ n_init 10"):
        made[f"fit-iris-{schedule.replace(' ', '-')}"] = lambda s=schedule: small_fit(
            "iris", arrays.data_set("iris"), (150, 3, 4), s, 100)
    for schedule in ("given centers", "kmeans++"):
        made[f"fit-digits-{schedule.replace(' ', '-')}"] = lambda s=schedule: small_fit(
            "digits", arrays.data_set("digits"), (1797, 10, 64), s, 30)
    made["fit-blobs-given-centers"] = lambda: small_fit("blobs", arrays.blobs(20000, 32, 16), (20000, 32, 16),
                                                        "given centers", 1)
    return made


# In the order of their weight.
QUESTIONS = {
    "assign-cython": assign_cython,
    "step-cython": step_cython,
    "assign-low-d": lambda: assign_small("low-d", 196608, 256, 64, 7),
    "step-low-d": step_low_d,
    "assign-rgb": lambda: assign_small("rgb", 270000, 1024, 3, 5),
    **fits(),
    "ten-65536-256-1024": lambda: ten_iterations(65536, 256, 1024),
    "ten-100000-1000-128": lambda: ten_iterations(100000, 1000, 128),
    "seeding": lambda: seeding("seeding", 65536, 256, 1024, 2, 2, False),
    "add-4": add_of_4,
    "expression": expression,
    "seeding-small": lambda: seeding("seeding-small", 16384, 64, 512, 3, 0.7, True),
    "torch-cython": torch_cython,
    "running-low-d": running_low_d,
    "assign-feature-heavy": assign_feature_heavy,
    "smoke": small_everything,
}
