#include <tessera/device.hpp>

#include <utility>

#include <tessera/memory.hpp>
#include <tessera/operation.hpp>

namespace tessera {

DeviceInterface::~DeviceInterface() = default;

Workspace DeviceInterface::workspace(std::size_t bytes) {
  return {*pool_, bytes};
}

Workspace::Workspace(MemoryPool& pool, std::size_t bytes)
    : pool_(&pool), data_(pool.allocate(bytes)), bytes_(bytes) {}

Workspace::Workspace(Workspace&& other) noexcept
    : pool_(other.pool_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Workspace::~Workspace() {
  if (data_ != nullptr) pool_->deallocate(data_, bytes_);
}

namespace {
// An address known when the library is loaded: it is set in every operation.
[[gnu::tls_model("initial-exec")]] thread_local const char* running = "tessera";
}  // namespace

const char* current_operation() {
  return running;
}
void set_current_operation(const char* operation) {
  running = operation;
}

}  // namespace tessera
