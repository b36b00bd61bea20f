"""Before any numeric library is loaded: the package sets how many threads they may use."""

from __future__ import annotations

from pathlib import Path

import pytest

import pipelines as pipelines  # noqa: PLC0414 - for what importing it does
from tests import quick_profile
from tests.made_once import made_once

#: Runs in an environment of its own.
collect_ignore = ["bench_export_peers.py"]


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project folder in which the profile ``quick`` ran; to read alone."""
    made_once(tmp_path_factory, "quick", lambda _: quick_profile.up_to_date())
    return quick_profile.FOLDER
