// The pieces of a Lloyd iteration on a device, timed by its own clock: our half of tools/gpu-check's table.
//   gpu-check-pieces DEVICE N K D REPEAT     prints a JSON object: piece -> seconds (median)

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kmeans/assign.hpp>
#include <kmeans/init.hpp>
#include <kmeans/labelling.hpp>
#include <kmeans/lloyd.hpp>
#include <kmeans/update.hpp>
#include <tessera/device.hpp>
#include <tessera/tessera.hpp>

namespace {

namespace xp = tessera;
namespace km = tessera::kmeans;

double median_seconds(const xp::Device& device, int repeat, const std::function<void()>& call) {
  call();  // what is set up at the first call
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) {
    device.synchronize();
    const auto start = device.record();
    call();
    seconds.push_back(device.elapsed(start, device.record()));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: gpu-check-pieces DEVICE N K D REPEAT\n");
    return 2;
  }
  try {
    const xp::Device device = xp::device(argv[1]);
    const std::int64_t n = std::atoll(argv[2]);
    const std::int64_t k = std::atoll(argv[3]);
    const std::int64_t d = std::atoll(argv[4]);
    const int repeat = std::max(1, std::atoi(argv[5]));
    const xp::Array x = xp::random::normal(xp::random::Key(0), {n, d}, {.device = device});
    const xp::Array centers = xp::copy(xp::index(x, {xp::slice(0, k)}));
    const xp::Array wide_centers = xp::astype(centers, xp::float64);
    const xp::Array labels = km::assign_gram_tiled(x, centers).labels;
    const auto plan = km::plan_labelling(km::AssignMethod::gram_tiled, 0, 0, x, k);

    nlohmann::ordered_json result = {
        {"n", n}, {"k", k}, {"d", d}, {"device", device.properties().description}};
    auto& seconds = result["seconds"];
    const auto time = [&](const char* name, const std::function<void()>& call) {
      seconds[name] = median_seconds(device, repeat, call);
    };
    time("product", [&] { xp::matmul(x, xp::matrix_transpose(centers)); });
    {
      const xp::Array scores = xp::matmul(x, xp::matrix_transpose(centers));
      time("argmin", [&] { xp::argmin(scores, {.axis = 1}); });
    }
    time("assignment, whole", [&] { km::assign_gram(x, centers); });
    time("assignment, tiles of 4096 x 1024",
         [&] { km::assign_gram_tiled(x, centers, {.tile_samples = 4096, .tile_centers = 1024}); });
    time("assignment, as fit does", [&] { km::nearest_center(x, wide_centers, plan); });
    time("update", [&] { km::cluster_means(km::update_scatter(x, labels, k), wide_centers); });
    time("Lloyd step", [&] {
      const xp::Array nearest = km::nearest_center(x, wide_centers, plan);
      km::cluster_means(km::update_scatter(x, nearest, k), wide_centers);
    });
    time("k-means++", [&] { km::kmeans_plusplus(x, k, xp::random::Key(1)); });
    fmt::print("{}\n", result.dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu-check-pieces: {}\n", error.what());
    return 1;
  }
  return 0;
}
