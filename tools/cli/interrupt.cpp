#include "interrupt.hpp"

namespace tessera::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int /*signal*/) {
  interrupted = 1;
}

}  // namespace

InterruptScope::InterruptScope() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptScope::~InterruptScope() {
  sigaction(SIGINT, &before_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptScope::requested() const {
  return interrupted != 0;
}

}  // namespace tessera::cli
