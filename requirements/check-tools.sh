#!/bin/sh
# Says in one line what is missing to build and run this project; prints the Python to use.
set -u

fail() {
	echo "setup: $1" >&2
	exit 1
}

[ "$(uname -sm)" = "Linux x86_64" ] ||
	fail "this is $(uname -sm); the ns-3 wheel and the locks are for Linux x86_64 only"
for tool in gcc g++ make git sha256sum; do
	command -v "$tool" >/dev/null || fail "$tool is missing; on Debian: apt-get install gcc g++ make git coreutils"
done
major=$(g++ -dumpversion | cut -d. -f1)
[ "$major" -ge 12 ] || fail "g++ $major is too old; 12 or later is needed"

wanted='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
headers='import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
for python in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
	"$python" -c "$wanted" 2>/dev/null || continue
	"$python" -c 'import ensurepip, venv' 2>/dev/null ||
		fail "$python has no venv module; on Debian: apt-get install python3.11-venv python3.11-dev"
	"$python" -c "$headers" 2>/dev/null ||
		fail "$python has no headers, which C++ modules are built with; on Debian: apt-get install python3.11-dev"
	echo "$python"
	exit 0
done
fail "Python 3.11, 3.12 or 3.13 is missing (tried ${PYTHON:-python3.11, python3.12, python3.13, python3}); on Debian 12: apt-get install python3.11-venv python3.11-dev"
