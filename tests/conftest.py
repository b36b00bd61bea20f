"""Before any numeric library is loaded: the package sets how many threads they may use."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import quick_profile
from tests.made_once import made_once

# What is drawn is checked by its results, and not by the clock: other tests run beside it.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

#: CPU seconds of the files of the fast set that take the most, with the fixtures that they are the first to ask for.
CPU_S = {
    "tests/pipelines/test_road.py": 340,
    "tests/pipelines/test_automl.py": 78,
    "tests/simulator/test_loop.py": 45,
    "tests/export/test_runtime.py": 40,
    "tests/pipelines/test_detect.py": 35,
    "tests/pipelines/test_benchmark.py": 35,
    "tests/export/test_verify.py": 28,
    "tests/traces/test_broken_files.py": 22,
    "tests/pipelines/test_doctor.py": 22,
    "tests/pipelines/test_live.py": 21,
    "tests/simulator/test_scenario.py": 21,
    "tests/pipelines/test_new_dataset.py": 19,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take the longest: else one of them may be left to a single worker at the end."""
    items.sort(key=lambda item: -CPU_S.get(item.nodeid.partition("::")[0], 0))


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project folder in which the profile ``quick`` ran; to read alone."""
    made_once(tmp_path_factory, "quick", lambda _: quick_profile.up_to_date())
    return quick_profile.FOLDER


def loaded_twice() -> dict[str, list[str]]:
    """Return the files of the project that are loaded under more than one module's name, with the names."""
    names = defaultdict(set)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and name not in ("__main__", "__mp_main__"):
            names[Path(file).resolve()].add(getattr(module, "__name__", name))
    root = Path(__file__).resolve().parents[1]
    return {
        str(path.relative_to(root)): sorted(known)
        for path, known in names.items()
        if len(known) > 1 and path.is_relative_to(root) and ".venv" not in path.parts
    }


@pytest.fixture(scope="session", autouse=True)
def no_file_is_two_modules() -> Iterator[None]:
    """The folders are links of the package too: imported by a bare name, a file would be loaded a second time."""
    yield
    assert loaded_twice() == {}
