"""The crate's programs, built as a user of the crate builds them, where cargo is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CRATE = ROOT / "rust"
BUILT = ROOT / "build/rust"


def cargo(*arguments: str) -> str:
    """Run cargo in the crate, without a network; return what it prints, or skip where it is missing or too old."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    environment = os.environ | {"CARGO_TARGET_DIR": str(BUILT), "CARGO_NET_OFFLINE": "true"}
    done = subprocess.run(
        ["cargo", *arguments], cwd=CRATE, env=environment, capture_output=True, text=True, check=False
    )
    if "requires rustc" in done.stderr or "feature `edition2024` is required" in done.stderr:
        pytest.skip("this cargo is older than the crate takes (rust-version in rust/Cargo.toml)")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def programs() -> Path:
    """Folder with the crate's examples."""
    cargo("build", "--quiet", "--release", "--locked", "--examples")
    return BUILT / "release/examples"
