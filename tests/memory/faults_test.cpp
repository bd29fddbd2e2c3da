// What happens when a device fails: the fake accelerator does so on demand.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/tessera.hpp>

#include "fake_accelerator/controls.hpp"

namespace tessera::test {
namespace {

class FaultsTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const int index : {0, 1}) controls_.reset(index);
    for (const Device& each : {fake_, other_}) {
      try {
        each.synchronize();
      } catch (const Error&) {  // the test's own
      }
    }
  }

  static std::string message_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  Array ones_on(const Device& device) const { return ones({10}, {.dtype = float64, .device = device}); }

  fake::Controls controls_{TESSERA_FAKE_MODULE};
  Device fake_ = device("fake");
  Device other_ = device("fake:1");
};

using AllocationFaults = FaultsTest;
using LateFaults = FaultsTest;
using IndexFaults = FaultsTest;
using LostDevice = FaultsTest;

// ---- no memory

TEST_F(AllocationFaults, AreOutOfMemoryErrors) {
  fake_.trim();
  const MemoryStats before = fake_.memory();
  controls_.fail_allocations(0, 1);
  const std::string what = message_of([&] { zeros({1000}, {.device = fake_}); });
  EXPECT_TRUE(what.starts_with("[zeros] out of memory on fake")) << what;
  EXPECT_NE(what.find("4000 bytes"), std::string::npos) << what;
  EXPECT_EQ(fake_.memory().in_use, before.in_use);
  EXPECT_EQ(sum(ones_on(fake_)).item<double>(), 10);
}

TEST_F(AllocationFaults, GiveTheCacheBackAndTryAgainFirst) {
  zeros({100000}, {.device = fake_});  // cached
  controls_.fail_allocations(0, 1);
  const Array x = zeros({300000}, {.device = fake_});
  EXPECT_EQ(fake_.memory().cached, 0);
}

TEST_F(AllocationFaults, OfAMachineThatIsFullAreOutOfMemoryErrors) {
  const std::int64_t bytes = fake_.properties().memory_bytes;
  EXPECT_THROW(empty({bytes + 1}, {.dtype = uint8, .device = fake_}), OutOfMemoryError);
  EXPECT_THROW(empty({std::int64_t{1} << 60}, {.dtype = uint8, .device = fake_}), OutOfMemoryError);
  EXPECT_EQ(sum(ones_on(fake_)).item<double>(), 10);
}

TEST_F(AllocationFaults, AnywhereInAComputationLeaveEverythingUsable) {
  const Array x = reshape(arange(2000, {.dtype = float32, .device = fake_}), {500, 4}) / 1000;
  const Array centers = take(x, asarray({0, 250, 499}, {.device = fake_}), {.axis = 0});
  const auto step = [&] {
    const Array norms = sum(square(centers), {.axis = 1});
    const Array labels = argmin(norms - 2 * matmul(x, matrix_transpose(centers)), {.axis = 1});
    const Array sums = scatter_add(zeros({3, 4}, {.dtype = float64, .device = fake_}), labels, x);
    return sum(sums / 500).item<double>();
  };
  const double expected = step();
  const std::int64_t before = fake_.memory().in_use;
  int failures = 0;
  for (long n = 1;; ++n) {
    ASSERT_LT(n, 100);
    fake_.trim();
    controls_.fail_allocations(0, n, 2);  // the one after a trim as well
    try {
      EXPECT_EQ(step(), expected);
      break;  // the computation has fewer allocations
    } catch (const OutOfMemoryError&) {
      ++failures;
    }
    controls_.reset(0);
    EXPECT_EQ(fake_.memory().in_use, before) << "allocation " << n;
    EXPECT_EQ(step(), expected) << "allocation " << n;
  }
  EXPECT_GE(failures, 5);
}

// ---- an operation that fails when the queue comes to it

TEST_F(LateFaults, SurfaceAtTheNextWaitUnderTheOperationsNameOnce) {
  const Array x = ones_on(fake_);
  controls_.fail_operation(0, 1);
  const Array y = sqrt(x);  // fails, later
  const Array z = x + 1;    // is in the queue behind it
  try {
    fake_.synchronize();
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("[sqrt] ")) << error.what();
  }
  EXPECT_NO_THROW(fake_.synchronize());
  EXPECT_EQ(sum(z).item<double>(), 20);
  EXPECT_EQ(sum(sqrt(x)).item<double>(), 10);
}

