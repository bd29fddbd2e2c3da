#pragma once

#include <csignal>

namespace tessera::cli {

/// While it lives, the first Ctrl-C only sets a flag; the second ends the process as usual.
class InterruptScope {
 public:
  InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();
  /// Whether Ctrl-C was pressed.
  bool requested() const;

 private:
  struct sigaction before_ {};
  struct sigaction before_term_ {};
};

}  // namespace tessera::cli
