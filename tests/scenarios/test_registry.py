"""Controllers and schedulers: the list of the program is that of the contract, of its schema and of the documents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scenarios import registry, schema
from scenarios.scenario import Scenario
from tests.simulator.program import shared

SOURCES = Path(__file__).parents[2] / "simulator" / "src"
FOLDERS = {"congestion_control": "controllers", "scheduler": "schedulers"}


def listed() -> tuple[str, registry.Registered]:
    """What the program prints, and what it says."""
    program = Path(sys.prefix) / "bin" / "smartsbd-sim"
    text = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return text, json.loads(text)


def test_the_list_of_the_program_is_everyones() -> None:
    """File by file, contract, schema and documents say what the program prints; each kind has a file of its name."""
    text, registered = listed()
    assert registry.REGISTRY.read_text() == text
    document = registry.DOCUMENT.read_text()
    assert registry.tables(document, registered) == document
    connection = schema.scenario_schema()["properties"]["connection"]["properties"]
    for key, kinds in registered.items():
        names = [kind["properties"]["name"]["const"] for kind in kinds]
        assert names == sorted(names) and len(set(names)) == len(names)
        named, objects = connection[key]["anyOf"]
        assert named == {"enum": names}
        for kind, one in zip(kinds, objects["oneOf"], strict=True):
            assert {**kind, "properties": None} == {**one, "properties": None}
            assert one["properties"].keys() == kind["properties"].keys()
            for name, own in kind["properties"].items():
                about = own.pop("default", None)
                said = own | ({} if about is None else {"description": f"{own['description']} Default: {about}."})
                assert one["properties"][name] == said
            file = SOURCES / FOLDERS[key] / f"{kind['properties']['name']['const'].replace('_', '-')}.cc"
            assert file.exists(), file
            assert f"`{kind['properties']['name']['const']}`" in document


@pytest.mark.parametrize(
    ("given", "controller"), [("reno", "reno"), ({"name": "lia"}, "lia"), ({"name": "lia", "counts": "acks"}, "lia")]
)
def test_a_choice_is_written_as_it_was_given(given: Any, controller: str) -> None:
    """A parameter that was left out stays so: the program has its default."""
    scenario = shared()
    del scenario["connection"]["lia_counts"]
    scenario["connection"]["congestion_control"] = given
    one = Scenario.model_validate(scenario)
    assert json.loads(one.model_dump_json())["connection"]["congestion_control"] == given
    assert one.connection.controller == controller


def test_check_tells_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What differs from the program's list is named, and written anew without --check."""
    for name, old, new in (("REGISTRY", "RFC 6356", "RFC 0000"), ("DOCUMENT", "| `lia` |", "| `aia` |")):
        path: Path = getattr(registry, name)
        text = path.read_text()
        assert old in text
        changed = tmp_path / path.name
        changed.write_text(text.replace(old, new))
        monkeypatch.setattr(registry, name, changed)
    assert registry.main(["--check"]) == 1
    assert "registry.json, README.md: not what smartsbd-sim --list prints" in capsys.readouterr().err
    assert registry.main([]) == 0
    assert registry.main(["--check"]) == 0
