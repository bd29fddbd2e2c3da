// Initial centers: both versions of k-means++, and random ones.

#include <algorithm>
#include <cmath>
#include <set>

#include <kmeans/init.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;
using test::Matrix;

CenteredSamples centered(const Array& x, bool take_off_products) {
  const Array mean = astype(tessera::mean(astype(x, float64), {.axis = 0}), x.dtype());
  return {.x = x,
          .mean = mean,
          .norms = centered_norms(x, mean, 100),
          .mean_norm = std::sqrt(vecdot(mean, mean).item<double>()),
          .take_off_products = take_off_products,
          .tile_samples = 100};
}

class InitTest : public test::DeviceTest {
 protected:
  struct Named {
    std::string name;
    std::function<Seeds(const Array&, std::int64_t, const random::Key&, const std::optional<Array>&)> seed;
  };
  static std::vector<Named> plus_plus() {
    return {{"norms once",
             [](const Array& x, std::int64_t k, const random::Key& key, const std::optional<Array>& weights) {
               return kmeans_plusplus(x, k, key, {.weights = weights});
             }},
            {"recomputed",
             [](const Array& x, std::int64_t k, const random::Key& key, const std::optional<Array>& weights) {
               return kmeans_plusplus_recompute(x, k, key, {.weights = weights});
             }},
            {"mean taken off samples",
             [](const Array& x, std::int64_t k, const random::Key& key, const std::optional<Array>& weights) {
               return kmeans_plusplus(centered(x, false), k, key, {.weights = weights});
             }},
            {"mean taken off products",
             [](const Array& x, std::int64_t k, const random::Key& key, const std::optional<Array>& weights) {
               return kmeans_plusplus(centered(x, true), k, key, {.weights = weights});
             }}};
  }
  static std::vector<Named> all() {
    auto methods = plus_plus();
    methods.push_back({"random", random_centers});
    return methods;
  }
};

TEST_P(InitTest, CentersAreTheRowsThatTheIndicesName) {
  const Matrix x = rounded(test::blobs(is_slow(device()) ? 500 : 5000, 5, 8), float32);
  const Array here = upload(x, float32, device());
  for (const Named& method : all()) {
    SCOPED_TRACE(method.name);
    for (const std::int64_t k : {1, 2, 8, 30}) {
      const Seeds seeds = method.seed(here, k, random::Key(7), {});
      ASSERT_EQ(seeds.indices.dtype(), int64);
      ASSERT_EQ(seeds.centers.shape(), (Shape{k, 5}));
      const auto indices = seeds.indices.to_host<std::int64_t>();
      EXPECT_EQ(std::set(indices.begin(), indices.end()).size(), static_cast<std::size_t>(k));
      const Matrix centers = test::download(seeds.centers);
      for (std::int64_t j = 0; j < k; ++j) {
        for (std::int64_t c = 0; c < 5; ++c) {
          EXPECT_EQ(centers.at(j, c), x.at(indices[static_cast<std::size_t>(j)], c));
        }
      }
    }
  }
}

TEST_P(InitTest, TheSameKeyGivesTheSameCentersAndAnotherOthers) {
  const Array x = upload(test::normal_samples(300, 4), float32, device());
  for (const Named& method : all()) {
    SCOPED_TRACE(method.name);
    const Array once = method.seed(x, 20, random::Key(1), {}).indices;
    EXPECT_TRUE(test::same_bits(once, method.seed(x, 20, random::Key(1), {}).indices));
    EXPECT_FALSE(test::same_bits(once, method.seed(x, 20, random::Key(2), {}).indices));
  }
}

TEST_P(InitTest, AllVersionsOfPlusPlusChooseTheSameOfWholeNumbers) {
  // Products and distances of small whole numbers are exact, so the versions differ in nothing.
  test::Numbers numbers(5);
  Matrix x(400, 3);
  for (std::int64_t i = 0; i < 200 * 3; ++i)
    x.values[static_cast<std::size_t>(i)] = double(numbers.between(-50, 50));
  for (std::int64_t i = 0; i < 200 * 3; ++i)
    x.values[static_cast<std::size_t>(600 + i)] = -x.values[static_cast<std::size_t>(i)];
  const Array here = upload(x, float64, device());  // its mean is 0
  const Array expected = kmeans_plusplus(here, 12, random::Key(3)).indices;
  for (const Named& method : plus_plus()) {
    EXPECT_TRUE(test::equal(method.seed(here, 12, random::Key(3), {}).indices, expected)) << method.name;
  }
}

