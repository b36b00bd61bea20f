"""Tests use what a module shows: private names of the packages are read by none, but for a list with reasons."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.pipelines.imports import PACKAGES

ROOT = Path(__file__).parents[2]
_A_SIZE = "a size that the test makes inputs for"
_RECORDING = "a whole recording needs network namespaces and half a minute"
_WORDS = "the words must be as many as the numbers of the native part"
#: File of tests and name, and why it is read.
EXCEPTIONS = {
    ("detectors/test_compiled_detectors.py", "_library"): "a library once loaded stays loaded; the test drops it",
    ("export/test_packed.py", "_PLACES"): _A_SIZE,
    ("models/automl/test_search.py", "_limits_acted"): "an engine's limits act too rarely to wait for them",
    ("testbed/test_together.py", "_Together"): _RECORDING,
    ("testbed/test_together.py", "_draw_runs"): _RECORDING,
    ("testbed/test_together.py", "_recorded"): _RECORDING,
    ("traces/test_connection.py", "_ROWS"): _A_SIZE,
    ("traces/test_recorded.py", "_VERDICTS"): _WORDS,
    ("traces/test_recorded.py", "_SIGNALS"): _WORDS,
}


def _private(name: str) -> bool:
    # A named tuple's `_make` and its like are public by their documentation.
    return name.startswith("_") and not name.startswith("__") and name not in ("_make", "_replace", "_asdict")


def private_names(source: str) -> Iterator[str]:
    """Yield the private names that a module's source reads from our packages.

    Examples
    --------
    >>> source = "from smartsbd.models import trial\\nfrom smartsbd.features.pair import _grid\\ntrial._draw()"
    >>> list(private_names(source))
    ['_grid', '_draw']
    """
    tree = ast.parse(source)
    own = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    own = [node for node in own if str(node.module).split(".")[0] in PACKAGES]
    names = [alias for node in own for alias in node.names]
    yield from (alias.name for alias in names if _private(alias.name))
    known = {alias.asname or alias.name for alias in names}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.value.id in known and _private(node.attr):
            yield node.attr


def test_no_private_name_is_read_without_a_reason() -> None:
    paths = [*(ROOT / "tests").rglob("*.py"), *ROOT.glob("studies/*/tests/*.py")]
    found = {
        (str(path.relative_to(ROOT)).removeprefix("tests/"), name)
        for path in paths
        for name in private_names(path.read_text())
    }
    assert found == EXCEPTIONS.keys()
