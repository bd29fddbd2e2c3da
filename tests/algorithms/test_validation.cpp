// What is refused, and in which words.

#include <cmath>

#include <kmeans/assign.hpp>
#include <kmeans/init.hpp>
#include <kmeans/kmeans.hpp>
#include <kmeans/update.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::Matrix;

class ValidationTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
  Array values(std::int64_t n, std::int64_t d) const { return here(test::normal_samples(n, d)); }
};

// That f throws E, with all of the words in its text.
template <class E, class F>
void expect_error(F&& f, std::initializer_list<const char*> words) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& error) {
    for (const char* word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << error.what() << "\nlacks: " << word;
    }
  }
}

TEST_P(ValidationTest, AValueThatIsNotFiniteIsRefusedWithItsRow) {
  for (const test::Form& form : test::kForms) {
    const std::int64_t times = copies(form, 100, device());
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      for (const DType dtype : {float32, float64}) {
        Matrix x = padded(test::repeated(test::normal_samples(100, 2), times), form);
        const std::int64_t row = x.rows - 63;
        x.at(row, 1) = bad;
        x.at(row + 5, 0) = -bad;
        const std::string text = "row " + std::to_string(row) + ":";
        KMeans kmeans({.n_clusters = 3});
        expect_error<ValueError>([&] { kmeans.fit(here(x, dtype)); },
                                 {"[kmeans] x", text.c_str(), "column 1"});
        KMeans given(
            {.n_clusters = 3, .init = here(padded(test::normal_samples(3, 2), form), dtype), .tol = 0});
        expect_error<ValueError>([&] { given.fit(here(x, dtype)); }, {"[kmeans] x", text.c_str()});
        expect_error<ValueError>(
            [&] { predict(here(x, dtype), here(padded(test::normal_samples(3, 2), form), dtype)); },
            {"[kmeans] x", text.c_str()});
      }
    }
  }
}

TEST_P(ValidationTest, ValuesWhoseScoresOverflowAreRefusedByEveryWayIn) {
  const Array small = asarray({{1.0F}, {2.0F}, {3.0F}}, {.device = device()});
  const Array start = asarray({{1.0F}, {2.0F}}, {.device = device()});
  for (const float value : {3e38F, 1e20F, 1e19F}) {
    const Array large = asarray({{value}, {-value}, {1.0F}}, {.device = device()});
    const Array far = asarray({{value}, {-value}}, {.device = device()});
    const auto refused = [](const auto& f, const char* argument) {
      expect_error<ValueError>(f, {argument, "overflow float32", "float64"});
    };
    refused([&] { KMeans({.n_clusters = 2}).fit(large); }, "[kmeans] x");
    refused([&] { KMeans({.n_clusters = 2, .init = InitMethod::random, .tol = 0}).fit(large); },
            "[kmeans] x");
    refused([&] { KMeans({.n_clusters = 2, .init = start, .tol = 0}).fit(large); }, "[kmeans] x");
    refused([&] { KMeans({.n_clusters = 2, .init = far, .tol = 0}).fit(small); }, "[kmeans] init");
    refused([&] { KMeans({.n_clusters = 2, .init = far}).fit(small); }, "[kmeans] init");
    refused([&] { predict(large, start); }, "[kmeans] x");
    refused([&] { predict(small, far); }, "[kmeans] centers");
    EXPECT_NO_THROW(predict(astype(large, float64), astype(start, float64)));
  }
  // Finite, though their sum is not.
  const Array wide = asarray({{1.5e308}, {1.5e308}, {-1.5e308}}, {.device = device()});
  expect_error<ValueError>([&] { predict(wide, astype(start, float64)); },
                           {"[kmeans] x", "overflow float64"});
}

TEST_P(ValidationTest, WeightsWhoseSumsOverflowAreRefused) {
  const Array x = asarray({{1e3}, {2e3}, {3e3}}, {.device = device()});
  const Array weights = asarray({3e305, 3e305, 3e305}, {.device = device()});
  expect_error<ValueError>([&] { KMeans({.n_clusters = 2}).fit(x, weights); },
                           {"[kmeans] sample_weight", "overflow"});
}

