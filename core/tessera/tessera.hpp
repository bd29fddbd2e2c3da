#pragma once

/// Everything that a program on the array API needs. Writing a device needs <tessera/module.hpp> besides.

#include <tessera/array.hpp>
#include <tessera/dtype.hpp>
#include <tessera/error.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/ops/creation.hpp>
#include <tessera/ops/elementwise.hpp>
#include <tessera/ops/indexing.hpp>
#include <tessera/ops/linalg.hpp>
#include <tessera/ops/manipulation.hpp>
#include <tessera/ops/reduction.hpp>
#include <tessera/ops/sorting.hpp>
#include <tessera/profiler.hpp>
#include <tessera/random/random.hpp>
#include <tessera/registry.hpp>
#include <tessera/threads.hpp>
#include <tessera/trace/compile.hpp>
