#!/bin/sh
# Builds the inputs of the index benchmark: bench-50.wasm, in which nearly all DWARF
# describes code, and bench-200.wasm and bench-500.wasm, which link the same objects
# many times over, so that most of their DWARF is of removed definitions, as in large
# C++ programs. The names are of the order of their sizes: 83, 223 and 543 MB.
#
#   scripts/bench-index/build.sh DIR
#
# Needs clang++, wasm-ld and a libc++ for WebAssembly (Debian: clang-22 lld-22
# libc++-19-dev-wasm32 wasi-libc). Takes a few minutes of processor time.
set -eu
dir=${1:?name a directory for the results}
here=$(cd "$(dirname "$0")" && pwd)
CLANG=${CLANG:-clang++-22}
LD=${LD:-wasm-ld-22}
CXX_INCLUDE=${CXX_INCLUDE:-/usr/lib/llvm-19/include/wasm32-wasi/c++/v1}
C_INCLUDE=${C_INCLUDE:-/usr/include/wasm32-wasi}
UNITS=${UNITS:-6}
DEPTH=${DEPTH:-14}
COPIES=${COPIES:-24}
mkdir -p "$dir"
objects=
i=0
while [ "$i" -lt "$UNITS" ]; do
  o=$dir/unit$i.o
  if [ ! -s "$o" ]; then
    "$CLANG" --target=wasm32-wasi -isystem "$CXX_INCLUDE" -isystem "$C_INCLUDE" -std=c++20 -fno-exceptions -Wno-everything \
      -g -fstandalone-debug -gdwarf-$((4 + i % 2)) -O$((i % 3)) -DUNIT=$i -DDEPTH="$DEPTH" -fdebug-compilation-dir=. \
      -c "$here/unit.cc" -o "$o.tmp"
    mv "$o.tmp" "$o"
  fi
  objects="$objects $o"
  i=$((i + 1))
done
link() { "$LD" --no-entry --export-all --allow-undefined --allow-multiple-definition "$@"; }
# shellcheck disable=SC2086
link $objects -o "$dir/bench-50.wasm"
# many FILE N links the objects N times.
many() {
  copies=
  n=0
  while [ "$n" -lt "$2" ]; do
    copies="$copies $objects"
    n=$((n + 1))
  done
  # shellcheck disable=SC2086
  link $copies -o "$dir/$1"
}
many bench-200.wasm $((COPIES / 3))
many bench-500.wasm "$COPIES"
ls -l "$dir/bench-50.wasm" "$dir/bench-200.wasm" "$dir/bench-500.wasm"