TEST_P(ValidationTest, FunctionsCheckShapes) {
  const Array x = values(6, 2);
  const Array none = zeros({0, 2}, {.dtype = x.dtype(), .device = device()});
  expect_error<ShapeError>([&] { assign_gram(x, none); }, {"[assign_gram] centers", "(0, 2)"});
  expect_error<ShapeError>([&] { assign_gram_tiled(x, none); }, {"[assign_gram_tiled] centers", "(0, 2)"});
  expect_error<ShapeError>([&] { assign_running(x, none); }, {"[assign_running] centers", "(0, 2)"});
  expect_error<ShapeError>([&] { update_tiled_mean(x, zeros({5}, {.dtype = int64, .device = device()}), 2); },
                           {"[update_tiled_mean] labels", "(5,)", "(6, 2)"});
  expect_error<ValueError>([&] { kmeans_plusplus(x, 7, random::Key(0)); }, {"clusters is 7", "6"});
  expect_error<ValueError>([&] { kmeans_plusplus(x, 0, random::Key(0)); }, {"clusters is 0"});
}

TEST_P(ValidationTest, LargeValuesThatAreCloseTogetherAreNotRefused) {
  const Array x = asarray({{1.00e19F}, {1.01e19F}, {1.20e19F}, {1.21e19F}}, {.device = device()});
  const Array start = asarray({{1.00e19F}, {1.20e19F}}, {.device = device()});
  const std::vector<std::int64_t> expected{0, 0, 1, 1};
  EXPECT_EQ(predict(x, start).to_host<std::int64_t>(), expected);
  EXPECT_EQ(KMeans({.n_clusters = 2, .init = start, .tol = 0}).fit(x).labels().to_host<std::int64_t>(),
            expected);
  EXPECT_EQ(KMeans({.n_clusters = 2, .init = start}).fit(x).labels().to_host<std::int64_t>(), expected);
}

TEST_P(ValidationTest, ValuesAreCheckedInTheDtypeThatTheyAreComputedIn) {
  const Array wide = asarray({{1.0}, {1e300}}, {.device = device()});
  const Array narrow = asarray({{1.0F}, {2.0F}, {3.0F}}, {.device = device()});
  expect_error<ValueError>([&] { predict(wide, narrow); }, {"[kmeans] x", "row 1"});
  expect_error<ValueError>([&] { KMeans({.n_clusters = 2, .init = wide}).fit(narrow); },
                           {"[kmeans] init", "row 1"});
}

TEST_P(ValidationTest, SizesThatMakeNoSense) {
  expect_error<ValueError>([&] { KMeans({.n_clusters = 0}); }, {"n_clusters is 0"});
  expect_error<ValueError>([&] { KMeans({.n_clusters = -4}); }, {"n_clusters is -4"});
  expect_error<ValueError>([&] { KMeans({.n_init = 0}); }, {"n_init is 0"});
  expect_error<ValueError>([&] { KMeans({.max_iter = 0}); }, {"max_iter is 0"});
  expect_error<ValueError>([&] { KMeans({.tol = -1}); }, {"tol is -1"});
  expect_error<ValueError>([&] { KMeans({.tol = std::nan("")}); }, {"tol is"});
  expect_error<ValueError>([&] { KMeans({.tile_samples = -1}); }, {"tile_samples is -1"});
  KMeans kmeans({.n_clusters = 5});
  expect_error<ValueError>([&] { kmeans.fit(values(3, 2)); }, {"n_clusters is 5", "3 samples"});
  expect_error<ValueError>(
      [&] {
        kmeans.fit(zeros({0, 2}, {.device = device()}));
      },
      {"no samples", "(0, 2)"});
  expect_error<ValueError>(
      [&] {
        kmeans.fit(zeros({9, 0}, {.device = device()}));
      },
      {"no features", "(9, 0)"});
  expect_error<ShapeError>([&] { kmeans.fit(zeros({9}, {.device = device()})); }, {"(9,)", "reshape"});
  expect_error<ValueError>([&] { kmeans.fit(Array()); }, {"x is no array"});
  expect_error<DTypeError>(
      [&] {
        kmeans.fit(zeros({9, 2}, {.dtype = bool_, .device = device()}));
      },
      {"bool"});
}

