#include <tessera/threads.hpp>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <tessera/error.hpp>

namespace tessera {
namespace {

constexpr const char* kVariable = "TESSERA_NUM_THREADS";

int from_environment() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') {
    const unsigned hardware = std::thread::hardware_concurrency();
    return hardware == 0 ? 1 : static_cast<int>(hardware);
  }
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc{} || rest != end || threads < 1) {
    throw ValueError(std::string("[num_threads] ") + kVariable + " is \"" + text +
                     "\"; it takes a whole number of at least 1");
  }
  return threads;
}

std::atomic<int>& current() {
  static std::atomic<int> threads{from_environment()};
  return threads;
}

void check(int threads) {
  if (threads < 1) {
    throw ValueError("[set_num_threads] threads is " + std::to_string(threads) +
                     "; give a whole number of at least 1");
  }
}

}  // namespace

int num_threads() {
  return current().load(std::memory_order_relaxed);
}

void set_num_threads(int threads) {
  check(threads);
  current().store(threads, std::memory_order_relaxed);
}

ThreadScope::ThreadScope(int threads) {
  check(threads);
  before_ = current().exchange(threads);
}

ThreadScope::~ThreadScope() {
  current().store(before_);
}

}  // namespace tessera
