#include "oracle.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::test {

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> lines)
    : rows(static_cast<std::int64_t>(lines.size())),
      columns(static_cast<std::int64_t>(lines.begin()->size())) {
  for (const auto& line : lines) values.insert(values.end(), line.begin(), line.end());
}

Matrix column(const std::vector<double>& values) {
  Matrix x(static_cast<std::int64_t>(values.size()), 1);
  x.values = values;
  return x;
}

Array upload(const Matrix& x, DType dtype, const Device& device) {
  const Shape shape{x.rows, x.columns};
  if (dtype == float64) return from_host(x.values, shape, {.device = device});
  const std::vector<float> narrow(x.values.begin(), x.values.end());
  return from_host(narrow, shape, {.device = device});
}

Matrix download(const Array& x) {
  Matrix out(x.shape(0), x.ndim() == 2 ? x.shape(1) : 1);
  if (x.dtype() == float64) {
    out.values = x.to_host<double>();
  } else {
    const auto narrow = x.to_host<float>();
    out.values.assign(narrow.begin(), narrow.end());
  }
  return out;
}

Matrix rounded(Matrix x, DType dtype) {
  if (dtype == float32) {
    for (double& value : x.values) value = static_cast<double>(static_cast<float>(value));
  }
  return x;
}

double squared_distance(const Matrix& x, std::int64_t i, const Matrix& centers, std::int64_t j) {
  double total = 0;
  for (std::int64_t c = 0; c < x.columns; ++c) {
    const double difference = x.at(i, c) - centers.at(j, c);
    total += difference * difference;
  }
  return total;
}

std::int64_t nearest(const Matrix& x, std::int64_t i, const Matrix& centers) {
  std::int64_t best = 0;
  double lowest = squared_distance(x, i, centers, 0);
  for (std::int64_t j = 1; j < centers.rows; ++j) {
    const double distance = squared_distance(x, i, centers, j);
    if (distance < lowest) {
      lowest = distance;
      best = j;
    }
  }
  return best;
}

std::vector<std::int64_t> nearest(const Matrix& x, const Matrix& centers) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(x.rows));
  for (std::int64_t i = 0; i < x.rows; ++i) labels[static_cast<std::size_t>(i)] = nearest(x, i, centers);
  return labels;
}

double inertia(const Matrix& x, const std::vector<std::int64_t>& labels, const Matrix& centers,
               const std::vector<double>& weights) {
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    total += (weights.empty() ? 1 : weights[i]) *
             squared_distance(x, static_cast<std::int64_t>(i), centers, labels[i]);
  }
  return total;
}

namespace {

// Positions of samples, the farthest from its center first, ties to the lowest index; those that may move.
std::vector<std::size_t> movable(const Matrix& x, const std::vector<std::int64_t>& labels,
                                 const Matrix& centers, const std::vector<double>& weights) {
  std::vector<double> distances(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    distances[i] = squared_distance(x, static_cast<std::int64_t>(i), centers, labels[i]);
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distances[a] > distances[b]; });
  std::erase_if(order,
                [&](std::size_t i) { return distances[i] == 0 || (!weights.empty() && weights[i] == 0); });
  return order;
}

}  // namespace

Lloyd lloyd(const Matrix& x, Matrix centers, int max_iter, const std::vector<double>& weights) {
  Lloyd run;
  const auto k = static_cast<std::size_t>(centers.rows);
  std::vector<std::int64_t> before;
  while (run.iterations < max_iter) {
    ++run.iterations;
    // A sample belongs to where its label says, unless it moves to an empty cluster.
    const std::vector<std::int64_t> labels = nearest(x, centers);
    std::vector<std::int64_t> owners = labels;
    std::vector<bool> filled(k, false);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (weights.empty() || weights[i] > 0) filled[static_cast<std::size_t>(labels[i])] = true;
    }
    const auto farthest = movable(x, labels, centers, weights);
    std::size_t moved = 0;
    for (std::size_t j = 0; j < k && moved < farthest.size(); ++j) {
      if (!filled[j]) owners[farthest[moved++]] = static_cast<std::int64_t>(j);
    }
    Matrix sums(centers.rows, centers.columns);
    run.weights.assign(k, 0);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const double w = weights.empty() ? 1 : weights[i];
      run.weights[static_cast<std::size_t>(owners[i])] += w;
      for (std::int64_t c = 0; c < x.columns; ++c) {
        sums.at(owners[i], c) += w * x.at(static_cast<std::int64_t>(i), c);
      }
    }
    for (std::int64_t j = 0; j < centers.rows; ++j) {
      const double w = run.weights[static_cast<std::size_t>(j)];
      if (w == 0) continue;
      for (std::int64_t c = 0; c < x.columns; ++c) centers.at(j, c) = sums.at(j, c) / w;
    }
    run.relocated += static_cast<std::int64_t>(moved);
    if (labels == before && moved == 0) break;
    before = labels;
  }
  run.centers = centers;
  run.labels = nearest(x, centers);
  run.inertia = inertia(x, run.labels, centers, weights);
  return run;
}

::testing::AssertionResult labels_are_nearest(const Array& labels, const Matrix& x, const Matrix& centers,
                                              double slack) {
  const auto values = labels.to_host<std::int64_t>();
  if (static_cast<std::int64_t>(values.size()) != x.rows) {
    return ::testing::AssertionFailure() << values.size() << " labels for " << x.rows << " samples";
  }
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const std::int64_t label = values[static_cast<std::size_t>(i)];
    if (label < 0 || label >= centers.rows) {
      return ::testing::AssertionFailure() << "label " << label << " of sample " << i;
    }
    const std::int64_t best = nearest(x, i, centers);
    if (label == best) continue;
    const double here = squared_distance(x, i, centers, label);
    const double there = squared_distance(x, i, centers, best);
    if (slack > 0 && here - there <= slack) continue;
    return ::testing::AssertionFailure() << "sample " << i << " has label " << label << " at " << here
                                         << ", but center " << best << " is at " << there;
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult labels_equal(const Array& labels, const std::vector<std::int64_t>& expected) {
  const auto values = labels.to_host<std::int64_t>();
  if (values.size() != expected.size()) {
    return ::testing::AssertionFailure() << values.size() << " labels, expected " << expected.size();
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != expected[i]) {
      return ::testing::AssertionFailure()
             << "sample " << i << " has label " << values[i] << ", expected " << expected[i];
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tessera::test
