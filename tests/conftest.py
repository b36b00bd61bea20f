"""Before any numeric library is loaded: the package sets how many threads they may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import pipelines as pipelines  # noqa: PLC0414 - for what importing it does
from tests import quick_profile
from tests.made_once import made_once

# What is drawn is checked by its results, and not by the clock: other tests run beside it.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

#: CPU seconds of the files that take the most, the fixtures they ask for first among them, without what is marked slow.
CPU_S = {
    "tests/pipelines/test_automl.py": 140,
    "tests/pipelines/test_road.py": 120,
    "tests/notebooks/test_notebooks.py": 94,
    "tests/traces/test_fuzz.py": 78,
    "tests/pipelines/test_documented_commands.py": 67,
    "tests/pipelines/test_dvc_remote.py": 56,
    "tests/export/test_verify.py": 55,
    "tests/models/detectors/test_baseline_checks.py": 50,
    "tests/export/test_runtime.py": 47,
    "tests/pipelines/test_track.py": 46,
    "tests/pipelines/test_prove.py": 41,
    "tests/traces/test_broken_files.py": 38,
    "tests/pipelines/test_detect.py": 37,
    "tests/pipelines/test_scheduler.py": 31,
    "tests/models/automl/test_search.py": 30,
    "tests/test_benchmarks.py": 30,
    "tests/pipelines/test_publish.py": 27,
    "tests/features/test_against_naive.py": 25,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take the longest: else one of them may be left to a single worker at the end."""
    items.sort(key=lambda item: -CPU_S.get(item.nodeid.partition("::")[0], 0))


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project folder in which the profile ``quick`` ran; to read alone."""
    made_once(tmp_path_factory, "quick", lambda _: quick_profile.up_to_date())
    return quick_profile.FOLDER
