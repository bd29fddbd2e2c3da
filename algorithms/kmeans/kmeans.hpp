#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tessera/tessera.hpp>
#include "kmeans/methods.hpp"

namespace tessera::kmeans {

struct PhaseSeconds {
  double assign = 0;
  double update = 0;
};
struct PhaseBytes {
  std::int64_t assign = 0;
  std::int64_t update = 0;
};

/// One iteration of a fit.
struct Iteration {
  int number = 0;                 ///< from 1
  std::optional<double> inertia;  ///< of its labels, and the centers that they were made with; if recorded
  double shift = 0;               ///< squared: the sum over centers of ||new - old||^2
  std::int64_t relocated = 0;     ///< samples that moved to empty clusters
  PhaseSeconds seconds;           ///< by the device's timestamps
  PhaseBytes peak_bytes;          ///< above what was in use when the phase began
};

/// After each iteration; false ends the fit after it.
using Callback = std::function<bool(const Iteration&)>;

struct KMeansOptions {
  std::int64_t n_clusters = 8;
  /// A method, or the initial centers: (n_clusters, d), on the device of the samples.
  std::variant<InitMethod, Array> init = InitMethod::kmeans_plusplus;
  /// Runs from different initial centers, of which the one with the lowest inertia stays. Given centers: 1.
  int n_init = 1;
  int max_iter = 300;
  /// A fit ends when `shift` is at most tol times the variance of the samples, averaged over features. With 0
  /// it ends only when the labels repeat.
  double tol = 1e-4;
  random::Key random_state = random::Key(0);
  AssignMethod assign = AssignMethod::gram_tiled;
  UpdateMethod update = UpdateMethod::scatter;
  std::int64_t tile_samples = 0;  ///< 0: by d, k and the device's cache
  std::int64_t tile_centers = 0;  ///< the same
  /// Computes the inertia of every iteration. A callback asks for it too.
  bool record = false;
  Callback callback = {};
  /// Asked between the centers of k-means++ and after each iteration; true ends the fit as a callback's false
  /// does. Initial centers that are missing then are drawn at once.
  std::function<bool()> stop = {};
};

/// Seconds of a whole fit, all its runs together.
struct FitSeconds {
  double init = 0;
  double assign = 0;  ///< of the iterations
  double update = 0;
  double total = 0;
};

/// Exact k-means with Lloyd's algorithm, on the device where the samples are. Names and meaning follow
/// scikit-learn's KMeans; docs/numerics.md states what is promised.
///
///   KMeans kmeans({.n_clusters = 10});
///   kmeans.fit(x);
///   kmeans.labels(), kmeans.cluster_centers(), kmeans.inertia()
class KMeans {
 public:
  /// Throws ValueError where an option is out of its range.
  explicit KMeans(KMeansOptions options = {});

  /// x is (n, d), n >= n_clusters: float32 or float64, or integers (of 8 and 16 bits computed in float32,
  /// wider ones in float64); sample_weight is (n,), >= 0. Neither is changed. Throws ValueError, ShapeError,
  /// DTypeError or DeviceError naming the argument and the first offending row; what was fitted before stays
  /// then.
  KMeans& fit(const Array& x, const std::optional<Array>& sample_weight = {});

  /// The nearest center of every sample, (n,) int64. x is converted to the dtype of the centers.
  Array predict(const Array& x) const;
  /// The distance of every sample to every center, (n, k) of the centers' dtype, computed in float64.
  Array transform(const Array& x) const;
  /// Minus the inertia of x at the fitted centers.
  double score(const Array& x, const std::optional<Array>& sample_weight = {}) const;

  // ---- of the last fit; ValueError before the first
  /// (n,) int64: predict(x), whatever ended the fit.
  const Array& labels() const { return result().labels; }
  /// (n_clusters, d) of the dtype of the computation.
  const Array& cluster_centers() const { return result().centers; }
  /// The sum of w * ||x - c||^2, in float64, for these labels and centers.
  double inertia() const { return result().inertia; }
  /// Iterations of the run that stayed; a pass for the final labels is not one.
  int n_iter() const { return static_cast<int>(result().history.size()); }
  const std::vector<Iteration>& history() const { return result().history; }
  Stopped stopped() const { return result().stopped; }
  /// How many different labels there are.
  std::int64_t distinct() const { return result().distinct; }
  std::int64_t relocated() const { return result().relocated; }
  const std::vector<std::string>& warnings() const { return result().warnings; }
  /// Peak of the device's memory above what was in use when the fit began.
  std::int64_t peak_bytes() const { return result().peak_bytes; }
  const FitSeconds& seconds() const { return result().seconds; }
  /// The initial centers of the run that stayed, (n_clusters, d) of the dtype of the computation, or float64
  /// as they were given.
  const Array& initial_centers() const { return result().initial; }
  /// The tile sizes used.
  std::int64_t tile_samples() const { return result().tile_samples; }
  std::int64_t tile_centers() const { return result().tile_centers; }
  /// Whether the assignment was compiled: it is where products are many, with the same labels.
  bool compiled() const { return result().compiled; }

  const KMeansOptions& options() const { return options_; }

 private:
  struct Result {
    Array initial;
    Array centers;
    Array labels;
    double inertia = 0;
    std::vector<Iteration> history;
    Stopped stopped{};
    std::int64_t distinct = 0;
    std::int64_t relocated = 0;
    std::vector<std::string> warnings;
    std::int64_t peak_bytes = 0;
    FitSeconds seconds;
    std::int64_t tile_samples = 0;
    std::int64_t tile_centers = 0;
    bool compiled = false;
  };
  const Result& result() const;
  Result run_all(const Array& x, const std::optional<Array>& weights) const;

  KMeansOptions options_;
  std::optional<Result> result_;
};

struct PredictOptions {
  AssignMethod assign = AssignMethod::gram_tiled;
  std::int64_t tile_samples = 0;
  std::int64_t tile_centers = 0;
};
/// The nearest of given centers for every sample: what KMeans::predict does, with the same bits for the same
/// options. centers are (k, d) of any number dtype, x is converted to their working dtype.
Array predict(const Array& x, const Array& centers, const PredictOptions& options = {});

}  // namespace tessera::kmeans
