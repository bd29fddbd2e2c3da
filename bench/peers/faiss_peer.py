"""faiss: the flat index as an assignment, and its Kmeans."""

import faiss
import numpy as np


def assign(problem):
    faiss.omp_set_num_threads(problem.threads)
    index = faiss.IndexFlatL2(problem.x.shape[1])
    index.add(problem.centers)
    return lambda: index.search(problem.x, 1)[1]


def fit(problem):
    """A fixed number of iterations from given centers, no sampling."""
    faiss.omp_set_num_threads(problem.threads)
    n, d = problem.x.shape

    def call():
        kmeans = faiss.Kmeans(d, problem.clusters, niter=problem.options["max_iter"], min_points_per_centroid=1,
                              max_points_per_centroid=n)
        kmeans.train(problem.x, init_centroids=problem.centers)
    return call


CALLS = {"assign": assign, "fit": fit}


def about():
    return {"faiss": faiss.__version__, "numpy": np.__version__, "faiss built for": faiss.get_compile_options().strip()}
