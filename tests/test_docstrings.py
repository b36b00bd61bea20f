"""Docstrings of what is public say what its parameters mean and what it raises.

That there is a docstring at all is for ruff to say (rules D). Here, of every public function and method:

- three or more parameters are in a section `Parameters`, each by its name. What another function says of them is not
  said again: `a, b` and below "As :func:`other` takes them."
- what `Parameters` names is a parameter, and if it is there it names all.
- `Raises` names what the function's own body raises by name. An error that is raised while another is handled counts:
  it is the one that the caller meets. What a `try` around it catches again does not, nor what is raised again (`raise`,
  `raise error`), nor what an inner function raises. Of an error that a function makes (`raise refusal(...)`) the
  class is not known from the text: any section will do.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipelines.imports import PACKAGES, modules

ROOT = Path(__file__).parents[1]
#: Folders whose modules all have these functions, each of one shape.
SAME_SHAPE = ("pipelines/stages", "pipelines/commands")
SHAPED = ("add_arguments", "run")
#: From this many parameters on their names alone do not say enough.
MANY = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef

_UNDERLINE = re.compile(r"-{3,}")
_NAMES = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .+)?")


def _called(node: ast.expr) -> str:
    """Return the last name of what is called or named: `Fault` of `fault.Fault(...)`."""
    if isinstance(node, ast.Call):
        return _called(node.func)
    if isinstance(node, ast.Subscript):
        return _called(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _caught(handlers: list[ast.ExceptHandler]) -> set[str]:
    """Return the names of the classes that an `except` names; none where it names none."""
    found: set[str] = set()
    for handler in handlers:
        classes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        found.update(_called(one) for one in classes if one is not None)
    return found


def _raises(nodes: list[ast.stmt], caught: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the names that the statements of one function raise."""
    for node in nodes:
        if isinstance(node, Function | ast.ClassDef):
            continue
        if isinstance(node, ast.Raise):
            called = node.exc and _called(node.exc)
            is_new = isinstance(node.exc, ast.Call) or (called and called.lstrip("_")[:1].isupper())
            if called and is_new and called not in caught:
                yield called
        inner = caught | _caught(node.handlers) if isinstance(node, ast.Try) else caught
        for name, statements in ast.iter_fields(node):
            if name in {"handlers", "cases"}:
                for one in statements:
                    yield from _raises(one.body, caught)
            elif isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                yield from _raises(statements, inner if name == "body" else caught)


def _sections(docstring: str) -> dict[str, list[str]]:
    """Return the lines of each section that stand at its left edge."""
    lines = docstring.splitlines()
    heads = [at for at in range(len(lines) - 1) if lines[at].strip() and _UNDERLINE.fullmatch(lines[at + 1].strip())]
    ends = [*heads[1:], len(lines)]
    return {
        lines[head].strip(): [line for line in lines[head + 2 : end] if line.strip() and not line.startswith(" ")]
        for head, end in zip(heads, ends, strict=False)
    }


def _parameters(function: Function, *, bound: bool) -> list[str]:
    takes = function.args
    own = [*takes.posonlyargs, *takes.args][1 if bound else 0 :]
    rest = [one for one in (takes.vararg, takes.kwarg) if one]
    return [one.arg for one in (*own, *takes.kwonlyargs, *rest)]


def missing(function: Function, *, bound: bool) -> list[str]:
    """Return what a function's docstring does not say.

    Parameters
    ----------
    function : ast.FunctionDef or ast.AsyncFunctionDef
    bound : bool
        The first parameter is `self` or `cls`.
    """
    sections = _sections(ast.get_docstring(function) or "")
    takes = _parameters(function, bound=bound)
    stated = sections.get("Parameters", [])
    named: list[str] = []
    for line in stated:
        match = _NAMES.fullmatch(line)
        if match:
            named.extend(name.lstrip("*") for name in match[1].split(", "))
    found: list[str] = []
    if len(takes) >= MANY and not stated:
        found.append("no Parameters")
    elif stated:
        found.extend(f"{name} is not in Parameters" for name in takes if name not in named)
    found.extend(f"{name} in Parameters is none" for name in named if name not in takes)
    told = {_called(ast.parse(line.strip(), mode="eval").body) for line in sections.get("Raises", []) if _is_name(line)}
    for error in dict.fromkeys(_raises(function.body)):
        if error not in told and (error.lstrip("_")[:1].isupper() or "Raises" not in sections):
            found.append(f"{error} is not in Raises")
    return found


def _is_name(line: str) -> bool:
    return all(part.isidentifier() for part in line.strip().split("."))


