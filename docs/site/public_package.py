"""The package as who imports it sees it: what ``smartsbd/__init__.py`` names, and the modules that these come from.

The names are loaded when they are asked for, and autoapi, which imports nothing, does not see that. So the pages are
made of a copy in which they are imported; a type checker reads the same imports.
"""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = "smartsbd"
_INIT = "__init__.py"


def _imports(module: ast.Module) -> list[ast.ImportFrom]:
    """Return what a module imports for type checkers alone."""
    return [
        one
        for node in module.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for one in node.body
        if isinstance(one, ast.ImportFrom) and one.module
    ]


def public_names(root: Path) -> dict[str, str]:
    """Return what the package hands on, by the full name where it is defined.

    Returns
    -------
    dict of str to str
        Such as ``smartsbd.judging.judge`` to ``smartsbd.judge``.
    """
    module = ast.parse((root / PACKAGE / _INIT).read_text())
    return {f"{one.module}.{name.name}": f"{PACKAGE}.{name.name}" for one in _imports(module) for name in one.names}


def public_modules(root: Path) -> set[str]:
    """Return the modules that are public themselves: the package, and those that it hands on as a whole."""
    handed_on = {name for origin, name in public_names(root).items() if origin == name}
    return {PACKAGE, *handed_on}


def package_files(root: Path) -> dict[str, str]:
    """Return the files of the copy: their texts by their names."""
    module = ast.parse((root / PACKAGE / _INIT).read_text())
    imports = [one for one in _imports(module) if one.module != PACKAGE]
    head = ast.get_docstring(module, clean=False) or ""
    listed = [name.name for one in _imports(module) for name in one.names]
    lines = [f'"""{head}"""', *map(ast.unparse, imports), f"__all__ = {listed!r}"]
    sources = {one.module.rpartition(".")[2] for one in imports if one.module}
    sources |= {name.rpartition(".")[2] for name in public_modules(root) - {PACKAGE}}
    return {
        _INIT: "\n".join(lines) + "\n",
        **{f"{name}.py": (root / PACKAGE / f"{name}.py").read_text() for name in sorted(sources)},
    }
