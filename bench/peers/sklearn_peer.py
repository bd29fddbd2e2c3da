"""scikit-learn, as its own KMeans calls it: OpenMP threads over chunks, one BLAS thread in each."""

import warnings

import numpy as np
import sklearn
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense
from threadpoolctl import threadpool_limits

warnings.simplefilter("ignore")  # ten iterations are no convergence, as was asked for

CHUNK = 256  # samples; the kernel's own


def lloyd(update):
    """lloyd_iter_chunked_dense alone, its arrays made beforehand."""
    def make(problem):
        x, centers = problem.x, problem.centers
        (n, d), k = x.shape, centers.shape[0]
        weights, shift = np.ones(n, dtype=x.dtype), np.zeros(k, dtype=x.dtype)
        centers_new, in_clusters = np.zeros_like(centers), np.zeros(k, dtype=x.dtype)
        labels = np.full(n, -1, dtype=np.int32)
        # For good: setting a limit anew takes a part of a millisecond.
        threadpool_limits(1, user_api="blas")
        problem.details["thread_local_bytes"] = problem.threads * 4 * (CHUNK * k + k * d + k)

        def call():
            lloyd_iter_chunked_dense(x, weights, centers, centers_new, in_clusters, labels, shift, problem.threads,
                                     update_centers=update)
            return labels
        return call
    return make


def plus_plus(problem):
    # A small one first: what is made at a first call is not seeding.
    kmeans_plusplus(problem.x[:256], 4, random_state=0)

    def call():
        kmeans_plusplus(problem.x, problem.clusters, random_state=0)
    return call


def fit(problem):
    options = dict(problem.options)
    if problem.centers is not None:
        options.update(init=problem.centers, n_init=1)

    def call():
        fitted = KMeans(n_clusters=problem.clusters, random_state=0, **options).fit(problem.x)
        problem.details.update(n_iter=int(fitted.n_iter_), inertia=float(fitted.inertia_))
        return fitted.labels_
    return call


CALLS = {"assign": lloyd(False), "step": lloyd(True), "plus_plus": plus_plus, "fit": fit}


def about():
    return {"scikit-learn": sklearn.__version__, "numpy": np.__version__}
