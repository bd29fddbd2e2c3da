// Which kernels run: chosen by what the processor has, by TESSERA_CPU_FEATURES, or by the user for BLIS.
// The environment is the test's argument: CMakeLists.txt runs this program once for each choice.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <tessera/device.hpp>
#include <tessera/tessera.hpp>

namespace tessera {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string detail(const DeviceProperties& properties, const std::string& key) {
  for (const auto& [name, value] : properties.details) {
    if (name == key) return value;
  }
  return "";
}

TEST(Choice, BlisRunsTheKernelsThatItShould) {
  const std::string users = variable("BLIS_ARCH_TYPE");
  const std::string features = variable("TESSERA_CPU_FEATURES");
  if (users == "fastest") {
    EXPECT_THROW(device("cpu"), Error);
    return;
  }
  const DeviceProperties properties = device("cpu").properties();
  const std::string products = detail(properties, "products");
  const std::string has = " " + detail(properties, "features") + " ";
  if (users == "generic") {
    EXPECT_NE(products.find("generic"), std::string::npos) << products;
  } else if (users == "3") {
    EXPECT_NE(products.find("haswell"), std::string::npos) << products;
  } else if (has.find(" avx512f ") != std::string::npos && features.empty()) {
    EXPECT_NE(products.find("skx"), std::string::npos) << products;
  } else if (has.find(" avx2 ") != std::string::npos) {
    EXPECT_NE(products.find("haswell"), std::string::npos) << products;
  }
  EXPECT_NE(products.find(users.empty() ? "by CPUID" : "by BLIS_ARCH_TYPE"), std::string::npos) << products;
  if (!features.empty()) {
    EXPECT_EQ(detail(properties, "vector kernels"), "AVX2");
  }
}

TEST(Choice, AProductComesOutRight) {
  if (variable("BLIS_ARCH_TYPE") == "fastest") GTEST_SKIP();
  const Array x = reshape(arange(200 * 200, {.device = device("cpu")}), {200, 200});
  const Array whole = astype(remainder(x, 7), DType::float32);
  const Array product = matmul(whole, matrix_transpose(whole));
  const Array expected = matmul(remainder(x, 7), matrix_transpose(remainder(x, 7)));
  EXPECT_TRUE(all(equal(product, astype(expected, DType::float32))).item<bool>());
}

TEST(Choice, PackingBuffersAreReportedOnceThereAreSome) {
  if (variable("BLIS_ARCH_TYPE") == "fastest") GTEST_SKIP();
  const Array x = ones({300, 300}, {.device = device("cpu")});
  EXPECT_EQ(sum(matmul(x, x)).item<double>(), 300.0 * 300.0 * 300.0);
  EXPECT_GT(device("cpu").properties().library_bytes, 0);
}

}  // namespace
}  // namespace tessera
