#include "devices/cpu/blis.hpp"

namespace tessera::cpu {

void choose_blis_kernels() {}

std::string blis_description() {
  return "";
}

std::string blis_chooser() {
  return "";
}

std::int64_t blis_buffer_bytes() {
  return 0;
}

}  // namespace tessera::cpu
