// Does not compile, whichever case is asked for: each is refused in words (see CMakeLists.txt).

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include <tessera/tessera.hpp>

using tessera::Array;

struct Const {
  const Array x;
};
struct Reference {
  const Array& x;
};
struct Span {
  std::span<Array> parts;
};

void refused(const Array& x) {
#if CASE == 0
  tessera::compile([](const std::pair<const Array, int>& p) { return p.first + p.second; })(
      std::pair<const Array, int>(x, 1));
#elif CASE == 1
  tessera::compile([](const Const& s) { return s.x + 1; })(Const{x});
#elif CASE == 2
  tessera::compile([](const Reference& s) { return s.x + 1; })(Reference{x});
#elif CASE == 3
  Array y = x;
  tessera::compile([](const Span& s) { return s.parts[0] + 1; })(Span{std::span(&y, 1)});
#elif CASE == 4
  tessera::compile(+[](std::initializer_list<Array> all) { return *all.begin() + 1; })({x});
#elif CASE == 5
  tessera::compile([](const Array& y, std::string_view s) { return std::pair(y, s); })(x,
                                                                                       std::string_view("a"));
#elif CASE == 6
  tessera::compile([](Array& y) { return y + 1; })(x);
#elif CASE == 7
  tessera::compile([](const Array&) {})(x);
#endif
}
