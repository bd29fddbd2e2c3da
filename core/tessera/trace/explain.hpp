#pragma once

// Internal to core.

#include <cstddef>
#include <string>

#include <tessera/trace/plan.hpp>

namespace tessera::trace {

/// The plan in words.
std::string explain_plan(const std::string& name, const Plan& plan, std::size_t recorded_calls,
                         double seconds);

}  // namespace tessera::trace
