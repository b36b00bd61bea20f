#!/bin/sh
# Sets up the environment of auto-sklearn, which needs Python 3.9, in the folder given; without 3.9 says so in one line and
# goes on: the pipeline runs without it.
set -eu

folder=$1
uv=$2
here=$(dirname "$0")
version='import sys; print("Python %d.%d" % sys.version_info[:2])'

is_39() {
	[ "$("$1" -c "$version" 2>/dev/null)" = "Python 3.9" ]
}

found() {
	for python in ${PYTHON39:-python3.9 "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.9.*/bin/python}; do
		is_39 "$python" && echo "$python" && return
	done
	[ -z "${PYTHON39:-}" ] || return
	"$uv" python find --managed-python 3.9 2>/dev/null && return
	# Reaches out where the machine may; elsewhere it gives up soon.
	UV_HTTP_TIMEOUT=10 timeout 120 "$uv" python install --quiet --no-bin 3.9 2>/dev/null &&
		"$uv" python find --managed-python 3.9 2>/dev/null
}

rm -rf "$folder"
if ! python=$(found); then
	echo "setup: Python 3.9 is not to be had, so auto-sklearn is left out: install it (pyenv install 3.9), or name it in PYTHON39" >&2
	exit 0
fi
"$uv" venv --quiet --python "$python" "$folder"
# Source distributions are built with what is locked for that.
"$uv" pip install --quiet --compile-bytecode --python "$folder/bin/python" --require-hashes \
	--preview-features build-dependency-hashes --require-build-hashes --build-constraints "$here/auto-sklearn-build.txt" \
	-r "$here/auto-sklearn.txt"
{
	"$folder/bin/python" -c "$version"
	sha256sum <"$here/auto-sklearn.txt"
} | tr '\n' ' ' >"$folder/.installed"
