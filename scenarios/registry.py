"""What a scenario chooses by name: controllers, schedulers and sources of verdicts, with their parameters.

Each is declared in one place: a file of simulator/src/controllers/, simulator/src/schedulers/, simulator/src/verdicts/
or simulator/loop/verdicts/, or a row of simulator/loop/verdicts/table.cc. ``smartsbd-loop --list`` prints them all
(``smartsbd-sim --list`` has no sources of verdicts of simulator/loop/), and registry.json is what it prints. The
contract of a scenario, its JSON Schema and the tables of simulator/README.md follow from that file.

::

    python -m smartsbd.scenarios.registry            # write registry.json and the tables, as smartsbd-loop prints them
    python -m smartsbd.scenarios.registry --check    # exit 1 if any of them differs from what the program prints
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model

from smartsbd.scenarios.part import Part

REGISTRY = Path(__file__).with_suffix(".json")
DOCUMENT = Path(__file__).resolve().parents[1] / "simulator" / "README.md"

#: By the key of a scenario that chooses: what there is to choose, each as the JSON Schema of an object that names it.
Registered = dict[str, list[dict[str, Any]]]
_REGISTERED: Registered = json.loads(REGISTRY.read_text())


class NamedChoice(Part):
    """An object that names what it chooses and may give its parameters."""

    name: str


def names(key: str) -> list[str]:
    """Return the names that a key of a scenario can choose from.

    Parameters
    ----------
    key : str
        ``congestion_control``, ``scheduler`` or ``verdicts``.

    Returns
    -------
    list of str
        In the order in which the program lists them.

    Examples
    --------
    >>> names("scheduler")
    ['blest', 'ecf', 'irps', 'min_rtt', 'olaps', 'redundant', 'round_robin']
    """
    return [kind["properties"]["name"]["const"] for kind in _REGISTERED[key]]


def name_type(key: str) -> Any:
    """Return the type of a name that a key can choose.

    Parameters
    ----------
    key : str
        ``congestion_control``, ``scheduler`` or ``verdicts``.

    Returns
    -------
    type
        A ``Literal`` of the names.
    """
    return Literal[tuple(names(key))]


def chosen_type(key: str) -> Any:
    """Return the type of what a key can have: a name, or an object with the name and parameters.

    Parameters
    ----------
    key : str
        ``congestion_control``, ``scheduler`` or ``verdicts``.

    Returns
    -------
    type
        A union for pydantic.
    """
    kinds = tuple(_model(kind) for kind in _REGISTERED[key])
    return Union[name_type(key), Annotated[Union[kinds], Field(discriminator="name")]]  # noqa: UP007 (known when it runs)


def parameter(key: str, chosen: str | NamedChoice, name: str) -> str | float | None:
    """Return a parameter of what a key has chosen: what is given, or its default; None if it has none of that name.

    Parameters
    ----------
    key : str
        ``congestion_control``, ``scheduler`` or ``verdicts``.
    chosen : str or NamedChoice
    name : str

    Returns
    -------
    str or float or None
        In the unit of the parameter.

    Examples
    --------
    >>> parameter("congestion_control", "lia", "counts"), parameter("congestion_control", "reno", "counts")
    ('packets', None)
    """
    given = None if isinstance(chosen, str) else getattr(chosen, name, None)
    if given is not None:
        return str(given) if isinstance(given, str) else float(given)
    of = chosen if isinstance(chosen, str) else chosen.name
    kinds = [kind["properties"] for kind in _REGISTERED[key] if kind["properties"]["name"]["const"] == of]
    # Of a controller of the kernel alone nothing is registered.
    default: str | float | None = kinds[0].get(name, {}).get("default") if kinds else None
    return default


def _model(kind: dict[str, Any]) -> type[NamedChoice]:
    """Return the model of an object that names a kind; a parameter that is left out has its default."""
    name = kind["properties"]["name"]["const"]
    fields: dict[str, Any] = {"name": (Literal[name], ...)}
    for key, schema in kind["properties"].items():
        if key != "name":
            about = f"{schema['description']} Default: {schema['default']}."
            fields[key] = (_parameter_type(schema) | None, Field(default=None, description=about))
    return create_model(name, __base__=NamedChoice, __doc__=kind["description"], **fields)


def _parameter_type(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    return Annotated[float, Field(ge=schema["minimum"], le=schema["maximum"])]


def _range(schema: dict[str, Any]) -> str:
    """Return what a parameter can be, the default first, for people.

    Examples
    --------
    >>> _range({"enum": ["packets", "acks"], "default": "packets"})
    '`packets`, `acks`'
    >>> _range({"minimum": 0, "maximum": 2.5, "default": 1.0})
    '1 (0 to 2.5)'
    """
    if "enum" in schema:
        return ", ".join(f"`{name}`" for name in schema["enum"])
    return f"{schema['default']:g} ({schema['minimum']:g} to {schema['maximum']:g})"


def tables(text: str, registered: Registered) -> str:
    """Return a document with the tables of what is registered, each between ``<!-- KEY -->`` and ``<!-- /KEY -->``.

    Parameters
    ----------
    text : str
        The document.
    registered : dict
        What the program prints.

    Returns
    -------
    str
        All outside of these comments stays.
    """
    for key, kinds in registered.items():
        rows = ["| name | what it is | parameters, default first |", "|---|---|---|"]
        for kind in kinds:
            parameters = [
                f"`{name}`: {_range(schema)}. {schema['description']}"
                for name, schema in kind["properties"].items()
                if name != "name"
            ]
            name = kind["properties"]["name"]["const"]
            rows.append(f"| `{name}` | {kind['description']} | {'<br>'.join(parameters)} |")
        head, begin, rest = text.partition(f"<!-- {key} -->\n")
        _, end, tail = rest.partition(f"<!-- /{key} -->")
        text = "".join([head, begin, *(f"{row}\n" for row in rows), end, tail])
    return text


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m smartsbd.scenarios.registry", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not up to date")
    check = parser.parse_args(arguments).check
    program = Path(sys.prefix) / "bin" / "smartsbd-loop"
    listed = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True).stdout
    stale = []
    for path, text in ((REGISTRY, listed), (DOCUMENT, tables(DOCUMENT.read_text(), json.loads(listed)))):
        if path.read_text() != text:
            stale.append(path.name)
            if not check:
                path.write_text(text)
    if check and stale:
        remedy = "run `python -m smartsbd.scenarios.registry`, then `python -m smartsbd.scenarios.schema`"
        print(f"{', '.join(stale)}: not what smartsbd-loop --list prints: {remedy}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
