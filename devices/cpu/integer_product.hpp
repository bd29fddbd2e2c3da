#pragma once

#include <tessera/device.hpp>

namespace tessera::cpu {

/// out[b] = x[b] @ y[b] for integers of one dtype, wrapping: x is [batch, m, k], y [batch, k, n].
void integer_product(const View& x, const View& y, const View& out);

}  // namespace tessera::cpu
