#include "devices/cpu/threads.hpp"

#include <map>
#include <mutex>
#include <optional>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <tessera/device.hpp>
#include <tessera/operation.hpp>

namespace tessera::cpu {
namespace {

/// The arena for that many threads. An arena alone never runs more of them than the processor has: the
/// control raises the library's own limit, and must be in step with it.
tbb::task_arena& arena(int threads) {
  // Leaked: kernels may run in destructors of static arrays. Arenas are kept: each that goes away would first
  // be visited by a worker that looks for work in it, and hundreds of those keep the next one waiting.
  struct Teams {
    std::mutex mutex;
    std::optional<tbb::global_control> limit;
    int current = 0;
    std::map<int, tbb::task_arena> arenas;
  };
  static auto& teams = *new Teams;
  const std::lock_guard lock(teams.mutex);
  if (teams.current != threads) {
    teams.limit.reset();  // the least limit of all that live is the one that counts
    teams.limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    teams.current = threads;
  }
  return teams.arenas.try_emplace(threads, threads).first->second;
}

}  // namespace

void run_blocks(std::int64_t blocks, void (*body)(const void* context, std::int64_t block),
                const void* context) {
  const char* const operation = current_operation();
  arena(num_threads()).execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, blocks),
                      [&](const tbb::blocked_range<std::int64_t>& range) {
                        set_current_operation(operation);  // errors on this thread name it
                        for (std::int64_t block = range.begin(); block < range.end(); ++block) {
                          body(context, block);
                        }
                      });
  });
}

}  // namespace tessera::cpu
