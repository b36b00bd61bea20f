"""What is chosen by name: the list of the program is that of the contract, of its schema and of the documents."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from smartsbd.scenarios import registry, schema
from smartsbd.scenarios.scenario import Scenario
from tests.simulator.program import PROGRAM, SIMULATOR, loop_program, shared

#: Where each kind has its file.
FOLDERS = {
    "congestion_control": ["src/controllers"],
    "scheduler": ["src/schedulers"],
    "verdicts": ["src/verdicts", "loop/verdicts"],
}
#: Sources of verdicts that are a name and a sentence each.
TABLE = (SIMULATOR / "loop/verdicts/table.cc").read_text()


def listed() -> tuple[str, registry.Registered]:
    """What the program prints, and what it says."""
    text = subprocess.run([loop_program(), "--list"], capture_output=True, text=True, check=True).stdout
    return text, json.loads(text)


def test_the_list_of_the_program_is_everyones() -> None:
    """File by file, contract, schema and documents say what the program prints; each kind has a file or a row."""
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
            name = kind["properties"]["name"]["const"]
            file = f"{name.replace('_', '-')}.cc"
            files = sum((SIMULATOR / folder / file).exists() for folder in FOLDERS[key])
            assert files + (key == "verdicts" and f'{{{{"{name}"' in TABLE) == 1, file
            assert f"`{kind['properties']['name']['const']}`" in document


def test_the_plain_program_has_all_but_what_needs_export() -> None:
    """Controllers and schedulers are the same, and sources of verdicts are those with a file among its sources."""
    text = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True).stdout
    plain, (_, registered) = json.loads(text), listed()
    names = [kind["properties"]["name"]["const"] for kind in plain["verdicts"]]
    files = {path.stem.replace("-", "_") for path in (SIMULATOR / "src/verdicts").glob("*.cc")}
    assert names == sorted(files - {"verdict_kind", "constant_verdict"})
    plain["verdicts"] += [kind for kind in registered["verdicts"] if kind not in plain["verdicts"]]
    plain["verdicts"].sort(key=lambda kind: kind["properties"]["name"]["const"])
    assert plain == registered


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
    loop_program()
    assert registry.main(["--check"]) == 1
    assert "registry.json, README.md: not what smartsbd-loop --list prints" in capsys.readouterr().err
    assert registry.main([]) == 0
    assert registry.main(["--check"]) == 0
