"""The recorder, built as `make kernel` builds it, where its tools and BPF are there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kernel.two_paths import TwoPaths, two_paths

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/kernel"
#: What cargo says where it cannot fetch what Cargo.lock names.
_NO_REGISTRY = ("failed to download", "failed to fetch", "failed to get", "Could not resolve host")


@pytest.fixture(scope="session")
def recorder() -> Path:
    """The recorder's program."""
    tools = subprocess.run([ROOT / "kernel/check-tools.sh"], capture_output=True, text=True, check=False)
    if tools.returncode:
        pytest.skip(tools.stderr.strip())
    made = subprocess.run(
        ["make", "-C", str(ROOT / "kernel"), "all", "witness"], capture_output=True, text=True, check=False
    )
    if made.returncode and any(text in made.stderr for text in _NO_REGISTRY):
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr
    return BUILT / "sbd-record"


@pytest.fixture(scope="session")
def recording_allowed(recorder: Path) -> Path:
    """The same, where the kernel lets it record."""
    tried = subprocess.run([recorder, "--seconds", "0.1"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(tried.stderr.strip())
    return recorder


@pytest.fixture(scope="module")
def network(recording_allowed: Path) -> Iterator[TwoPaths]:
    """Two paths of 40 Mbit/s."""
    del recording_allowed
    with ExitStack() as stack:
        try:
            own = stack.enter_context(two_paths(40))
        except OSError as error:
            pytest.skip(f"no network of its own: {error}")
        yield own
