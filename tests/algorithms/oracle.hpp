#pragma once

// K-means in plain float64 loops on the host, to be believed by reading: what the devices are compared with.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/array.hpp>

namespace tessera::test {

/// Rows of numbers.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(std::int64_t n, std::int64_t d) : rows(n), columns(d), values(static_cast<std::size_t>(n * d)) {}
  Matrix(std::initializer_list<std::initializer_list<double>> lines);
  double& at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

/// A single feature.
Matrix column(const std::vector<double>& values);

Array upload(const Matrix& x, DType dtype, const Device& device);
/// Of a 1-d or 2-d array of floats.
Matrix download(const Array& x);
/// The values as the dtype holds them.
Matrix rounded(Matrix x, DType dtype);

double squared_distance(const Matrix& x, std::int64_t i, const Matrix& centers, std::int64_t j);
/// The lowest index among the nearest centers.
std::int64_t nearest(const Matrix& x, std::int64_t i, const Matrix& centers);
std::vector<std::int64_t> nearest(const Matrix& x, const Matrix& centers);
/// Weights may be empty: every one is 1 then.
double inertia(const Matrix& x, const std::vector<std::int64_t>& labels, const Matrix& centers,
               const std::vector<double>& weights = {});

struct Lloyd {
  Matrix centers;
  std::vector<std::int64_t> labels;  ///< nearest(x, centers)
  std::vector<double> weights;       ///< of the clusters, as the last update left them
  double inertia = 0;                ///< of these labels and centers
  std::int64_t relocated = 0;
  int iterations = 0;
};
/// Lloyd's algorithm until the labels repeat or for `max_iter` iterations, with the rule for empty clusters:
/// the j-th of them takes the sample that is j-th farthest from its center, if its weight and distance are
/// above 0.
Lloyd lloyd(const Matrix& x, Matrix centers, int max_iter, const std::vector<double>& weights = {});

/// Whether each label is the float64 nearest center, but for those whose two squared distances differ by no
/// more than `slack`.
::testing::AssertionResult labels_are_nearest(const Array& labels, const Matrix& x, const Matrix& centers,
                                              double slack = 0);

::testing::AssertionResult labels_equal(const Array& labels, const std::vector<std::int64_t>& expected);

}  // namespace tessera::test
