"""What a stage's program imports, of the project's own modules: found by reading them, not by running them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator
from pathlib import Path

#: Folders of code: the rooms of the package ``smartsbd``, and what is not of it.
ROOMS = (
    *("contracts", "contributions", "detectors", "doctor", "export", "features", "limits", "models", "native"),
    *("pipelines", "scenarios", "testbed", "traces"),
)
PACKAGES = (*ROOMS, "smartsbd", "studies")


def modules(root: Path) -> list[Path]:
    """The packages' modules, from the project's folder; a study's tests are none."""
    # Links are not followed: a room is seen where it is.
    found = (path.relative_to(root) for package in PACKAGES for path in sorted((root / package).rglob("*.py")))
    return [path for path in found if "tests" not in path.parts and path.name != "conftest.py"]


def file_of(root: Path, module: str) -> Path | None:
    """The file of a module, from the project's folder; None if it is none of the project's."""
    parts = module.split(".")
    if parts[0] not in ("smartsbd", "studies"):
        return None
    place = Path(*(parts[1:] if len(parts) > 1 and parts[1] in ROOMS else parts))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if (root / path).exists():
            return path
    return None


def _for_types_alone(tree: ast.Module) -> set[ast.AST]:
    """Everything under ``if TYPE_CHECKING``."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }


def _names(tree: ast.Module) -> Iterator[str]:
    left_out = _for_types_alone(tree)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def imported(root: Path, path: Path) -> set[Path]:
    """The project's files that one file imports, at its top or within functions, with their packages' own."""
    found = set()
    for name in _names(ast.parse((root / path).read_text())):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            file = file_of(root, ".".join(parts[:length]))
            if file is not None:
                found.add(file)
    return found


def closure(root: Path, start: Path, passed_over: Collection[Path]) -> set[Path]:
    """Everything that is imported from `start` on, with it; what is passed over is left out, with what it imports."""
    found, waiting = {start}, [start]
    while waiting:
        for path in imported(root, waiting.pop()):
            if path not in found and path not in passed_over:
                found.add(path)
                waiting.append(path)
    return found


def says_something(root: Path, path: Path) -> bool:
    """Whether a file is more than a docstring."""
    return any(not isinstance(node, ast.Expr) for node in ast.parse((root / path).read_text()).body)
