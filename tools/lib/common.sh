# Sourced by the commands of tools/: where the repository is, what is said, how a preset is built.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  [ $# -lt 2 ] || printf '  %s\n' "${@:2}" >&2
  exit 1
}

# configure PRESET [-DNAME=VALUE ...]
configure() {
  local log="build/$1/configure.log"
  mkdir -p "build/$1"
  if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log" >&2
    fail "CMake could not configure the preset '$1'" "its output is above and in $log"
  fi
  # What the user should know (a device that is left out, and why) is said by STATUS lines with this mark.
  grep -h '^-- Tessera:' "$log" | sed 's/^-- /   /' || true
}

# The programs of a preset.
program() { printf '%s/build/%s/bin/%s' "$root" "$1" "$2"; }
