#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/export.hpp>
#include <tessera/memory.hpp>

namespace tessera {

class DeviceInterface;
struct DeviceProperties;
struct Event;
struct DeviceState;

/// A device: a handle, as cheap as a pointer. Devices live as long as the process.
class TESSERA_API Device {
 public:
  /// The default device. Loads its module at the first use.
  Device();

  /// "cpu", or "fake:1" for an index past 0.
  const std::string& name() const;
  int index() const;
  /// What the device is and has.
  DeviceProperties properties() const;
  /// Whether the host may read the device's memory (Array::host_view).
  bool host_memory() const;
  /// Bytes that a tile may take to stay in the device's cache from one kernel to the next. The same for
  /// any number of threads.
  std::int64_t cache_bytes() const;

  /// Waits for everything in the device's queue; throws what went wrong in it.
  void synchronize() const;

  /// A point in the queue, and the seconds between two of them (waits for both).
  std::shared_ptr<Event> record() const;
  double elapsed(const std::shared_ptr<Event>& start, const std::shared_ptr<Event>& stop) const;

  MemoryStats memory() const;
  void reset_peak() const;
  std::int64_t trim() const;
  void set_memory_limit(std::int64_t bytes) const;

  friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }

  /// For core and for tests of devices: what the handle stands for.
  DeviceState& state() const { return *state_; }
  explicit Device(DeviceState& state) : state_(&state) {}

 private:
  DeviceState* state_;
};

/// The device of that name: "cpu", "cpu:0", "cuda:1". Loads only the module that the name asks for.
/// Throws DeviceError, saying where it looked and why the module is missing, broken or has no such device.
TESSERA_API Device device(std::string_view name);

/// What `device("...")` defaults to where an array is made without one: "cpu" unless set.
TESSERA_API Device default_device();
TESSERA_API void set_default_device(const Device& device);

/// Loads a module from a file, whatever the search path; returns its name.
/// Throws ModuleError with the path and the reason.
TESSERA_API std::string load_module(const std::string& path);

/// One module as the registry sees it.
struct ModuleReport {
  std::string name;
  std::string path;
  std::string version;
  int device_count = 0;
  std::string reason;  ///< why it has no devices or could not be loaded; "" if all is well
};

/// Loads every module on the search path and tells of each, the broken ones too.
TESSERA_API std::vector<ModuleReport> modules();

/// Every device of every module; one that cannot be made is left out (`device(name)` says why).
TESSERA_API std::vector<Device> devices();

/// The folders that the registry searches, in order: TESSERA_DEVICE_PATH (folders or module files,
/// separated by ':'), the folder of the core library, the folder of the installation.
TESSERA_API std::vector<std::string> search_path();

/// The peak of a device's memory while the scope lives, above what was in use when it began: requested
/// bytes, counted when work is queued, of the whole process. Scopes nest.
class TESSERA_API PeakScope {
 public:
  explicit PeakScope(const Device& device);
  PeakScope(const PeakScope&) = delete;
  PeakScope& operator=(const PeakScope&) = delete;
  ~PeakScope();
  /// Bytes, so far.
  std::int64_t peak() const;

 private:
  friend class MemoryPool;
  MemoryPool* pool_;
  std::int64_t base_;
  std::int64_t top_;
};

}  // namespace tessera
