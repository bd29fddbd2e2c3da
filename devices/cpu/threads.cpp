#include "devices/cpu/threads.hpp"

#include <memory>
#include <mutex>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace tessera::cpu {
namespace {

/// An arena alone never runs more threads than the processor has: the control raises the limit of the
/// library, and must be in step with the arena.
struct Workers {
  explicit Workers(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads),
        count(threads) {}
  tbb::global_control limit;
  tbb::task_arena arena;
  int count;
};

std::shared_ptr<Workers> workers(int threads) {
  static std::mutex mutex;
  // Leaked: kernels may run in destructors of static arrays.
  static auto& current = *new std::shared_ptr<Workers>;
  const std::lock_guard lock(mutex);
  if (!current || current->count != threads) {
    current.reset();  // the least limit of all that live is the one that counts
    current = std::make_shared<Workers>(threads);
  }
  return current;
}

}  // namespace

void run_blocks(std::int64_t blocks, void (*body)(const void* context, std::int64_t block),
                const void* context) {
  const std::shared_ptr<Workers> team = workers(num_threads());
  team->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, blocks),
                      [&](const tbb::blocked_range<std::int64_t>& range) {
                        for (std::int64_t block = range.begin(); block < range.end(); ++block) {
                          body(context, block);
                        }
                      });
  });
}

}  // namespace tessera::cpu
