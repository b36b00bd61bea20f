"""Resolves the names of docstrings as the module that holds them does: by what it imports.

A role such as ``:func:`read_table` `` must lead to a page, or to another project's package. A type in a signature or in
a list of parameters, which is plain English as often as not, leads there if it can.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.nodes import make_refnode

from docs.site.public_package import public_modules, public_names
from docs.site.sources import ROOT, files_of

if TYPE_CHECKING:
    from autoapi._objects import PythonObject
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_PACKAGES = files_of(ROOT).packages
_PUBLIC, _PUBLIC_MODULES = public_names(ROOT), public_modules(ROOT)
#: What Napoleon makes of a section `Attributes`, one field, and of the names before the text of each line.
_ATTRIBUTES = re.compile(r"^:Attributes:(.*?)(?=^:|\Z)", re.MULTILINE | re.DOTALL)
_NAMES = re.compile(r"^[ *]*\*\*([\w, ]+)\*\*", re.MULTILINE)
_DASHES = re.compile(r"^((?::\w+:)?[ *]*\*\*?[^*]+\*\*?(?: \(.*\))?) -- ")
#: After Napoleon.
_LATE = 900
#: The attributes that the docstring of each class tells of.
_TOLD: dict[str, set[str]] = {}


def _file_of(module: str) -> Path:
    place = ROOT.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@functools.cache
def imported(module: str) -> dict[str, str]:
    """Return the names that a module imports, anywhere in it, with what they are in full."""
    path = _file_of(module)
    parts = module.split(".")
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                found[one.asname or first] = one.name if one.asname else first
        elif isinstance(node, ast.ImportFrom):
            above = parts[: len(parts) - node.level + (path.name == "__init__.py")] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            found |= {one.asname or one.name: f"{origin}.{one.name}" for one in node.names}
    return found


def _origin(name: str) -> str:
    """Return where a name is defined that a package hands on from one of its modules."""
    module, _, last = name.rpartition(".")
    if module.partition(".")[0] not in _PACKAGES or not _file_of(module).is_file():
        return name
    origin = imported(module).get(last, name)
    return origin if origin == name else _origin(origin)


@functools.cache
def _assigned_together(module: str) -> set[str]:
    """Return the names that lines such as `SENDER, RECEIVER = ...` of a module assign."""
    targets = [node.targets[0] for node in ast.parse(_file_of(module).read_text()).body if isinstance(node, ast.Assign)]
    return {
        one.id
        for target in targets
        if isinstance(target, ast.Tuple)
        for one in target.elts
        if isinstance(one, ast.Name)
    }


def _place(name: str, module: str, owner: str) -> str:
    """Return what tells of a name that has no place of its own: the class of an attribute, the module of a constant.

    Parameters
    ----------
    name : str
    module, owner : str
        Where a docstring names it; an empty owner is no class.
    """
    first, _, last = name.rpartition(".")
    classes = [_origin(first), f"{module}.{first}"] if first else [f"{module}.{owner}"]
    found = [one for one in classes if last in _TOLD.get(one, ())]
    if not found and module.partition(".")[0] in _PACKAGES and name in _assigned_together(module):
        found = [module]
    return found[0] if found else ""


def _is_told_twice(_app: Sphinx, what: str, name: str, member: PythonObject, skip: bool, _options: list[str]) -> bool:
    """Leave an attribute to the list in the docstring of its class, if that names it; and what is internal out."""
    if what in ("module", "package"):
        return name not in _PUBLIC_MODULES
    if what in ("class", "exception"):  # asked about before its members
        listed = _NAMES.findall("".join(_ATTRIBUTES.findall(member.docstring)))
        _TOLD[name] = {one.strip() for names in listed for one in names.split(",")}
    return skip or (what == "attribute" and member.name in _TOLD.get(name.rpartition(".")[0], ()))


def _dash(_app: Sphinx, _what: str, _name: str, _member: object, _options: object, lines: list[str]) -> None:
    """Put a dash between the type of a parameter and what is said of it."""
    lines[:] = [_DASHES.sub("\\1 \N{EN DASH} ", line) for line in lines]


def _resolved(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.reference | nodes.TextElement | None:
    if node.get("refdomain") != "py":
        return None
    module = node.get("py:module") or ""
    names = imported(module) if module.partition(".")[0] in _PACKAGES else {}
    first, dot, rest = node["reftarget"].partition(".")
    whole = f"{names.get(first, first)}{dot}{rest}"
    top = whole.partition(".")[0]
    objects = env.domains.python_domain.objects
    origin = _origin(whole)
    for name in (origin, _PUBLIC.get(origin, ""), f"{module}.{whole}", _PUBLIC.get(f"{module}.{whole}", "")):
        if known := objects.get(name):
            return make_refnode(app.builder, node["refdoc"], known.docname, known.node_id, shown, name)
    if place := objects.get(_place(whole, module, node.get("py:class") or "")):
        return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, shown, whole)
    foreign = {one.partition(".")[0] for one in names.values()} | set(sys.stdlib_module_names)
    is_private = whole.rpartition(".")[2].startswith("_")
    # Parameters of generic classes are `obj`, in the list of bases; no docstring says so.
    is_written = isinstance(shown, nodes.literal) and node["reftype"] != "obj"
    if (top in foreign and top not in _PACKAGES) or is_private or not is_written:
        return shown
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Have names resolved that Sphinx does not find, and attributes told once."""
    app.connect("missing-reference", _resolved)
    app.connect("autoapi-skip-member", _is_told_twice)
    app.connect("autodoc-process-docstring", _dash, priority=_LATE)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
