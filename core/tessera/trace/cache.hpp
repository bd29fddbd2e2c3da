#pragma once

// Internal to core. The traces of one compiled function.

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <tessera/trace/arguments.hpp>
#include <tessera/trace/plan.hpp>

namespace tessera::trace {

/// What a trace depends on.
struct Key {
  explicit Key(const Arguments& arguments);

  struct ArrayKey {
    bool valid = false;
    bool contiguous = false;
    DType dtype{};
    Shape shape;
    Strides strides;  ///< where it is not contiguous
    DeviceState* device = nullptr;
    friend bool operator==(const ArrayKey&, const ArrayKey&) = default;
  };
  std::vector<ArrayKey> arrays;
  std::vector<std::uint64_t> numbers;
  std::string texts;
  std::vector<Option> options;
  const void* types = nullptr;
  DeviceState* default_device = nullptr;  ///< where the function makes arrays unless told otherwise
  friend bool operator==(const Key&, const Key&) = default;
};

/// The first part in which two keys differ: "the shape of array 0: (3, 4), then (5, 4)".
struct Difference {
  std::string part;
  std::string values;
};
Difference difference(const Key& before, const Key& now);

/// A trace that is ready to run.
struct Entry {
  Key key;
  Plan plan;
  std::shared_ptr<const void> rest;
  std::vector<bool> there;  ///< of each array of the result, whether it is one
  std::string explanation;
  std::int64_t planned_peak = 0;
};

/// Bounded; the latest first.
class Cache {
 public:
  explicit Cache(std::size_t most) : most_(most) {}
  std::shared_ptr<const Entry> find(const Key& key);
  void insert(std::shared_ptr<const Entry> entry);
  std::size_t size() const { return entries_.size(); }
  std::shared_ptr<const Entry> latest() const { return entries_.empty() ? nullptr : entries_.front(); }

 private:
  std::size_t most_;
  std::list<std::shared_ptr<const Entry>> entries_;
};

}  // namespace tessera::trace
