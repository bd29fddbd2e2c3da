#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tessera/device.hpp>

#include "devices/cpu/program_plan.hpp"

namespace tessera::cpu {

/// A program with what was made of it.
struct KeptPlan {
  KeptPlan(const Program& the_program, std::span<const View> inputs, std::span<const View> outputs);
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;

  /// Whether it was made for this program and such views.
  bool is_of(const Program& other, std::span<const View> inputs, std::span<const View> outputs) const;

  const Program* given_at;  ///< looked at first
  Program program;
  std::vector<View> views;  ///< as they were given
  Plan plan;
  Schedule schedule;
};

/// The program's plan, one of the last ones used or a new one: making it takes longer than running it over a
/// few elements. Throws what `check` throws. From any thread.
std::shared_ptr<const KeptPlan> kept_plan(const Program& program, std::span<const View> inputs,
                                          std::span<const View> outputs);

}  // namespace tessera::cpu
