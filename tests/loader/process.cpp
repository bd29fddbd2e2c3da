#include "process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace tessera::test {
namespace {

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& device_path,
                         const std::string& directory) {
  if (device_path.empty()) {
    unsetenv("TESSERA_DEVICE_PATH");
  } else {
    setenv("TESSERA_DEVICE_PATH", device_path.c_str(), 1);
  }
  if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(126);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& command, const std::string& device_path,
                    const std::string& directory) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    become(command, device_path, directory);
  }
  close(pipe_ends[1]);
  Outcome outcome;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(pipe_ends[0], part.data(), part.size())) > 0;) {
    outcome.output.append(part.data(), static_cast<std::size_t>(count));
  }
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace tessera::test
