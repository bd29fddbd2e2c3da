#include <tessera/trace/compile.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/trace/cache.hpp>
#include <tessera/trace/explain.hpp>
#include <tessera/trace/passes.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera::trace {
namespace {

/// So many traces in a row that one part of the arguments caused are worth a word.
constexpr int kManyTraces = 8;

struct Recorded {
  Graph graph;
  std::shared_ptr<const void> rest;
};

Recorded record(const Arguments& arguments, const CompiledFunction::Body& body) {
  const auto trace = std::make_shared<Trace>();
  std::vector<Array> traced;
  for (const Array& x : arguments.arrays) traced.push_back(x.valid() ? trace->argument(x) : Array());
  try {
    const Activate active(*trace);
    const CompiledFunction::Results results = body(traced);
    return {trace->finish(results.arrays), results.rest};
  } catch (...) {
    trace->close();
    throw;
  }
}

/// The arguments that are arrays; one that is not there has no number in the graph.
std::vector<Array> valid_arrays(const Arguments& arguments) {
  std::vector<Array> arrays;
  for (const Array& x : arguments.arrays) {
    if (x.valid()) arrays.push_back(x);
  }
  return arrays;
}

}  // namespace

struct CompiledFunction::State {
  explicit State(CompileOptions in_options) : options(std::move(in_options)), cache(options.cache_size) {}

  std::shared_ptr<const Entry> trace(const Arguments& arguments, Key key, const Body& body);
  void watch(const Key& key);

  const CompileOptions options;
  std::mutex tracing;        ///< held while a function is traced: each kind of arguments is traced once
  mutable std::mutex mutex;  ///< of what is below
  Cache cache;
  CompileStats stats;
  std::string changing;
  int changes = 0;
};

std::shared_ptr<const Entry> CompiledFunction::State::trace(const Arguments& arguments, Key key,
                                                            const Body& body) {
  const std::lock_guard one(tracing);
  {
    const std::lock_guard lock(mutex);
    if (auto entry = cache.find(key)) {
      ++stats.hits;
      return entry;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Recorded recorded = record(arguments, body);
  const std::size_t recorded_calls = recorded.graph.nodes.size();
  optimise(recorded.graph);
  Plan plan = make_plan(std::move(recorded.graph));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string text = explain_plan(options.name, plan, recorded_calls, seconds);
  std::int64_t peak = 0;
  for (const auto& [device, bytes] : plan.peaks) peak = std::max(peak, bytes);
  auto entry = std::make_shared<Entry>(
      Entry{std::move(key), std::move(plan), std::move(recorded.rest), std::move(text), peak});

  const std::lock_guard lock(mutex);
  watch(entry->key);
  ++stats.traces;
  stats.seconds += seconds;
  cache.insert(entry);
  return entry;
}

void CompiledFunction::State::watch(const Key& key) {
  const auto latest = cache.latest();
  if (latest == nullptr) return;
  const Difference differs = difference(latest->key, key);
  changes = differs.part == changing ? changes + 1 : 1;
  changing = differs.part;
  if (changes < kManyTraces || !stats.warning.empty()) return;
  stats.warning = fmt::format(
      "[compile] {} was traced {} times in a row because {} keeps changing ({}); each kind of arguments "
      "costs a "
      "trace: keep it the same, or call the plain function",
      options.name, changes, differs.part, differs.values);
  if (options.warn) std::fprintf(stderr, "warning: %s\n", stats.warning.c_str());
}

CompiledFunction::CompiledFunction(CompileOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::tracing() {
  return active() != nullptr;
}

CompiledFunction::Results CompiledFunction::call(const Arguments& arguments, const Body& body) {
  Key key(arguments);
  std::shared_ptr<const Entry> entry;
  {
    const std::lock_guard lock(state_->mutex);
    entry = state_->cache.find(key);
    if (entry != nullptr) ++state_->stats.hits;
  }
  for (const Array& x : arguments.arrays) {
    if (x.valid()) require_values("compile", x);
  }
  if (entry == nullptr) entry = state_->trace(arguments, std::move(key), body);
  return {run(entry->plan, valid_arrays(arguments)), entry->rest};
}

std::string CompiledFunction::explain() const {
  const std::lock_guard lock(state_->mutex);
  const auto latest = state_->cache.latest();
  if (latest == nullptr) return fmt::format("{}: not called yet, so not traced\n", state_->options.name);
  return latest->explanation;
}

CompileStats CompiledFunction::stats() const {
  const std::lock_guard lock(state_->mutex);
  CompileStats stats = state_->stats;
  stats.cached = state_->cache.size();
  if (const auto latest = state_->cache.latest()) stats.planned_peak = latest->planned_peak;
  return stats;
}

}  // namespace tessera::trace