def _functions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, Function, bool]]:
    """Yield each public function with its name and whether it is bound."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node.body, f"{outer}{node.name}.")
        if not isinstance(node, Function) or node.name.startswith("_"):
            continue
        decorators = {_called(one) for one in node.decorator_list}
        if not decorators & {"overload", "property", "cached_property", "setter"}:
            yield f"{outer}{node.name}", node, bool(outer) and "staticmethod" not in decorators


def offenders(source: str, path: str, outside: tuple[str, ...] = ()) -> list[str]:
    """Return what the docstrings of a module do not say, one line each.

    Parameters
    ----------
    source : str
        Text of the module.
    path : str
        What the lines begin with.
    outside : tuple of str
        Functions of the module that are not looked at.
    """
    return [
        f"{path}:{function.lineno}: {name}: {what}"
        for name, function, bound in _functions(ast.parse(source).body)
        if name not in outside
        for what in missing(function, bound=bound)
    ]


def public_modules() -> list[str]:
    """Return the paths of the modules that are public by all parts of their names."""
    return sorted(
        path.as_posix()
        for path in modules(ROOT)
        if not any(part.startswith("_") and not part.startswith("__") for part in path.parts)
    )


def test_what_is_public_says_what_it_takes_and_raises() -> None:
    found = [
        line
        for path in public_modules()
        for line in offenders(
            (ROOT / path).read_text(), path, SHAPED if Path(path).parent.as_posix() in SAME_SHAPE else ()
        )
    ]
    assert found == [], "\n".join(found)


def test_every_package_is_looked_at() -> None:
    looked_at = {path.partition("/")[0] for path in public_modules()}
    assert looked_at == set(PACKAGES)


def _function(takes: str, body: str = "pass", *, says: str = "") -> str:
    """Return the source of a function `f` whose docstring goes on with some lines."""
    lines = ["Do it.", "", *textwrap.dedent(says).strip().splitlines()]
    return f"def f({takes}):\n" + textwrap.indent('"""' + "\n".join(lines) + '\n"""\n' + textwrap.dedent(body), "    ")


ALL_THREE = """
    Parameters
    ----------
    a, b : int
        Both.
    *more : str
    """
RAISES = """
    Raises
    ------
    ValueError
        If it is wrong.
    """


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (_function("a, b, *more"), ["no Parameters"]),
        (_function("a, *, b, c=1"), ["no Parameters"]),
        (_function("a, b"), []),
        (_function("a, b, *more", says=ALL_THREE), []),
        (_function("a, b, c, *more", says=ALL_THREE), ["c is not in Parameters"]),
        (_function("a, b", says=ALL_THREE), ["more in Parameters is none"]),
        (_function("a", "raise ValueError(a)"), ["ValueError is not in Raises"]),
        (_function("a", "raise ValueError(a)", says=RAISES), []),
        (_function("a", "raise errors.ValueError", says=RAISES), []),
        (_function("a", "raise KeyError(a)", says=RAISES), ["KeyError is not in Raises"]),
        (_function("a", "if a:\n    with a:\n        raise KeyError(a)"), ["KeyError is not in Raises"]),
        (_function("a", "match a:\n    case 1:\n        raise KeyError(a)"), ["KeyError is not in Raises"]),
        (_function("a", "try:\n    a()\nexcept OSError as error:\n    raise"), []),
        (_function("a", "try:\n    a()\nexcept OSError as error:\n    raise error"), []),
        (
            _function("a", "try:\n    a()\nexcept OSError as e:\n    raise KeyError from e"),
            ["KeyError is not in Raises"],
        ),
        (_function("a", "try:\n    raise KeyError(a)\nexcept (OSError, KeyError):\n    pass"), []),
        (
            _function("a", "try:\n    a()\nexcept KeyError:\n    pass\nelse:\n    raise KeyError"),
            ["KeyError is not in Raises"],
        ),
        (_function("a", "def inner():\n    raise KeyError(a)"), []),
        (_function("a", "raise refusal(a)"), ["refusal is not in Raises"]),
        (_function("a", "raise refusal(a)", says=RAISES), []),
    ],
)
def test_what_is_missing_is_found(source: str, what: list[str]) -> None:
    assert offenders(source, "m.py") == [f"m.py:1: f: {one}" for one in what]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class A:\n    def f(self, a, b, c): ...", ["A.f"]),
        ("class A:\n    def f(self, a, b): ...", []),
        ("class A:\n    @classmethod\n    def f(cls, a, b, c): ...", ["A.f"]),
        ("class A:\n    @staticmethod\n    def f(a, b, c): ...", ["A.f"]),
        ("class A:\n    def _f(self, a, b, c): ...", []),
        ("class A:\n    def __init__(self, a, b, c): ...", []),
        ("class _A:\n    def f(self, a, b, c): ...", []),
        ("async def f(a, b, c): ...", ["f"]),
        ("@overload\ndef f(a, b, c): ...", []),
        ("if TYPE_CHECKING:\n    def f(a, b, c): ...", []),
        ("def outside(a, b, c): ...", []),
    ],
)
def test_what_is_public_is_looked_at(source: str, names: list[str]) -> None:
    found = offenders(source, "m.py", ("outside",))
    assert [line.split(": ")[1] for line in found] == names
