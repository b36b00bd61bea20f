"""The schema of scenarios for the tests: its places beside those of a scenario, and what it refuses there."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.simulator.program import SIMULATOR, Scenario


def read_schema() -> dict[str, Any]:
    """The schema that the simulator is built with."""
    schema: dict[str, Any] = json.loads((SIMULATOR / "src" / "scenario.schema.json").read_text())
    return schema


def value_at(scenario: Scenario, place: str) -> Any:
    """What a scenario has at a JSON pointer."""
    node: Any = scenario
    for key in place.split("/")[1:]:
        node = node[int(key) if isinstance(node, list) else key]
    return node


def set_value(scenario: Scenario, place: str, value: object) -> str:
    """The scenario's text with another value at a JSON pointer."""
    parent, _, last = place.rpartition("/")
    changed = copy.deepcopy(scenario)
    node = value_at(changed, parent)
    if isinstance(node, list):
        node[int(last)] = value
    else:
        node[last] = value
    return json.dumps(changed)


def _is_of(value: dict[str, Any], properties: dict[str, Any]) -> bool:
    """Whether an object has the constant that tells its kind."""
    return all(value.get(key) == part["const"] for key, part in properties.items() if "const" in part)


def walk(schema: dict[str, Any], value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The places of a scenario, each with its part of the schema."""
    if "anyOf" in schema:
        schema = next(part for part in schema["anyOf"] if ("oneOf" in part) == isinstance(value, dict))
    if "oneOf" in schema:
        schema = next(part for part in schema["oneOf"] if _is_of(value, part["properties"]))
    yield place, schema
    if isinstance(value, dict):
        for key, child in value.items():
            yield from walk(schema["properties"][key], child, f"{place}/{key}")
    if isinstance(value, list):
        for index, child in enumerate(value):
            parts = schema.get("prefixItems") or [schema["items"]] * len(value)
            yield from walk(parts[index], child, f"{place}/{index}")


def optional(schema: dict[str, Any], scenario: Scenario) -> set[str]:
    """The places of a scenario that may be left out."""
    return {
        f"{place}/{key}"
        for place, part in walk(schema, scenario, "")
        for key in part.get("properties", ())
        if key not in part["required"]
    }


def outside(schema: dict[str, Any]) -> Iterator[object]:
    """Values just outside what the schema says: numbers, names, texts, lengths, and another type."""
    step = 1 if schema.get("type") == "integer" else 0.001
    if "minimum" in schema:
        yield schema["minimum"] - step
    if "exclusiveMinimum" in schema:
        yield schema["exclusiveMinimum"]
    if "maximum" in schema:
        yield schema["maximum"] + step
    if "exclusiveMaximum" in schema:
        yield schema["exclusiveMaximum"]
    if "enum" in schema:
        yield "-".join(schema["enum"])
    if "const" in schema:
        yield schema["const"] + "-"
    if "pattern" in schema:
        yield from ("", "UPPER", "0123456789abcdef" * 3)
    if "minItems" in schema:
        yield [0.0] * (schema["minItems"] - 1)
    if "maxItems" in schema:
        yield [0.0] * (schema["maxItems"] + 1)
    if schema.get("type") in ("integer", "boolean"):
        yield 1000.5
    if "null" not in schema.get("type", ""):
        yield None


def keys(schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The keys of all objects of a schema, each object by its own description."""
    if "properties" in schema:
        yield from ((schema["description"], key) for key in schema["properties"])
    listed = (part for keyword in ("anyOf", "oneOf", "prefixItems") for part in schema.get(keyword, ()))
    for part in (*schema.get("properties", {}).values(), *listed):
        yield from keys(part)
    if "items" in schema:
        yield from keys(schema["items"])
