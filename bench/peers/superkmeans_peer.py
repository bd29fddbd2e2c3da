"""superkmeans: exact assignment, and training without hierarchy, sampling or an early end (its own first centers)."""

import superkmeans


def model(problem, **options):
    return superkmeans.SuperKMeans(problem.clusters, problem.x.shape[1], hierarchical=False, sampling_fraction=1.0,
                                   max_points_per_cluster=problem.x.shape[0], n_threads=problem.threads,
                                   early_termination=False, **options)


def assign(problem):
    assigner = model(problem)
    return lambda: assigner.assign(problem.x, problem.centers)


def fit(problem):
    def call():
        model(problem, iters=problem.options["max_iter"]).train(problem.x)
    return call


CALLS = {"assign": assign, "fit": fit}


def about():
    return {"superkmeans": superkmeans.__version__}
