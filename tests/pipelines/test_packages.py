"""Groups of dependencies: what is imported is of one, and what is not installed is said in one line."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.packages import GROUP_OF
from tests.pipelines.imports import PACKAGES, modules

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: Packages that are imported by another name.
IMPORTED_AS = {
    "pywavelets": "pywt",
    "pyyaml": "yaml",
    "ruamel": None,
    "scikit-learn": "sklearn",
    "smartsbd": None,
    "xgboost-cpu": "xgboost",
}
#: Of another Python's environment, compiled by make, or what DVC or MLflow brings.
ELSEWHERE = {
    "markupsafe",
    "sqlalchemy",
    "autosklearn",
    "smac",
    "voluptuous",
    "typing_extensions",
    "starlette",
    "uvicorn",
}


def modules_of(requirements: list[str]) -> set[str]:
    found = {re.split(r"[^a-zA-Z0-9-]", one)[0] for one in requirements}
    return {name for one in found if (name := IMPORTED_AS.get(one, one)) is not None}


NEEDED = modules_of(PROJECT["dependencies"])


def test_each_module_is_of_a_group_that_has_it() -> None:
    of_groups = {name: modules_of(own) for name, own in PROJECT["optional-dependencies"].items()}
    for module, group in GROUP_OF.items():
        if module not in ELSEWHERE:
            assert module in of_groups[group], module
    assert set().union(*of_groups.values()) <= GROUP_OF.keys()
    assert not NEEDED & GROUP_OF.keys()


def test_all_that_the_packages_import_is_known() -> None:
    seen = set()
    for path in modules(ROOT):
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            seen |= {name.partition(".")[0] for name in names}
    foreign = seen - set(sys.stdlib_module_names) - set(PACKAGES) - ELSEWHERE
    assert foreign - NEEDED - GROUP_OF.keys() == set()


def test_what_is_not_installed_is_said_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> int:
        raise ModuleNotFoundError(name="mlflow.tracking")

    assert stage.guarded(work) == stage.EXIT_FAILED
    assert [one.getMessage() for one in caplog.records] == [
        "mlflow is not installed: pip install 'smartsbd[track]' adds it; in a checkout, `make core GROUPS=track`"
    ]

    def unknown() -> int:
        raise ModuleNotFoundError(name="nonsense")

    with pytest.raises(ModuleNotFoundError):
        stage.guarded(unknown)


#: What a process sees that has the first group alone: every other package is hidden.
_ALONE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Hidden())
from smartsbd.pipelines.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "command", ["inspect", "detect", "detect --model wavelet", "detect --model rfc8382", "parse --out t"]
)
def test_the_first_group_is_enough_to_read_and_to_judge(command: str, tmp_path: Path) -> None:
    log = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
    program = _ALONE.format(hidden=set(GROUP_OF))
    done = subprocess.run(
        [sys.executable, "-c", program, *command.split(), str(log)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
