# Sourced by the commands of tools/: where the repository is, what is said, how a preset is built.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  [ $# -lt 2 ] || printf '  %s\n' "${@:2}" >&2
  exit 1
}

# A home that cannot be written is no reason to fail: ccache then keeps its files in the build folder.
use_ccache() {
  command -v ccache >/dev/null || return 0
  local folder
  folder=$(ccache --get-config cache_dir 2>/dev/null || true)
  if [ -z "$folder" ] || ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
    export CCACHE_DIR="$root/build/ccache"
    mkdir -p "$CCACHE_DIR"
  fi
}

# configure PRESET [-DNAME=VALUE ...]
configure() {
  local log="build/$1/configure.log"
  mkdir -p "build/$1" 2>/dev/null || fail "cannot make the folder $root/build/$1" "clone to a folder that is yours"
  use_ccache
  if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log" >&2
    fail "CMake could not configure the preset '$1'" "its output is above and in $log"
  fi
  # What the user should know (a device that is left out, and why) is said by STATUS lines with this mark.
  grep -h '^-- Tessera:' "$log" | sed 's/^-- /   /' || true
}

# The programs of a preset.
program() { printf '%s/build/%s/bin/%s' "$root" "$1" "$2"; }
