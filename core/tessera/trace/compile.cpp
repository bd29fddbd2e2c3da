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
  std::vector<bool> there;
};

/// The arrays that are there; one that is not has no number in the graph.
std::vector<Array> valid_arrays(const std::vector<Array>& arrays) {
  std::vector<Array> valid;
  valid.reserve(arrays.size());
  for (const Array& x : arrays) {
    if (x.valid()) valid.push_back(x);
  }
  return valid;
}

Recorded record(const std::string& name, const Arguments& arguments, const CompiledFunction::Body& body) {
  const auto trace = std::make_shared<Trace>();
  Recorded recorded;
  try {
    std::vector<Array> traced;
    for (const Array& x : arguments.arrays) traced.push_back(x.valid() ? trace->argument(x) : Array());
    const Activate active(*trace);
    CompiledFunction::Results results = body(traced);
    for (const Array& x : results.arrays) recorded.there.push_back(x.valid());
    recorded.graph = trace->finish(valid_arrays(results.arrays));
    recorded.rest = std::move(results.rest);
  } catch (...) {
    trace->close();
    throw;
  }
  // Each array without values holds the trace.
  if (const auto kept = trace.use_count() - 1; kept > 0) {
    throw TraceError(fmt::format(
        "[compile] {} keeps {} of the arrays that it made while it was traced (in a captured variable, a "
        "member, a global?), which never get values; return them, and assign them outside",
        name, kept));
  }
  return recorded;
}

}  // namespace

struct CompiledFunction::State {
  explicit State(CompileOptions in_options) : options(std::move(in_options)), cache(options.cache_size) {}

  std::shared_ptr<const Entry> trace(const Arguments& arguments, Key key, const Body& body);
  void watch(const Key& key);
  void hit() {
    ++stats.hits;
    changes = 0;
  }

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
      hit();
      return entry;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Recorded recorded = record(options.name, arguments, body);
  const std::size_t recorded_calls = recorded.graph.nodes.size();
  optimise(recorded.graph);
  Plan plan = make_plan(std::move(recorded.graph));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string text = explain_plan(options.name, plan, recorded_calls, seconds);
  std::int64_t peak = 0;
  for (const auto& [device, bytes] : plan.peaks) peak = std::max(peak, bytes);
  auto entry = std::make_shared<Entry>(Entry{std::move(key), std::move(plan), std::move(recorded.rest),
                                             std::move(recorded.there), std::move(text), peak});

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
    if (entry != nullptr) state_->hit();
  }
  for (const Array& x : arguments.arrays) {
    if (x.valid()) require_values("compile", x);
  }
  if (entry == nullptr) entry = state_->trace(arguments, std::move(key), body);
  std::vector<Array> arrays = run(entry->plan, valid_arrays(arguments.arrays));
  if (arrays.size() == entry->there.size()) return {std::move(arrays), entry->rest};
  std::vector<Array> all;
  auto next = arrays.begin();
  for (const bool there : entry->there) all.push_back(there ? std::move(*next++) : Array());
  return {std::move(all), entry->rest};
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
