"""PyTorch: the portable functions again, in its array syntax; eager, and with its compiler about the function of one
tile while the loops stay outside."""

import math

import torch


def gram_tile(x, centers, norms):
    return torch.min(norms - 2 * (x @ centers.T), dim=1)


def gram_whole(x, centers):
    return torch.argmin((centers * centers).sum(1) - 2 * (x @ centers.T), dim=1)


def running_tile(x, centers):
    score = ((x - centers[0]) ** 2).sum(1)
    labels = torch.zeros(x.shape[0], dtype=torch.int64)
    for j in range(1, centers.shape[0]):
        other = ((x - centers[j]) ** 2).sum(1)
        closer = other < score
        labels, score = torch.where(closer, j, labels), torch.where(closer, other, score)
    return score, labels


def running_tile_from(x, centers, first, score, labels):
    for j in range(centers.shape[0]):
        other = ((x - centers[j]) ** 2).sum(1)
        closer = other < score
        labels, score = torch.where(closer, first + j, labels), torch.where(closer, other, score)
    return score, labels


def merge(best, later, first):
    closer = later[0] < best[0]
    return torch.where(closer, later[0], best[0]), torch.where(closer, later[1] + first, best[1])


def gram_tiled(x, centers, tile_samples, tile_centers, tile):
    cuts = [(j, centers[j:j + tile_centers]) for j in range(0, centers.shape[0], tile_centers)]
    cuts = [(j, some, (some * some).sum(1)) for j, some in cuts]
    labels = []
    for i in range(0, x.shape[0], tile_samples):
        best = None
        for j, some, norms in cuts:
            found = tile(x[i:i + tile_samples], some, norms)
            best = found if best is None else merge(best, found, j)
        labels.append(best[1])
    return torch.cat(labels)


def running(x, centers, tile_centers, inside, tile, tile_from):
    best = None
    for j in range(0, centers.shape[0], tile_centers):
        some = centers[j:j + tile_centers]
        if best is None:
            best = tile(x, some)
        elif inside:
            best = tile_from(x, some, torch.tensor(j), *best)
        else:
            best = merge(best, tile(x, some), j)
    return best[1]


def tiled_mean(x, labels, centers, tile_samples):
    k = centers.shape[0]
    sums, weights = torch.zeros_like(centers), torch.zeros(k)
    clusters = torch.arange(k)
    for i in range(0, x.shape[0], tile_samples):
        one_hot = (labels[i:i + tile_samples, None] == clusters).to(x.dtype)
        sums += one_hot.T @ x[i:i + tile_samples]
        weights += one_hot.sum(0)
    return torch.where(weights[:, None] > 0, sums / weights[:, None].clamp(min=1), centers)


def plus_plus(x, k, recompute):
    generator = torch.Generator().manual_seed(0)
    trials = 2 + int(math.log(k))
    norms = None if recompute else (x * x).sum(1)

    def distances(candidates):
        # The first version computes the norms again, and has the candidates' indices on the host.
        of_samples = (x * x).sum(1) if recompute else norms
        rows = torch.stack([x[i] for i in candidates.tolist()]) if recompute else x[candidates]
        return ((rows * rows).sum(1)[:, None] - 2 * (rows @ x.T) + of_samples).clamp(min=0)

    chosen = torch.randint(x.shape[0], (1,), generator=generator)
    closest = distances(chosen)[0]
    for _ in range(1, k):
        at = torch.rand(trials, generator=generator) * closest.sum()
        candidates = torch.searchsorted(torch.cumsum(closest, 0), at).clamp(max=x.shape[0] - 1)
        lowered = torch.minimum(closest, distances(candidates))
        best = torch.argmin(lowered.sum(1))
        closest = lowered[best]
        chosen = torch.cat([chosen, candidates[best:best + 1]])
    return x[chosen]


def tensors(problem):
    torch.set_num_threads(problem.threads)
    problem.x = torch.from_numpy(problem.x)
    if problem.centers is not None:
        problem.centers = torch.from_numpy(problem.centers)
    return problem.x, problem.centers


def maybe_compiled(problem, function):
    return torch.compile(function, dynamic=False) if problem.arguments.get("compiled") else function


def call_product(problem):
    x, centers = tensors(problem)
    out = torch.empty(x.shape[0], centers.shape[0])

    def call():
        torch.matmul(x, centers.T, out=out)
    return call


def call_gram(problem):
    x, centers = tensors(problem)
    whole = maybe_compiled(problem, gram_whole)
    return lambda: whole(x, centers).numpy()


def call_gram_tiled(problem):
    x, centers = tensors(problem)
    tile = maybe_compiled(problem, gram_tile)
    return lambda: gram_tiled(x, centers, problem.tile_samples, problem.tile_centers, tile).numpy()


def call_running(problem):
    x, centers = tensors(problem)
    tile, tile_from = maybe_compiled(problem, running_tile), maybe_compiled(problem, running_tile_from)
    return lambda: running(x, centers, problem.tile_centers, problem.inside, tile, tile_from).numpy()


def call_step(problem):
    x, centers = tensors(problem)

    def call():
        labels = gram_tiled(x, centers, problem.tile_samples, problem.tile_centers, gram_tile)
        tiled_mean(x, labels, centers, problem.update_tile)
        return labels.numpy()
    return call


def call_plus_plus(problem):
    x, _ = tensors(problem)

    def call():
        plus_plus(x, problem.clusters, problem.recompute)
    return call


def call_expression(problem):
    x, _ = tensors(problem)
    function = maybe_compiled(problem, lambda x: torch.sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3)

    def call():
        function(x)
    return call


CALLS = {"product": call_product, "gram": call_gram, "gram_tiled": call_gram_tiled, "running": call_running,
         "step": call_step, "plus_plus": call_plus_plus, "expression": call_expression}


def about():
    return {"torch": torch.__version__}