TEST_P(ValidationTest, WeightsThatMakeNoSense) {
  const Array x = values(6, 2);
  KMeans kmeans({.n_clusters = 2});
  const auto fit = [&](std::initializer_list<double> weights) {
    kmeans.fit(x, asarray(weights, {.device = device()}));
  };
  expect_error<ValueError>([&] { fit({1, 1, -0.5, 1, -1, 1}); }, {"sample_weight", "negative", "row 2"});
  expect_error<ValueError>(
      [&] {
        fit({1, 1, 1, std::nan(""), 1, 1});
      },
      {"sample_weight", "not finite", "row 3"});
  expect_error<ValueError>([&] { fit({1, HUGE_VAL, 1, 1, 1, 1}); }, {"sample_weight", "not finite", "row 1"});
  expect_error<ValueError>([&] { fit({0, 0, 0, 0, 0, 0}); }, {"sample_weight", "sums to 0", "row 0"});
  expect_error<ShapeError>([&] { fit({1, 1, 1}); }, {"sample_weight", "(3,)", "6 samples"});
  EXPECT_NO_THROW(fit({0, 0, 1, 0, 0, 0}));
}

TEST_P(ValidationTest, CentersThatDoNotFit) {
  const Array x = values(9, 3);
  const auto fit = [&](const Array& init) { KMeans({.n_clusters = 2, .init = init}).fit(x); };
  expect_error<ShapeError>([&] { fit(values(3, 3)); }, {"init", "(3, 3)", "(2, 3)"});
  expect_error<ShapeError>([&] { fit(values(2, 4)); }, {"init", "(2, 4)", "(2, 3)"});
  expect_error<ValueError>(
      [&] {
        fit(asarray({{1.0, 2.0, 3.0}, {1.0, std::nan(""), 3.0}}, {.device = device()}));
      },
      {"init", "row 1", "column 1"});
  expect_error<ShapeError>([&] { predict(x, values(2, 4)); }, {"centers", "(2, 4)"});
  expect_error<ShapeError>([&] { predict(x, zeros({0, 3}, {.device = device()})); }, {"centers", "(0, 3)"});
  KMeans kmeans({.n_clusters = 2});
  kmeans.fit(x);
  expect_error<ShapeError>([&] { kmeans.predict(values(5, 2)); }, {"2 features"});
  expect_error<ShapeError>([&] { kmeans.transform(values(5, 2)); }, {"2 features"});
}

TEST_P(ValidationTest, ArraysOnAnotherDeviceAreRefusedNotCopied) {
  const Device other = tessera::device(device().name() == "reference" ? "cpu" : "reference");
  const Array x = values(9, 3);
  const Array there = upload(test::normal_samples(2, 3), float32, other);
  expect_error<DeviceError>([&] { KMeans({.n_clusters = 2, .init = there}).fit(x); },
                            {"init is on", other.name().c_str(), device().name().c_str(), "to_device"});
  expect_error<DeviceError>([&] { KMeans({.n_clusters = 2}).fit(x, ones({9}, {.device = other})); },
                            {"sample_weight is on", other.name().c_str(), "to_device"});
  expect_error<DeviceError>([&] { predict(x, there); }, {"centers is on", other.name().c_str()});
}

TEST_P(ValidationTest, NothingIsReportedBeforeAFitAndAFailedOneChangesNothing) {
  KMeans kmeans({.n_clusters = 2});
  expect_error<ValueError>([&] { kmeans.labels(); }, {"fit"});
  expect_error<ValueError>([&] { kmeans.predict(values(4, 2)); }, {"fit"});
  kmeans.fit(values(9, 2));
  const double inertia = kmeans.inertia();
  EXPECT_THROW(kmeans.fit(values(1, 2)), ValueError);
  EXPECT_EQ(kmeans.inertia(), inertia);
}

TEST_P(ValidationTest, UnknownNamesAreAnsweredWithThoseThereAre) {
  expect_error<ValueError>([] { assign_method("gramm"); }, {"gramm", "gram_tiled", "running"});
  expect_error<ValueError>([] { update_method("mean"); }, {"mean", "scatter", "one_hot", "tiled_mean"});
  expect_error<ValueError>([] { init_method(""); }, {"kmeans++", "random"});
  EXPECT_EQ(assign_method("running_inside"), AssignMethod::running_inside);
  EXPECT_EQ(update_method("tiled_mean"), UpdateMethod::tiled_mean);
  EXPECT_EQ(init_method("random"), InitMethod::random);
  EXPECT_EQ(name(Stopped::interrupted), "interrupted");
}

TESSERA_FOR_EACH_DEVICE(ValidationTest);

}  // namespace
}  // namespace tessera::kmeans
