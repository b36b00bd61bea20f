"""Engines are found by name, and each in its environment; what starts one needs nothing but Python 3.9."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.models.automl import ENGINES, EngineError, engine_of
from smartsbd.models.automl.auto_sklearn import AUTO_SKLEARN
from smartsbd.models.automl.environment import installed, python_of, remedy
from smartsbd.models.automl.flaml import FLAML
from tests.models.automl.asked_made import PREFIX, needs_auto_sklearn

ROOT = Path(__file__).parents[3]
#: Says which modules are loaded: those of a file by its path, those built in by nothing.
LOADED = """
import json, sys
import smartsbd.models.automl.program
print(json.dumps({name: getattr(module, "__file__", None) for name, module in sys.modules.items()}))
"""
#: Of what the program loads before it searches.
PROGRAM = {"auto_sklearn", "engine", "flaml", "process", "program"}


def loaded(python: Path) -> dict[str, Path]:
    """Modules that are no part of Python, without any package but the project's at hand."""
    done = subprocess.run(
        [str(python), "-S", "-c", LOADED],
        cwd=os.sep,
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {name: Path(file) for name, file in json.loads(done.stdout).items() if file is not None}
    return {name: file for name, file in found.items() if name.partition(".")[0] not in sys.stdlib_module_names}


def test_engines_are_found_by_name() -> None:
    assert {name: engine_of(name) for name in ENGINES} == {"auto-sklearn": AUTO_SKLEARN, "flaml": FLAML}


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(EngineError, match=r"'weka' is unknown, known are \['auto-sklearn', 'flaml'\]") as raised:
        engine_of("weka")
    assert raised.value.exit_code == 2


def test_an_environment_is_there_once_its_stamp_is(tmp_path: Path) -> None:
    environment = tmp_path / "auto-sklearn"
    assert installed(AUTO_SKLEARN, tmp_path) is None
    (environment / "bin").mkdir(parents=True)
    (environment / "bin/python").touch()
    assert installed(AUTO_SKLEARN, tmp_path) is None
    (environment / ".installed").write_text("Python 3.9 0123abc \n")
    assert installed(AUTO_SKLEARN, tmp_path) == "Python 3.9 0123abc"
    assert python_of(AUTO_SKLEARN, tmp_path) == environment / "bin/python"


def test_an_engine_of_the_main_environment_is_always_there(tmp_path: Path) -> None:
    assert installed(FLAML, tmp_path) is not None
    assert python_of(FLAML, tmp_path) == Path(sys.executable)


def test_the_remedy_is_one_line_that_names_what_to_do() -> None:
    said = remedy(AUTO_SKLEARN)
    assert "\n" not in said
    assert all(part in said for part in ("auto-sklearn", "Python 3.9", "PYTHON39", "make setup"))


@pytest.mark.parametrize(
    "python", [Path(sys.executable), pytest.param(python_of(AUTO_SKLEARN, PREFIX), marks=needs_auto_sklearn)]
)
def test_the_program_needs_no_package_before_it_searches(python: Path) -> None:
    files = loaded(python).values()
    assert all(file.is_relative_to(ROOT) for file in files), files
    assert {file.stem for file in files if file.parent.name == "automl"} >= PROGRAM


def test_what_the_program_loads_is_written_for_python_39() -> None:
    files = loaded(Path(sys.executable)).values()
    assert len(files) > len(PROGRAM)
    for file in files:
        parsed = ast.parse(file.read_text(), filename=str(file), feature_version=(3, 9))
        names = [keyword.arg for node in ast.walk(parsed) if isinstance(node, ast.Call) for keyword in node.keywords]
        # Of zip(), since 3.10; of dataclass(), too.
        assert not {"strict", "slots", "kw_only"} & set(names), file
