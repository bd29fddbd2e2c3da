#include "devices/cpu/kept_plans.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <mutex>

namespace tessera::cpu {
namespace {

using Step = Program::Step;

constexpr std::size_t kMostPlans = 64;
constexpr std::size_t kMostSteps = 16384;  ///< of all plans: some megabytes

bool same_constant(const Step& a, const Step& b) {
  return visit_dtype(a.dtype, [&]<class T>(T) {
    using Bits = std::array<std::byte, sizeof(T)>;  // of NaN and of either zero, too
    return std::bit_cast<Bits>(a.value.to<T>()) == std::bit_cast<Bits>(b.value.to<T>());
  });
}

bool same_step(const Step& a, const Step& b) {
  return a.kind == b.kind && a.op == b.op && a.row == b.row && a.dtype == b.dtype &&
         std::equal(a.args, a.args + 3, b.args) && (a.kind != Program::Kind::constant || same_constant(a, b));
}

bool same_program(const Program& a, const Program& b) {
  return a.rows == b.rows && a.columns == b.columns && a.outputs == b.outputs &&
         std::ranges::equal(a.steps, b.steps, same_step);
}

bool same_layout(const View& a, const View& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

class Plans {
 public:
  std::shared_ptr<const KeptPlan> find(const Program& program, std::span<const View> inputs,
                                       std::span<const View> outputs) {
    const std::lock_guard lock(mutex_);
    for (auto kept = plans_.begin(); kept != plans_.end(); ++kept) {
      if (!(*kept)->is_of(program, inputs, outputs)) continue;
      std::rotate(plans_.begin(), kept, kept + 1);
      return plans_.front();
    }
    return nullptr;
  }

  void keep(const std::shared_ptr<const KeptPlan>& made) {
    const std::size_t steps = made->program.steps.size();
    if (steps > kMostSteps / 2) return;
    const std::lock_guard lock(mutex_);
    plans_.insert(plans_.begin(), made);
    steps_ += steps;
    while (steps_ > kMostSteps || plans_.size() > kMostPlans) {
      steps_ -= plans_.back()->program.steps.size();
      plans_.pop_back();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const KeptPlan>> plans_;  ///< the one used last comes first
  std::size_t steps_ = 0;
};

}  // namespace

KeptPlan::KeptPlan(const Program& the_program, std::span<const View> inputs, std::span<const View> outputs)
    : given_at(&the_program), program(the_program), plan(program, inputs, outputs), schedule(plan) {
  views.assign(inputs.begin(), inputs.end());
  views.insert(views.end(), outputs.begin(), outputs.end());
}

bool KeptPlan::is_of(const Program& other, std::span<const View> inputs,
                     std::span<const View> outputs) const {
  // The address alone says nothing: another program may have been there before.
  if (given_at != &other || views.size() != inputs.size() + outputs.size()) return false;
  const auto first_output = views.begin() + static_cast<std::ptrdiff_t>(inputs.size());
  return std::equal(inputs.begin(), inputs.end(), views.begin(), same_layout) &&
         std::equal(outputs.begin(), outputs.end(), first_output, same_layout) &&
         same_program(program, other);
}

std::shared_ptr<const KeptPlan> kept_plan(const Program& program, std::span<const View> inputs,
                                          std::span<const View> outputs) {
  static Plans& plans = *new Plans;  // leaked: kernels may run in destructors of static arrays
  if (auto kept = plans.find(program, inputs, outputs)) return kept;
  check(program, inputs, outputs);
  auto made = std::make_shared<const KeptPlan>(program, inputs, outputs);
  plans.keep(made);
  return made;
}

}  // namespace tessera::cpu
