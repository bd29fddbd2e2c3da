#include "functions.hpp"

#include <cstdio>

namespace tessera::bench {
namespace {

Array expression(const Array& x) {
  return sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3;
}

}  // namespace

Functions functions(const Setting& setting) {
  Functions f;
  f.expression = expression;
  if (!setting.compiled) return f;
  const auto gram = compile(kmeans::assign_gram, {.name = "gram"});
  const auto gram_tile = compile(kmeans::gram_tile, {.name = "gram_tile"});
  const auto running_tile = compile(kmeans::running_tile, {.name = "running_tile"});
  const auto running_tile_from = compile(kmeans::running_tile_from, {.name = "running_tile_from"});
  const auto element_wise = compile(expression, {.name = "expression"});
  f.gram = gram;
  f.gram_tile = gram_tile;
  f.running_tiles = {running_tile, running_tile_from};
  f.expression = element_wise;
  f.compile_seconds = [=] {
    return gram.stats().seconds + gram_tile.stats().seconds + running_tile.stats().seconds +
           running_tile_from.stats().seconds + element_wise.stats().seconds;
  };
  f.explain = [=] {
    std::string text;
    const auto add = [&](const auto& function) {
      if (function.stats().cached > 0) text += function.explain();
    };
    add(gram);
    add(gram_tile);
    add(running_tile);
    add(running_tile_from);
    add(element_wise);
    return text;
  };
  return f;
}

void measure_into(Row& row, const Setting& setting, const Timing& timing, const Functions& f, double flops,
                  const std::function<void()>& call) {
  const double before = f.compile_seconds ? f.compile_seconds() : 0;
  put(row, measure(setting.device, timing, call), flops);
  const double compiling = f.compile_seconds ? f.compile_seconds() - before : 0;
  if (compiling > 0) row["compile_seconds"] = compiling;
  if (setting.explain && f.explain) std::puts(f.explain().c_str());
}

}  // namespace tessera::bench
