#include <cmath>

#include <nlohmann/json.hpp>
#include <tessera/abi.hpp>
#include <tessera/threads.hpp>

#include "kmeans.hpp"

namespace tessera::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& json) {
  return json.dump(2) + "\n";
}

Json iteration_json(const kmeans::Iteration& iteration) {
  return {{"inertia", iteration.inertia ? Json(*iteration.inertia) : Json()},
          {"shift", iteration.shift},
          {"relocated", iteration.relocated},
          {"seconds", {{"assign", iteration.seconds.assign}, {"update", iteration.seconds.update}}},
          {"peak_bytes", {{"assign", iteration.peak_bytes.assign}, {"update", iteration.peak_bytes.update}}}};
}

}  // namespace

std::string summary_json(const kmeans::KMeans& model, const FitDescription& description) {
  const kmeans::KMeansOptions& options = model.options();
  const kmeans::FitSeconds& seconds = model.seconds();
  const Array& centers = model.cluster_centers();
  Json history = Json::array();
  for (const kmeans::Iteration& iteration : model.history()) history.push_back(iteration_json(iteration));
  return text({{"version", TESSERA_VERSION},
               {"device", centers.device().name()},
               {"dtype", name(centers.dtype())},
               {"threads", num_threads()},
               {"n_samples", description.n_samples},
               {"n_features", centers.shape(1)},
               {"n_clusters", options.n_clusters},
               {"init", description.init},
               {"n_init", options.n_init},
               {"max_iter", options.max_iter},
               {"tol", options.tol},
               {"seed", description.seed},
               {"assign", name(options.assign)},
               {"update", name(options.update)},
               {"tile_samples", model.tile_samples()},
               {"tile_centers", model.tile_centers()},
               {"compiled", model.compiled()},
               {"inertia", model.inertia()},
               {"n_iter", model.n_iter()},
               {"stopped", name(model.stopped())},
               {"relocated", model.relocated()},
               {"distinct", model.distinct()},
               {"warnings", model.warnings()},
               {"peak_bytes", model.peak_bytes()},
               {"seconds",
                {{"load", description.load_seconds},
                 {"init", seconds.init},
                 {"assign", seconds.assign},
                 {"update", seconds.update},
                 {"total", seconds.total}}},
               {"history", history}});
}

std::string comparison_json(const std::string& first, const std::vector<Difference>& others) {
  Json rows = Json::array();
  for (const Difference& row : others) {
    rows.push_back({{"device", row.device},
                    {"labels_differ", row.labels_differ},
                    {"inertia_relative", row.inertia_relative}});
  }
  return text({{"first", first}, {"others", rows}});
}

}  // namespace tessera::cli
