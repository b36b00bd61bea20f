"""scenario.py states the contract of a scenario; the schema beside the simulator's sources is written from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field, ValidationError

from smartsbd.scenarios import schema
from smartsbd.scenarios.scenario import ConnectionSettings, Scenario
from tests.simulator.contract import optional, outside, set_value, walk
from tests.simulator.program import every_choice, given_by, separate, shared


def test_the_file_is_that_of_the_contract() -> None:
    assert schema.SCHEMA.read_text() == schema.written(schema.scenario_schema()) + "\n"


def test_check_writes_nothing_and_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tmp_path / "scenario.schema.json"
    changed.write_text(schema.SCHEMA.read_text().replace("1436", "1400"))
    before = changed.read_text()
    monkeypatch.setattr(schema, "SCHEMA", changed)
    assert schema.main(["--check"]) == 1
    assert changed.read_text() == before
    assert "run `python -m smartsbd.scenarios.schema`" in capsys.readouterr().err
    assert schema.main([]) == 0
    assert schema.main(["--check"]) == 0


@pytest.mark.parametrize(
    "scenario", [shared(), separate(), given_by({"kind": "rate", "rate_mbit_s": 2.0}), *every_choice().values()]
)
def test_what_the_schema_refuses_cannot_be_drawn(scenario: dict[str, Any]) -> None:
    """Limits, names and lengths hold in Python as they do in the simulator."""
    contract = schema.scenario_schema()
    Scenario.model_validate(scenario)
    for place, part in walk(contract, scenario, ""):
        for value in outside(part) if place else ():
            # What may be left out is None here, and then it is left out.
            if value is None and place in optional(contract, scenario):
                continue
            with pytest.raises(ValidationError):
                Scenario.model_validate(json.loads(set_value(scenario, place, value)))


def test_a_keyword_that_the_simulator_does_not_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Settings(ConnectionSettings):
        mss_bytes: int = Field(ge=536, le=1436, multiple_of=4)

    class Other(Scenario):
        connection: Settings

    monkeypatch.setattr(schema, "Scenario", Other)
    with pytest.raises(ValueError, match="multipleOf"):
        schema.scenario_schema()
