"""scikit-learn's side, as its own KMeans calls it: OpenMP threads over chunks, one BLAS thread in each."""

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense
from threadpoolctl import threadpool_limits


class LloydStep:
    """lloyd_iter_chunked_dense alone, its arrays made beforehand."""

    def __init__(self, x, centers, threads, update):
        n, k = x.shape[0], centers.shape[0]
        self.x, self.centers, self.threads, self.update = x, centers, threads, update
        self.weights = np.ones(n, dtype=x.dtype)
        self.centers_new = np.zeros_like(centers)
        self.in_clusters = np.zeros(k, dtype=x.dtype)
        self.labels = np.full(n, -1, dtype=np.int32)
        self.shift = np.zeros(k, dtype=x.dtype)

    def __call__(self):
        with threadpool_limits(1, user_api="blas"):
            lloyd_iter_chunked_dense(self.x, self.weights, self.centers.copy(), self.centers_new, self.in_clusters,
                                     self.labels, self.shift, self.threads, update_centers=self.update)


def plus_plus(x, clusters, threads):
    def call():
        with threadpool_limits(threads):
            kmeans_plusplus(x, clusters, random_state=0)
    return call


def fit(x, centers, threads, **options):
    def call():
        with threadpool_limits(threads, user_api="openmp"):
            KMeans(n_clusters=centers.shape[0], init=centers, n_init=1, **options).fit(x)
    return call
