"""The contract of a scenario as JSON Schema, for the simulator, which is a program of its own.

::

    python -m smartsbd.scenarios.schema            # write simulator/src/scenario.schema.json from scenarios/scenario.py
    python -m smartsbd.scenarios.schema --check    # exit 1 if the two differ
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from smartsbd.scenarios.scenario import Scenario

SCHEMA = Path(__file__).resolve().parents[1] / "simulator" / "src" / "scenario.schema.json"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "Scenario of smartsbd-sim"
#: Keywords of a value, in this order. The simulator reads no other keyword (simulator/src/path/place.h).
_KEYWORDS = (
    *("description", "type", "const", "enum", "pattern"),
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minItems", "maxItems"),
    *("additionalProperties", "required", "properties", "anyOf", "oneOf", "prefixItems", "items"),
)
#: Keywords of pydantic beside these, and what is resolved here.
_LEFT_OUT = ("title", "default", "discriminator", "$defs", "$ref")


def scenario_schema() -> dict[str, Any]:
    """Return the schema of a scenario, in the part of JSON Schema (draft 2020-12) that the simulator reads.

    Returns
    -------
    dict
        Without references. A key is required unless its default is None; then it is left out, and is not null.
        Where a value may be null, ``type`` is a list; ``oneOf`` has objects alone, told apart by
        ``kind`` or ``name``; ``anyOf`` has names, or objects that name what they choose.

    Raises
    ------
    ValueError
        If the contract uses a keyword of JSON Schema that the simulator does not read.
    """
    generated = Scenario.model_json_schema()
    return {"$schema": _DRAFT, "title": _TITLE, **_plain(generated, generated["$defs"])}


def _plain(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return what pydantic says of a value without references, titles, defaults and a separate branch for null."""
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]] | node
        del node["$ref"]
    if "anyOf" in node:
        branches = [branch for branch in node["anyOf"] if branch != {"type": "null"}]
        if len(branches) == 1:
            node = branches[0] | node
            del node["anyOf"]
            if "$ref" in node:
                return _plain(node, definitions)
            if "default" not in node:
                node["type"] = [node["type"], "null"]
        elif "default" in node:
            node = node | {"anyOf": branches}
    unknown = node.keys() - {*_KEYWORDS, *_LEFT_OUT}
    if unknown:
        raise ValueError(f"the simulator reads no {sorted(unknown)} of JSON Schema")
    plain = {keyword: node[keyword] for keyword in _KEYWORDS if keyword in node}
    if "const" in plain or "enum" in plain:
        del plain["type"]
    if "properties" in plain:
        properties = plain["properties"]
        plain["required"] = [key for key, value in properties.items() if value.get("default", "") is not None]
        plain["properties"] = {key: _plain(value, definitions) for key, value in properties.items()}
    for keyword in ("anyOf", "oneOf", "prefixItems"):
        if keyword in plain:
            plain[keyword] = [_plain(value, definitions) for value in plain[keyword]]
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    return plain


def written(value: Any, margin: str = "") -> str:
    """Return a value as JSON: a list of scalars on one line, everything else indented by two spaces.

    Returns
    -------
    str
        Without a line end after it.

    Examples
    --------
    >>> print(written({"enum": ["lia", "reno"], "of": {"minimum": 0}}))
    {
      "enum": ["lia", "reno"],
      "of": {
        "minimum": 0
      }
    }
    """
    inner = margin + "  "
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key)}: {written(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(inner + written(item, inner) for item in value) + f"\n{margin}]"
    return json.dumps(value)


def main(arguments: list[str] | None = None) -> int:
    """Write the schema, or compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m smartsbd.scenarios.schema", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is not up to date")
    check = parser.parse_args(arguments).check
    text = written(scenario_schema()) + "\n"
    if not check:
        SCHEMA.write_text(text)
    elif SCHEMA.read_text() != text:
        print(
            f"{SCHEMA.name} is not that of scenarios/scenario.py: run `python -m smartsbd.scenarios.schema`",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
