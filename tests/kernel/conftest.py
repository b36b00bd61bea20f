"""The recorder, built as `make kernel` builds it, where its tools and BPF are there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kernel.controllers import alone
from tests.kernel.two_paths import TwoPaths, two_paths
from tests.testbed.conftest import allowed, relay

__all__ = ["allowed", "relay"]

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/kernel"
#: What cargo says where it cannot fetch what Cargo.lock names.
_NO_REGISTRY = ("failed to download", "failed to fetch", "failed to get", "Could not resolve host")

#: What libbpf says where BPF is not allowed, or the kernel is older than arenas.
NO_ARENA = "map 'sbd_arena': failed to create"


#: What `sbd kernel load` says where a right, or a part of the kernel, is missing.
_NO_CONTROLLERS = ("is missing", "this kernel has no", "map 'sbd_arena': failed to create", "cannot be mounted")

#: What it says where somebody has loaded them: a kernel has them once, and tests do not take them away.
_LOADED_BEFORE = "the controllers are loaded already"


def make(*targets: str) -> None:
    """Make targets of kernel/Makefile, or variables of it, as `make` takes them; skip where its tools are missing."""
    tools = subprocess.run([ROOT / "kernel/check-tools.sh"], capture_output=True, text=True, check=False)
    if tools.returncode:
        pytest.skip(tools.stderr.strip())
    made = subprocess.run(["make", "-C", str(ROOT / "kernel"), *targets], capture_output=True, text=True, check=False)
    if made.returncode and any(text in made.stderr for text in _NO_REGISTRY):
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr


@pytest.fixture(scope="session")
def recorder() -> Path:
    """The recorder's program."""
    make("all", "witness")
    return BUILT / "sbd-record"


@pytest.fixture(scope="session")
def controllers_loader() -> Path:
    """What puts the controllers into the kernel."""
    make("all")
    return BUILT / "sbd-kernel"


@pytest.fixture(scope="session")
def controllers_allowed(controllers_loader: Path) -> Path:
    """The same, where the kernel takes them."""
    with alone():
        tried = subprocess.run([controllers_loader, "load"], capture_output=True, text=True, check=False)
        if tried.returncode and any(text in tried.stderr for text in (*_NO_CONTROLLERS, _LOADED_BEFORE)):
            pytest.skip(tried.stderr.strip())
        assert tried.returncode == 0, tried.stderr
        subprocess.run([controllers_loader, "unload"], check=True)
    return controllers_loader


@pytest.fixture(scope="session")
def kernel_replay() -> Path:
    """What feeds the exported detectors in the kernel with recorded signals."""
    make("replay")
    return BUILT / "replay"


@pytest.fixture(scope="session")
def verified(kernel_replay: Path) -> str:
    """What it says of each exported detector's programs, where this kernel takes any with an arena."""
    tried = subprocess.run([kernel_replay, "--verify"], capture_output=True, text=True, check=False)
    if tried.returncode and NO_ARENA in tried.stderr:
        pytest.skip(tried.stderr.strip().splitlines()[-1])
    assert tried.returncode == 0, tried.stderr
    return tried.stdout


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


@pytest.fixture(scope="module")
def paths(controllers_allowed: Path) -> Iterator[TwoPaths]:
    """Two paths of 8 Mbit/s, each with a bottleneck of its own."""
    del controllers_allowed
    with ExitStack() as stack:
        try:
            own = stack.enter_context(two_paths(8))
        except OSError as error:
            pytest.skip(f"no network of its own: {error}")
        yield own
