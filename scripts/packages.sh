# Sourced by scripts/quickstart and scripts/test: the Debian packages that are needed, and how to get them.
# shellcheck shell=sh disable=SC2034

# Package, and what it brings: a command or a header. On a system without dpkg the second word is looked for.
build_packages='
cmake            cmake
ninja-build      ninja
g++              g++
libboost1.81-dev boost/version.hpp
libcli11-dev     CLI/CLI.hpp
libnanomsg-dev   nanomsg/nn.h
libyaml-cpp-dev  yaml-cpp/yaml.h
libfmt-dev       fmt/core.h
python3          python3
'
test_packages='
doctest-dev      doctest/doctest.h
clang-format     clang-format
clang-tidy       clang-tidy
shellcheck       shellcheck
tmux             tmux
git              git
procps           ps
'

# True if the package (Debian) or what it brings (elsewhere) is there.
have_package() {
  if command -v dpkg-query >/dev/null; then
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
  else
    case $2 in
      */*) [ -e "/usr/include/$2" ] || [ -e "/usr/local/include/$2" ] ;;
      *) command -v "$2" >/dev/null ;;
    esac
  fi
}

# need_packages LIST: installs what is missing, or names it and exits 1.
need_packages() {
  missing=$(echo "$1" | while read -r package brings; do
    [ -z "$package" ] || have_package "$package" "$brings" || printf '%s ' "$package"
  done)
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then as_root=sudo; fi
  if ! command -v apt-get >/dev/null || { [ -n "$as_root" ] && ! command -v sudo >/dev/null; }; then
    echo "these packages (names as in Debian 12) are missing, please install them: $missing" >&2
    exit 1
  fi
  echo "installing: $missing" >&2
  $as_root apt-get update -q </dev/null >&2 || true
  # shellcheck disable=SC2086  # words on purpose
  if ! $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q --no-install-recommends $missing </dev/null >&2; then
    echo "could not install: $missing" >&2
    exit 1
  fi
}
