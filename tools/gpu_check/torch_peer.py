"""The pieces of a Lloyd iteration in PyTorch, float32 without TF32: the other half of tools/gpu-check's table.

torch_peer.py N K D REPEAT     prints a JSON object: piece -> seconds (median)
"""

import json
import math
import statistics
import sys

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def median_seconds(repeat, call):
    call()
    seconds = []
    for _ in range(repeat):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        seconds.append(start.elapsed_time(stop) * 1e-3)
    return statistics.median(seconds)


def assign(x, centers):
    norms = (centers * centers).sum(dim=1)
    return torch.argmin(norms - 2 * (x @ centers.T), dim=1)


def assign_tiled(x, centers, tile_samples=4096, tile_centers=1024):
    labels = torch.empty(len(x), dtype=torch.int64, device=x.device)
    best = torch.full((len(x),), math.inf, device=x.device)
    for c in range(0, len(centers), tile_centers):
        tile = centers[c:c + tile_centers]
        norms = (tile * tile).sum(dim=1)
        for s in range(0, len(x), tile_samples):
            score, index = torch.min(norms - 2 * (x[s:s + tile_samples] @ tile.T), dim=1)
            better = score < best[s:s + tile_samples]
            labels[s:s + tile_samples] = torch.where(better, index + c, labels[s:s + tile_samples])
            best[s:s + tile_samples] = torch.minimum(score, best[s:s + tile_samples])
    return labels


def update(x, labels, centers):
    sums = torch.zeros_like(centers).index_add_(0, labels, x)
    counts = torch.bincount(labels, minlength=len(centers)).to(x.dtype)
    return torch.where(counts[:, None] > 0, sums / counts[:, None], centers)


def plus_plus(x, k):
    generator = torch.Generator(device=x.device).manual_seed(1)
    trials = 2 + int(math.log(k))
    norms = (x * x).sum(dim=1)

    def distances(rows):
        return torch.clamp(norms[None] - 2 * (rows @ x.T) + (rows * rows).sum(dim=1)[:, None], min=0)

    first = torch.randint(len(x), (1,), generator=generator, device=x.device)
    chosen = [first]
    closest = distances(x[first])[0]
    for _ in range(k - 1):
        draws = torch.rand(trials, generator=generator, device=x.device, dtype=torch.float64)
        cumulative = torch.cumsum(closest.double(), dim=0)
        candidates = torch.clamp(torch.searchsorted(cumulative, draws * cumulative[-1]), max=len(x) - 1)
        new = torch.minimum(closest[None], distances(x[candidates]))
        best = torch.argmin(new.sum(dim=1))
        closest = new[best]
        chosen.append(candidates[best][None])
    return torch.cat(chosen)


def main():
    n, k, d, repeat = (int(a) for a in sys.argv[1:5])
    x = torch.randn(n, d, device="cuda", generator=torch.Generator(device="cuda").manual_seed(0))
    centers = x[:k].clone()
    labels = assign_tiled(x, centers)
    scores = x @ centers.T
    seconds = {
        "product": median_seconds(repeat, lambda: x @ centers.T),
        "argmin": median_seconds(repeat, lambda: torch.argmin(scores, dim=1)),
    }
    del scores
    seconds |= {
        "assignment, whole": median_seconds(repeat, lambda: assign(x, centers)),
        "assignment, tiles of 4096 x 1024": median_seconds(repeat, lambda: assign_tiled(x, centers)),
        "assignment, as fit does": None,
        "update": median_seconds(repeat, lambda: update(x, labels, centers)),
        "Lloyd step": median_seconds(repeat, lambda: update(x, assign_tiled(x, centers), centers)),
        "k-means++": median_seconds(repeat, lambda: plus_plus(x, k)),
    }
    print(json.dumps({"torch": torch.__version__, "device": torch.cuda.get_device_name(), "seconds": seconds}))


main()
