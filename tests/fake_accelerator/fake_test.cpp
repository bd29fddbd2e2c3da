// The fake accelerator is as strange as it claims to be: what it catches is only as good as that.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tessera/buffer.hpp>
#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>

#include "fake_accelerator/controls.hpp"

namespace tessera::test {
namespace {

class FakeAccelerator : public testing::Test {
 protected:
  void SetUp() override { fake_.synchronize(); }

  void* memory_of(const Array& x) const { return x.node().buffer->data(); }
  DeviceInterface& kernels() const { return fake_.state().device; }

  fake::Controls controls_{TESSERA_FAKE_MODULE};
  Device fake_ = device("fake");
};

// GoogleTest's name for what must run before threads do.
using FakeAcceleratorDeathTest = FakeAccelerator;

TEST_F(FakeAcceleratorDeathTest, AHostThatReadsItsMemoryDies) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Array x = ones({100}, {.device = fake_});
  fake_.synchronize();
  const auto* data = static_cast<volatile float*>(memory_of(x));
  EXPECT_DEATH({ EXPECT_EQ(data[0], 1.0F); }, "");
}

TEST_F(FakeAcceleratorDeathTest, AHostThatWritesItsMemoryDies) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Array x = ones({100}, {.device = fake_});
  auto* data = static_cast<volatile float*>(memory_of(x));
  EXPECT_DEATH(data[0] = 2.0F, "");
}

TEST_F(FakeAccelerator, SaysWhatItIs) {
  const DeviceProperties properties = fake_.properties();
  EXPECT_FALSE(properties.host_memory);
  EXPECT_TRUE(properties.asynchronous);
  EXPECT_GT(properties.memory_bytes, 0);
  EXPECT_GT(properties.cache_bytes, 0);
  EXPECT_FALSE(properties.description.empty());
  EXPECT_FALSE(fake_.host_memory());
}

TEST_F(FakeAccelerator, NothingRunsBeforeAWait) {
  const Array x = ones({100}, {.device = fake_});
  const Array y = sqrt(x) + 1;
  EXPECT_GE(controls_.pending(0), 3);
  fake_.synchronize();
  EXPECT_EQ(controls_.pending(0), 0);
  EXPECT_EQ(sum(y).item<float>(), 200);
  EXPECT_EQ(controls_.pending(0), 0);
}

TEST_F(FakeAccelerator, TheTwoDevicesHaveQueuesOfTheirOwn) {
  const Device other = device("fake:1");
  const Array x = ones({100}, {.device = fake_});
  const Array y = ones({100}, {.device = other});
  fake_.synchronize();
  EXPECT_EQ(controls_.pending(0), 0);
  EXPECT_GE(controls_.pending(1), 1);
  EXPECT_THROW(x + y, DeviceError);
  EXPECT_EQ(sum(to_device(x, other) + y).item<float>(), 200);
  EXPECT_EQ(to_device(x, other).device(), other);
}

TEST_F(FakeAccelerator, AQueueThatIsFullRuns) {
  Array x = zeros({1}, {.dtype = int64, .device = fake_});
  for (int i = 0; i < 10000; ++i) x = std::move(x) + 1;
  EXPECT_LT(controls_.pending(0), 10000);
  EXPECT_EQ(x.item<std::int64_t>(), 10000);
}

TEST_F(FakeAccelerator, TakesHostValuesBeforeACallReturns) {
  std::vector<float> values = {1, 2, 3};
  const Array x = from_host(values, {3}, {.device = fake_});
  values.assign(3, -1);
  Array y;
  {
    float number = 10;
    y = x * number;
    number = -1;
  }
  ASSERT_GT(controls_.pending(0), 0);
  EXPECT_EQ(y.to_host<float>(), (std::vector<float>{10, 20, 30}));
}

TEST_F(FakeAccelerator, FreedMemoryIsReusedInQueueOrder) {
  Array x = full({1000}, 1.0, {.dtype = float64, .device = fake_});
  void* const memory = memory_of(x);
  const Array y = x + 1;
  x = Array();
  const Array z = full({1000}, 7.0, {.dtype = float64, .device = fake_});
  EXPECT_EQ(memory_of(z), memory);
  ASSERT_GT(controls_.pending(0), 0);
  EXPECT_EQ(sum(y).item<double>(), 2000);
  EXPECT_EQ(sum(z).item<double>(), 7000);
}

TEST_F(FakeAccelerator, MemoryThatIsGivenBackMayStillBeInTheQueue) {
  Array x = full({1000}, 1.0, {.dtype = float64, .device = fake_});
  const Array y = x + 1;
  x = Array();
  fake_.trim();
  EXPECT_EQ(sum(y).item<double>(), 2000);
}

TEST_F(FakeAccelerator, EventsMeasureTheQueueNotTheCalls) {
  const Array x = ones({300, 300}, {.device = fake_});
  fake_.synchronize();
  const auto start = fake_.record();
  const Array y = matmul(x, x);
  const auto stop = fake_.record();
  const auto after = fake_.record();
  EXPECT_GT(fake_.elapsed(start, stop), fake_.elapsed(stop, after));
  EXPECT_GE(fake_.elapsed(stop, after), 0);
  EXPECT_EQ(fake_.elapsed(stop, stop), 0);
}

TEST_F(FakeAccelerator, FreshMemoryIsNotZero) {
  fake_.trim();
  const Array x = empty({1000}, {.device = fake_});
  EXPECT_TRUE(all(isnan(x)).item<bool>());
}

TEST_F(FakeAccelerator, RefusesMemoryThatIsNotItsOwn) {
  std::vector<float> host(10);
  const View view{.data = host.data(), .dtype = float32, .shape = {10}, .strides = {1}};
  EXPECT_THROW(kernels().fill(1, view), DeviceError);
  EXPECT_THROW(kernels().upload(host.data(), host.data(), 4), DeviceError);

  const Array x = ones({10}, {.device = device("fake:1")});
  const View elsewhere{.data = memory_of(x), .dtype = float32, .shape = {10}, .strides = {1}};
  EXPECT_THROW(kernels().fill(1, elsewhere), DeviceError);
}

TEST_F(FakeAccelerator, RefusesViewsThatLeaveTheirMemory) {
  const Array x = ones({1000}, {.device = fake_});
  void* const data = memory_of(x);
  EXPECT_THROW(kernels().fill(1, {.data = data, .dtype = float32, .shape = {3000}, .strides = {1}}),
               DeviceError);
  EXPECT_THROW(kernels().fill(1, {.data = data, .dtype = float32, .shape = {2}, .strides = {-1}}),
               DeviceError);
  EXPECT_NO_THROW(
      kernels().fill(1, {.data = data, .dtype = float32, .shape = {10, 100}, .strides = {100, 1}}));
  EXPECT_NO_THROW(kernels().fill(1, {.data = nullptr, .dtype = float32, .shape = {0}, .strides = {1}}));
}

}  // namespace
}  // namespace tessera::test
