// The same bits, whatever the number of threads, run after run.

#include <functional>

#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>
#include <tessera/threads.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class BitsTest : public DeviceTest {
 protected:
  void expect_same_bits(const char* what, const std::function<Array()>& run) {
    const int before = num_threads();
    set_num_threads(1);
    const HostArray first = to_host_array(run());
    for (const int threads : {1, 2, 3, 7}) {
      set_num_threads(threads);
      for (int repeat = 0; repeat < 3; ++repeat) {
        EXPECT_TRUE(same_bits(to_host_array(run()), first)) << what << " with " << threads << " threads";
      }
    }
    set_num_threads(before);
  }
  Array values(const Shape& shape, DType dtype = float32, std::uint64_t seed = 1) {
    return random::uniform(random::Key(seed), shape,
                           {.low = -1, .high = 1, .dtype = dtype, .device = device()});
  }
};

TEST_P(BitsTest, Reductions) {
  for (const DType dtype : {float32, float64}) {
    const Array tall = values({50001, 7}, dtype);
    const Array line = values({300007}, dtype);
    expect_same_bits("sum of all", [&] { return sum(line); });
    expect_same_bits("sum of columns", [&] { return sum(tall, {.axis = 0}); });
    expect_same_bits("sum of rows", [&] { return sum(tall, {.axis = 1}); });
    expect_same_bits("prod", [&] { return prod(line + 1.0); });
    expect_same_bits("var", [&] { return var(tall, {.axis = 0}); });
    expect_same_bits("vecdot", [&] { return vecdot(line, line); });
    expect_same_bits("cumulative_sum", [&] { return cumulative_sum(line); });
    expect_same_bits("argmin", [&] { return argmin(round(line * 10)); });
  }
}

TEST_P(BitsTest, Products) {
  for (const DType dtype : {float32, float64}) {
    const Array x = values({511, 130}, dtype, 1);
    for (const std::int64_t columns : {1, 7, 16, 17, 100}) {
      const Array y = values({130, columns}, dtype, 2);
      expect_same_bits("matmul", [&] { return matmul(x, y); });
    }
    const Array a = values({5, 20011}, dtype, 3);
    expect_same_bits("matmul of long rows", [&] { return matmul(a, matrix_transpose(a)); });
  }
}

TEST_P(BitsTest, ScattersAndSorts) {
  const Array updates = values({50001, 9});
  const Array targets = random::randint(random::Key(4), 0, 37, {50001}, {.device = device()});
  expect_same_bits("scatter_add into float32", [&] {
    return scatter_add(zeros({37, 9}, {.device = device()}), targets, updates);
  });
  expect_same_bits("scatter_add into float64", [&] {
    return scatter_add(zeros({37, 9}, {.dtype = float64, .device = device()}), targets, updates);
  });
  expect_same_bits("scatter_set", [&] {
    return scatter_set(zeros({37, 9}, {.device = device()}), targets, updates);
  });
  expect_same_bits("argsort", [&] { return argsort(targets); });
  expect_same_bits("sort", [&] { return sort(updates, {.axis = 0}); });
}

TEST_P(BitsTest, ElementsAndRandomNumbers) {
  const Array x = values({300007});
  expect_same_bits("exp", [&] { return exp(x); });
  expect_same_bits("log", [&] { return log(abs(x)); });
  expect_same_bits("normal", [&] { return random::normal(random::Key(5), {100003}, {.device = device()}); });
  expect_same_bits("permutation",
                   [&] { return random::permutation(random::Key(5), 20011, {.device = device()}); });
}

TEST_P(BitsTest, PhiloxStreamBeginsAsPublished) {
  // The known answer of Philox4x32-10 for counter 0 and key 0, from the authors' own test vectors. By the
  // kernel, which takes the key as it is.
  DeviceInterface& kernels = device().state().device;
  HostArray words(uint32, {4});
  void* memory = kernels.allocate(words.bytes.size());
  ASSERT_NE(memory, nullptr);
  kernels.random_bits(0, 0, {.data = memory, .dtype = uint32, .shape = {4}, .strides = {1}});
  kernels.download(words.bytes.data(), memory, words.bytes.size());
  kernels.deallocate(memory, words.bytes.size());
  const std::vector<std::uint32_t> published = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_TRUE(equal(words, HostArray(published, {4})));
}

TESSERA_FOR_EACH_DEVICE(BitsTest);

}  // namespace

}  // namespace tessera::test
