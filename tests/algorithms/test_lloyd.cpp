// One iteration by every pair of schedules.

#include <kmeans/lloyd.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;
using test::labels_equal;
using test::Matrix;

class LloydTest : public test::DeviceTest {};

TEST_P(LloydTest, EveryPairOfSchedulesMakesTheSameStep) {
  const std::int64_t n = is_slow(device()) ? 400 : 4000;
  const Matrix x = rounded(test::blobs(n, 6, 9), float32);
  const Matrix start = test::first_rows(x, 9);
  const test::Lloyd expected = test::lloyd(x, start, 1);
  const std::vector<AssignFunction> assigns = {assign_gram,
                                               [](const Array& a, const Array& b) {
                                                 return assign_gram_tiled(a, b, {100, 4});
                                               },
                                               [](const Array& a, const Array& b) {
                                                 return assign_running(a, b, {4, Merge::outside});
                                               },
                                               [](const Array& a, const Array& b) {
                                                 return assign_running(a, b, {4, Merge::inside});
                                               }};
  const std::vector<UpdateFunction> updates = {update_scatter, update_one_hot, update_tiled_mean};
  const Array x_here = upload(x, float32, device());
  const Array start_here = upload(start, float32, device());
  for (const AssignFunction& assign : assigns) {
    for (const UpdateFunction& update : updates) {
      const LloydStep step =
          lloyd_step(x_here, start_here, {.assign = assign, .update = update, .update_options = {}});
      EXPECT_TRUE(labels_equal(step.labels, nearest(x, start)));
      ASSERT_EQ(step.centers.dtype(), float32);
      const Matrix centers = test::download(step.centers);
      for (std::size_t i = 0; i < centers.values.size(); ++i) {
        EXPECT_NEAR(centers.values[i], expected.centers.values[i], 1e-4);
      }
    }
  }
}

TEST_P(LloydTest, WeightsCountAsCopies) {
  const Array x = asarray({{0.0F}, {1.0F}, {10.0F}, {11.0F}}, {.device = device()});
  const Array start = asarray({{0.0F}, {10.0F}}, {.device = device()});
  const Array weights = asarray({3.0, 1.0, 0.0, 2.0}, {.device = device()});
  const LloydStep step = lloyd_step(x, start, {.update_options = {.weights = weights}});
  EXPECT_TRUE(test::equal(step.centers, std::vector<float>{0.25F, 11.0F}, {2, 1}));
  EXPECT_TRUE(test::equal(step.weights, std::vector<double>{4, 2}, {2}));
}

TESSERA_FOR_EACH_DEVICE(LloydTest);

}  // namespace
}  // namespace tessera::kmeans
