#include <algorithm>

#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

template <class T>
struct Entry {
  T value;
  std::int64_t position;
};

/// Sorted by value, then by position: that is what a stable sort gives.
template <class T>
void sort_entries(bool descending, Entry<T>* first, Entry<T>* last) {
  std::sort(first, last, [descending](const Entry<T>& a, const Entry<T>& b) {
    if (element::sorts_before(descending, a.value, b.value)) return true;
    if (element::sorts_before(descending, b.value, a.value)) return false;
    return a.position < b.position;
  });
}

template <class T>
void sort_rows(bool descending, bool indices, const View& x, const View& out, Entry<T>* entries) {
  auto from = elements<T>(x);
  for (std::int64_t o = 0; o < x.shape[0]; ++o) {
    for (std::int64_t i = 0; i < x.shape[2]; ++i) {
      for (std::int64_t a = 0; a < x.shape[1]; ++a) entries[a] = {from(o, a, i), a};
      sort_entries(descending, entries, entries + x.shape[1]);
      if (indices) {
        auto to = elements<std::int64_t>(out);
        for (std::int64_t a = 0; a < x.shape[1]; ++a) to(o, a, i) = entries[a].position;
      } else {
        auto to = elements<T>(out);
        for (std::int64_t a = 0; a < x.shape[1]; ++a) to(o, a, i) = entries[a].value;
      }
    }
  }
}

}  // namespace

void ReferenceDevice::sort(bool descending, bool indices, const View& x, const View& out) {
  const Check check("sort");
  check.rank("x", x, 3);
  check.shape("out", out, x.shape);
  check.dtype("out", out, indices ? int64 : x.dtype);
  check.input("x", x);
  check.output("out", out, {&x}, false);
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Workspace entries = workspace(static_cast<std::size_t>(x.shape[1]) * sizeof(Entry<T>));
    sort_rows<T>(descending, indices, x, out, entries.template as<Entry<T>>());
  });
}

void ReferenceDevice::searchsorted(bool right, const View& sorted, const View& values, const View& out) {
  const Check check("searchsorted");
  check.rank("sorted", sorted, 1);
  check.rank("values", values, 1);
  check.dtype("values", values, sorted.dtype);
  check.dtype("out", out, int64);
  check.shape("out", out, values.shape);
  check.input("sorted", sorted);
  check.input("values", values);
  check.output("out", out, {&sorted, &values}, false);
  visit_dtype(sorted.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto row = elements<T>(sorted);
    auto wanted = elements<T>(values);
    auto to = elements<std::int64_t>(out);
    for (std::int64_t v = 0; v < values.shape[0]; ++v) {
      // What comes before v: all that is smaller, and with `right` what is equal too. By halves: the row is
      // ascending.
      std::int64_t low = 0;
      std::int64_t high = sorted.shape[0];
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const bool before = right ? !element::sorts_before<T>(false, wanted(v), row(middle))
                                  : element::sorts_before<T>(false, row(middle), wanted(v));
        (before ? low : high) = before ? middle + 1 : middle;
      }
      to(v) = low;
    }
  });
}

void ReferenceDevice::nonzero(const View& x, const View& out) {
  const Check check("nonzero");
  check.rank("x", x, 1);
  check.rank("out", out, 1);
  check.dtype("out", out, int64);
  check.input("x", x);
  check.output("out", out, {&x}, false);
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto from = elements<T>(x);
    auto to = elements<std::int64_t>(out);
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
      if (from(i) == T{0}) continue;
      check.that(found < out.shape[0], "out to be as long as x has nonzero elements; it is shorter");
      to(found) = i;
      ++found;
    }
    check.that(found == out.shape[0], "out to be as long as x has nonzero elements; it is longer");
  });
}

}  // namespace tessera::reference