TEST_P(InitTest, PlusPlusFindsEveryBlobOfWellSeparatedOnes) {
  const std::int64_t k = 6;
  Matrix x = test::normal_samples(is_slow(device()) ? 600 : 6000, 3, 0, 0.01);
  for (std::int64_t i = 0; i < x.rows; ++i) x.at(i, 0) += 100 * double(i % k);
  for (const double offset : {0.0, 1e4}) {
    Matrix moved = x;
    for (double& value : moved.values) value += offset;
    const Array here = upload(moved, float32, device());
    for (const Named& method : plus_plus()) {
      if (offset != 0 && method.name != "mean taken off samples") continue;
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        std::set<std::int64_t> found;
        for (const std::int64_t i :
             method.seed(here, k, random::Key(seed), {}).indices.to_host<std::int64_t>()) {
          found.insert(i % k);
        }
        EXPECT_EQ(found.size(), static_cast<std::size_t>(k)) << method.name << ", seed " << seed;
      }
    }
  }
}

TEST_P(InitTest, ASampleOfWeightZeroIsNeverChosen) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const Matrix few = test::normal_samples(20, 3);
    const std::int64_t times = copies(form, 20, device());
    const Array x = upload(padded(test::repeated(few, times), form), float32, device());
    std::vector<double> weights;
    for (std::int64_t i = 0; i < 20 * times; ++i) weights.push_back(i % 2 == 0 ? 0 : 1 + double(i % 3));
    const Array weights_here = from_host(weights, {20 * times}, {.device = device()});
    for (const Named& method : all()) {
      // As many centers as there are different samples with weight: towards the end all potentials are 0.
      for (const std::int64_t k : {2, 10}) {
        const Seeds seeds = method.seed(x, k, random::Key(11), weights_here);
        for (const std::int64_t i : seeds.indices.to_host<std::int64_t>()) {
          EXPECT_EQ(i % 2, 1) << method.name << ", k " << k;
        }
      }
    }
  }
}

TEST_P(InitTest, MoreCentersThanDifferentSamplesWithWeightStillChooseOnlyThose) {
  const Array x = upload(test::column({5, 1, 5, 2, 5, 3}), float32, device());
  const Array weights = asarray({1.0, 0.0, 2.0, 0.0, 1.0, 0.0}, {.device = device()});
  for (const Named& method : plus_plus()) {
    const Seeds seeds = method.seed(x, 5, random::Key(0), weights);
    for (const double value : test::download(seeds.centers).values) EXPECT_EQ(value, 5) << method.name;
  }
  EXPECT_THROW(random_centers(x, 5, random::Key(0), weights), ValueError);
}

TEST_P(InitTest, EqualSamplesNeitherLoopNorGiveNaN) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const std::int64_t times = copies(form, 10, device());
    const Matrix x = padded(test::repeated(test::column(std::vector<double>(10, 0.7)), times), form);
    for (const Named& method : plus_plus()) {
      const Seeds seeds = method.seed(upload(x, float32, device()), 10, random::Key(1), {});
      for (std::int64_t j = 0; j < 10; ++j) {
        EXPECT_EQ(test::download(seeds.centers).at(j, 0), double(0.7F)) << method.name;
      }
    }
  }
}

TEST_P(InitTest, PlusPlusThatIsStoppedDrawsTheRestAtOnce) {
  const Array x = upload(test::normal_samples(200, 4), float32, device());
  const auto stopped_at = [](int center, int& asked) {
    return [center, &asked] { return ++asked == center; };
  };
  int asked = 0;
  const auto indices = [&](const PlusPlusOptions& options) {
    return kmeans_plusplus(centered(x, false), 9, random::Key(4), options).indices.to_host<std::int64_t>();
  };
  const auto whole = indices({});
  const auto some = indices({.stop = stopped_at(4, asked)});
  EXPECT_EQ(asked, 4);  // once stopped it is not asked again
  ASSERT_EQ(some.size(), 9U);
  EXPECT_TRUE(std::equal(whole.begin(), whole.begin() + 4, some.begin()));
  for (const std::int64_t i : some) EXPECT_TRUE(i >= 0 && i < 200);
  // Those left are of the others, and more than one.
  for (int j = 4; j < 9; ++j) EXPECT_EQ(std::count(some.begin(), some.begin() + 4, some[std::size_t(j)]), 0);
  EXPECT_GT(std::set(some.begin() + 4, some.end()).size(), 1U);
}

TESSERA_FOR_EACH_DEVICE(InitTest);

}  // namespace
}  // namespace tessera::kmeans
