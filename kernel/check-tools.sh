#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Says in one line what is missing to build the programs.
set -u

fail() {
	echo "kernel: $1" >&2
	exit 1
}

clang=${CLANG:-clang-19}
command -v "$clang" >/dev/null || fail "$clang is missing; on Debian: apt-get install clang-19"
command -v cargo >/dev/null || fail "cargo is missing; rustup installs Rust 1.88 or later"
minor=$(cargo --version | cut -d. -f2)
[ "$minor" -ge 88 ] || fail "$(cargo --version) is too old; 1.88 or later is needed: rustup update"
for tool in make gcc pkg-config; do
	command -v "$tool" >/dev/null || fail "$tool is missing; on Debian: apt-get install make gcc pkg-config"
done
for library in libelf zlib; do
	pkg-config --exists "$library" || fail "headers of $library are missing; on Debian: apt-get install libelf-dev zlib1g-dev"
done
