"""What several files here stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_once import made_once
from tests.pipelines import small_project


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project folder in which every stage from search to export ran on two small datasets; to read alone."""
    return made_once(tmp_path_factory, "searched", lambda project: small_project.make(project, workers=1))
