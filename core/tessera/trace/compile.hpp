#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/export.hpp>
#include <tessera/trace/arguments.hpp>

namespace tessera {

struct CompileOptions {
  std::string name = "compiled";  ///< for explain() and warnings
  std::size_t cache_size = 32;    ///< traces kept; the one that was not used for longest goes
  bool warn = true;               ///< say once on stderr what keeps changing from call to call
};

struct CompileStats {
  std::int64_t traces = 0;  ///< calls for which the function was traced
  std::int64_t hits = 0;    ///< calls for which a trace was there
  std::size_t cached = 0;   ///< traces there are now
  double seconds = 0;       ///< spent on tracing and compiling
  /// The most bytes that arrays take at a time in the plan of the latest call, on the device where that is
  /// most. What kernels take for themselves comes on top.
  std::int64_t planned_peak = 0;
  std::string warning = {};  ///< what kept changing, where that was said
};

namespace trace {

/// What all compiled functions have in common, whatever their types.
class TESSERA_API CompiledFunction {
 public:
  explicit CompiledFunction(CompileOptions options);
  CompiledFunction(const CompiledFunction&) = delete;
  CompiledFunction& operator=(const CompiledFunction&) = delete;
  ~CompiledFunction();

  /// Results of a call: arrays in order, and the rest of the result, with arrays left out.
  struct Results {
    std::vector<Array> arrays;
    std::shared_ptr<const void> rest;
  };
  /// Calls the function on traced arrays instead of the arguments' own.
  using Body = std::function<Results(std::span<const Array>)>;

  Results call(const Arguments& arguments, const Body& body);
  std::string explain() const;
  CompileStats stats() const;

  /// Whether the calling thread is tracing already: the call is then a part of that trace.
  static bool tracing();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trace

/// A function that is traced once for each kind of arguments, and replayed: see compile().
template <class F>
class Compiled {
 public:
  explicit Compiled(F function, CompileOptions options = {})
      : state_(std::make_shared<State>(std::move(function), std::move(options))) {}

  template <class... Args>
  auto operator()(const Args&... args) const {
    static_assert(
        std::is_invocable_v<F&, const Args&...> &&
            std::is_invocable_v<F&, const typename trace::Kept<Args>::type&...>,
        "the compiled function does not take these arguments (they are passed as const; a std::span "
        "arrives as a std::vector)");
    using Result = std::decay_t<std::invoke_result_t<F&, const typename trace::Kept<Args>::type&...>>;
    static_assert(!std::is_void_v<Result>, "a compiled function returns its results: this one returns void");
    if (trace::CompiledFunction::tracing())
      return static_cast<Result>(std::invoke(state_->function, args...));

    trace::Arguments arguments;
    static const char types = 0;  // one for each list of types
    arguments.types = &types;
    (arguments.add(args), ...);
    const auto body = [&](std::span<const Array> traced) {
      std::tuple<typename trace::Kept<Args>::type...> kept(keep<Args>(args)...);
      trace::Replace replace{traced};
      std::apply([&](auto&... x) { (trace::visit(x, replace), ...); }, kept);
      auto result = std::make_shared<Result>(
          std::apply([&](const auto&... x) { return std::invoke(state_->function, x...); }, kept));
      trace::Collect collect;
      trace::visit(*result, collect);
      return trace::CompiledFunction::Results{std::move(collect.arrays), std::move(result)};
    };
    const trace::CompiledFunction::Results results = state_->compiled.call(arguments, body);
    Result result = *static_cast<const Result*>(results.rest.get());
    trace::Replace replace{results.arrays};
    trace::visit(result, replace);
    return result;
  }

  /// What the latest call ran: constants, kernels, groups, the planned peak.
  std::string explain() const { return state_->compiled.explain(); }
  CompileStats stats() const { return state_->compiled.stats(); }

 private:
  template <class T>
  static typename trace::Kept<T>::type keep(const T& x) {
    if constexpr (trace::detail::kIsSpan<T>) {
      return typename trace::Kept<T>::type(x.begin(), x.end());
    } else {
      return x;
    }
  }

  struct State {
    State(F in_function, CompileOptions options)
        : function(std::move(in_function)), compiled(std::move(options)) {}
    F function;
    trace::CompiledFunction compiled;
  };
  std::shared_ptr<State> state_;
};

/// The same for a plain function: takes what the function takes, in its parameters' types.
template <class R, class... Parameters>
class Compiled<R (*)(Parameters...)> : public Compiled<std::function<R(Parameters...)>> {
 public:
  using Base = Compiled<std::function<R(Parameters...)>>;
  using Base::Base;
  std::decay_t<R> operator()(Parameters... arguments) const { return Base::operator()(arguments...); }
};

/// The same function, traced and fused: the first call with arguments of new shapes, dtypes, layouts, device
/// or plain options runs `function` once on arrays without values, records what it does, fuses it and plans
/// its memory; each call runs the plan. Values are those of the plain function. Arrays that it captures are
/// constants. Copies share one cache; calls may come from any thread.
template <class F>
Compiled<std::decay_t<F>> compile(F&& function, CompileOptions options = {}) {
  return Compiled<std::decay_t<F>>(std::forward<F>(function), std::move(options));
}

}  // namespace tessera