TEST_F(LateFaults, SurfaceAtEveryKindOfWait) {
  const Array x = ones_on(fake_);
  const std::vector<std::function<void()>> waits = {
      [&] { fake_.synchronize(); },
      [&] { x.to_host<double>(); },
      [&] { index(x, {0}).item<double>(); },
      [&] { to_device(x, other_); },
      [&] { to_string(x); },
      [&] { fake_.elapsed(fake_.record(), fake_.record()); },
  };
  for (std::size_t i = 0; i < waits.size(); ++i) {
    SCOPED_TRACE(i);
    fake_.synchronize();
    controls_.fail_operation(0, 1);
    const Array y = x + 1;
    EXPECT_THROW(waits[i](), DeviceError);
    EXPECT_NO_THROW(waits[i]());
  }
}

TEST_F(LateFaults, OfOneDeviceLeaveTheOthersAlone) {
  const Array here = ones_on(fake_);
  const Array there = ones_on(other_);
  controls_.fail_operation(0, 1);
  const Array y = here + 1;
  EXPECT_EQ(sum(there + 1).item<double>(), 20);
  EXPECT_THROW(fake_.synchronize(), DeviceError);
}

TEST_F(LateFaults, SurfaceInOneOfTheThreadsThatWait) {
  const Array x = ones_on(fake_);
  fake_.synchronize();
  controls_.fail_operation(0, 1);
  const Array y = x + 1;
  std::atomic<int> errors = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      try {
        sum(x + 2).item<double>();
      } catch (const DeviceError&) {
        ++errors;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, 1);
}

// ---- indices that are out of bounds

TEST_F(IndexFaults, SurfaceAtTheNextWaitUnderTheOperationsNameOnce) {
  const Array x = ones_on(fake_);
  const Array y = take(x, asarray({3, 10}, {.device = fake_}));
  const Array z = x + 1;
  try {
    z.to_host<double>();
    FAIL() << "no error";
  } catch (const IndexError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("[take] ")) << error.what();
  }
  EXPECT_EQ(sum(z).item<double>(), 20);
  EXPECT_NO_THROW(y.to_host<double>());  // some values
}

TEST_F(IndexFaults, NameTheFirstOfSeveral) {
  const Array x = ones_on(fake_);
  const Array bad = asarray({-11}, {.device = fake_});
  const Array sums = scatter_add(x, bad, 1.0);
  const Array taken = take(x, bad);
  const std::string what = message_of([&] { fake_.synchronize(); });
  EXPECT_TRUE(what.starts_with("[scatter_add] ")) << what;
  EXPECT_NO_THROW(fake_.synchronize());
}

TEST_F(IndexFaults, AreKnownAtOnceOnASynchronousDevice) {
  const Device reference = device("reference");
  const Array x = ones_on(reference);
  const Array bad = asarray({10}, {.device = reference});
  EXPECT_THROW(take(x, bad), IndexError);
  EXPECT_NO_THROW(reference.synchronize());
}

// ---- a device that is gone

TEST_F(LostDevice, IsADeviceErrorInEveryCall) {
  const Array x = ones_on(fake_);
  const Array indices = asarray({1, 2}, {.device = fake_});
  const auto event = fake_.record();
  fake_.synchronize();
  controls_.lose(0);
  const std::vector<std::function<void()>> calls = {
      [&] { x + 1; },
      [&] { sum(x); },
      [&] { take(x, indices); },
      [&] { x.to_host<double>(); },
      [&] { index(x, {0}).item<double>(); },
      [&] { to_device(x, other_); },
      [&] { zeros({5}, {.device = fake_}); },
      [&] { empty({12345678}, {.device = fake_}); },
      [&] { asarray({1.0}, {.device = fake_}); },
      [&] { fake_.synchronize(); },
      [&] { fake_.record(); },
      [&] { fake_.elapsed(event, event); },
  };
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_THROW(calls[i](), DeviceError);
    }
  }
  const std::string what = message_of([&] { x + 1; });
  EXPECT_TRUE(what.starts_with("[add] ")) << what;
  EXPECT_NE(what.find("lost"), std::string::npos) << what;
}

TEST_F(LostDevice, LeavesOtherDevicesAloneAndItsArraysMayGo) {
  const std::int64_t before = fake_.memory().in_use;
  {
    const Array x = ones_on(fake_);
    const Array y = x + 1;  // still in the queue
    controls_.lose(0);
    EXPECT_EQ(sum(ones_on(other_) + 1).item<double>(), 20);
    EXPECT_EQ(sum(ones_on(device("reference")) + 1).item<double>(), 20);
  }
  EXPECT_EQ(fake_.memory().in_use, before);
  EXPECT_NO_THROW(fake_.trim());
  EXPECT_NO_THROW(fake_.properties());
}

}  // namespace
}  // namespace tessera::test
