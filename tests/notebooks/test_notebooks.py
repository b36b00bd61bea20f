"""Notebooks import and never define, assert what they conclude, stand in git with outputs, and run on small data."""

from __future__ import annotations

import ast
import base64
import io
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from matplotlib.image import imread as read_png
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Those that need nothing but the package: they do not know of profiles, and import nothing internal.
ON_THE_API = ("07_verdict", "08_your_own_data")
#: What a line of code may have, so that none is cut at the page's edge.
_MOST_COLUMNS = 120
_MOST_COLUMNS_ON_THE_API = 79
_TIMEOUT_S = 600
_MAX_BYTES = 1_500_000
_FOLDER_OF_A_MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users)/")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def test_the_nine_are_there() -> None:
    assert [path.stem[:3] for path in NOTEBOOKS] == ["01_", "02_", "03_", "04_", "05_", "06_", "07_", "08_", "09_"]


@each
def test_it_imports_and_never_defines_and_asserts(path: Path) -> None:
    trees = [ast.parse(cell.source) for cell in code_cells(path)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert not [ast.unparse(node) for node in nodes if isinstance(node, _DEFINITIONS)]
    assert sum(isinstance(node, ast.Assert) for node in nodes) >= 2


@each
def test_it_was_run_from_top_to_bottom_without_a_word_of_warning(path: Path) -> None:
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    if path.stem not in ON_THE_API:
        assert "profile: default" in "".join(output.get("text", "") for output in cells[0].outputs)


@each
def test_no_line_of_code_is_wider_than_the_page(path: Path) -> None:
    most = _MOST_COLUMNS_ON_THE_API if path.stem in ON_THE_API else _MOST_COLUMNS
    lines = [line for cell in code_cells(path) for line in cell.source.splitlines()]
    assert [line for line in lines if len(line) > most] == []


@pytest.mark.parametrize("name", ON_THE_API)
def test_what_is_on_the_api_imports_nothing_internal_and_has_no_long_table(name: str) -> None:
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    nodes = [node for cell in code_cells(path) for node in ast.walk(ast.parse(cell.source))]
    imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert "smartsbd" in imported
    assert not [module for module in imported if module.startswith("smartsbd.")]
    shown = [output.data["text/plain"] for cell in code_cells(path) for output in cell.outputs if "data" in output]
    assert max(len(text.splitlines()) for text in shown) < 20


@each
def test_its_pictures_are_whole(path: Path) -> None:
    outputs = [output for cell in code_cells(path) for output in cell.outputs if "data" in output]
    pictures = [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.data]
    assert all(read_png(io.BytesIO(picture)).size for picture in pictures)


@each
def test_it_is_small_and_names_no_machines_folder(path: Path) -> None:
    text = path.read_text()
    assert len(text) < _MAX_BYTES
    assert not _FOLDER_OF_A_MACHINE.search(text)


@each
def test_its_links_lead_somewhere(path: Path) -> None:
    prose = "".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        assert (path.parent / target).exists(), target


def run_on(path: Path, project: Path) -> Any:
    """Run a notebook on the results of a project's folder."""
    resources = {"metadata": {"path": str(project / "notebooks")}}
    return NotebookClient(read(path), timeout=_TIMEOUT_S, resources=resources).execute()


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem) for path in NOTEBOOKS if path.stem not in ON_THE_API]
)
def test_it_runs_on_small_data(path: Path, quick: Path) -> None:
    assert "profile: quick" in run_on(path, quick).cells[1].outputs[0].text


@pytest.mark.parametrize("name", ON_THE_API)
def test_what_is_on_the_api_runs_beside_what_is_in_git(name: str) -> None:
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    assert "1 connection, 2 subflows" in run_on(path, ROOT).cells[1].outputs[0].data["text/plain"]


@pytest.mark.skipif(
    shutil.which("clang") is None, reason="clang is not installed: what runs above is what is asked here"
)
def test_the_export_is_shown_by_gcc_alone_where_it_is_the_only_compiler(
    quick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gcc", "as", "ld", "nm", "size"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path))
    (path,) = (path for path in NOTEBOOKS if path.stem.endswith("export"))
    outputs = [output for cell in run_on(path, quick).cells for output in cell.get("outputs", [])]
    assert "clang is not installed: built by gcc alone, and not for BPF" in "".join(
        one.get("text", "") for one in outputs
    )
