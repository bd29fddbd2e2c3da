"""Two labellings of the same samples: how many rows differ, and why each does."""

import numpy as np

SHOWN = 100
ROUNDING = 2.0 ** -24


def squared_distance(x, center):
    difference = x.astype(np.float64) - center.astype(np.float64)
    return float(difference @ difference)


def compare(ours, theirs, data, centers):
    """Rows that differ, each with its two distances in float64. A difference below what rounding may move the score
    ||c||^2 - 2 x.c in float32 is a tie for all that a product in float32 can tell."""
    rows = np.flatnonzero(ours != theirs)
    x, c = np.load(data, mmap_mode="r"), np.load(centers)
    explained, ties = [], 0
    for row in rows:
        a, b = c[ours[row]], c[theirs[row]]
        mine, other = squared_distance(x[row], a), squared_distance(x[row], b)
        longest = max(np.linalg.norm(a.astype(np.float64)), np.linalg.norm(b.astype(np.float64)))
        bound = 4 * x.shape[1] * ROUNDING * longest * (np.linalg.norm(x[row].astype(np.float64)) + longest)
        ties += abs(mine - other) <= bound
        if len(explained) < SHOWN:
            explained.append({"row": int(row), "ours": int(ours[row]), "theirs": int(theirs[row]),
                              "our_distance": mine, "their_distance": other})
    return {"count": int(rows.size), "of": int(ours.size), "within_rounding": int(ties), "rows": explained}
