"""Headers and programs that several files here run; each is built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.export import compilers, header_program, model_file
from smartsbd.export.compilers import Compiler
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.tree import NOT_SHARED, Forest
from tests.export import made


@pytest.fixture(scope="session")
def gcc() -> Compiler:
    return compilers.installed()[0]


@pytest.fixture(scope="session")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the headers that every model builds on."""
    return made.write_runtime(tmp_path_factory.mktemp("headers"))


@pytest.fixture(scope="session")
def loaded(headers: Path, gcc: Compiler, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replay program for model files."""
    return header_program.build(tmp_path_factory.mktemp("loaded"), headers, None, gcc)


@pytest.fixture(scope="session")
def checked(headers: Path, gcc: Compiler, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, that ends at what is undefined."""
    return header_program.build(tmp_path_factory.mktemp("checked"), headers, None, gcc, made.SANITIZERS)


@pytest.fixture(scope="session")
def all_features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file that takes every feature and decides nothing."""
    path = tmp_path_factory.mktemp("models") / "all.sbd"
    path.write_bytes(model_file.content(Forest((NOT_SHARED,)), [feature.name for feature in EXPORTABLE]))
    return path
