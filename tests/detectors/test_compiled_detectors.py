"""Compiled detectors: their opinions are those of their Python twins, at the same times."""

from __future__ import annotations

import dataclasses
import pickle
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from smartsbd.detectors import DETECTORS, Opinion, compiled_detectors, replayed
from smartsbd.detectors.compiled_detectors import (
    CompiledDetector,
    CompiledDetectorError,
    ParameterError,
    default_parameters,
    event_array,
    is_compiled,
)
from smartsbd.detectors.event import Event, Int64Array, Kind, event_columns
from smartsbd.detectors.grid import points
from smartsbd.features import connection_pairs
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.export.made import COMPILED, PYTHON_ALONE

ROOT = Path(__file__).parents[2]
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
GRIDS = yaml.safe_load((ROOT / "params.yaml").read_text())["replay"]["grids"]
EVENT_DRIVEN = ("rfc8382", "mptcp-sbd", "dwc-r", "ton20-r", "emptcp-r")
S, MS = 10**9, 10**6
#: Other values of parameters than presets and grids have.
OTHERS: dict[str, dict[str, list[Any]]] = {
    "rfc8382": {
        "delay": ["rtt", "owd"],
        "interval_ms": [50, 350],
        "n": [7, 50],
        "m": [3, 7],
        "f": [None, 1, 3],
        "p_v": [0.1, 0.7],
        "p_l": [0.0, 0.01],
        "loss_difference": ["relative", "absolute"],
        "loss_step": ["after", "instead"],
        "loss_from": ["above", "p_l"],
        "noise": ["kept", "removed", "rfc_literal"],
        "frequency_over": ["ring", "nonempty"],
    },
    "mptcp-sbd": {
        "interval_ms": [50],
        "n": [9],
        "m": [3, 9],
        "bottleneck_test": [True, False],
        "observations": [1, 4],
        "together": [0.25, 0.5, 1.0],
        "every": [1, 3],
    },
    "dwc-r": {
        "theta": [0.0, 0.3],
        "kappa": [0.5, 20.0],
        "delay_rule": ["and_recent", "and", "or", "loss_only"],
        "n_leave": [1, 2],
        "init": ["separate", "together"],
        "age_s": [None, 0.7, 3.0],
        "triggers": ["recovery", "recovery_and_loss"],
        "extremes_s": [None, 0.05, 2.0],
    },
    "ton20-r": {"round_srtts": [0.3, 10.0], "k": [1, 2], "sticky": [True, False], "signal": ["loss", "ecn"]},
    "emptcp-r": {"slot_srtts": [None, 0.3, 10.0], "share": [0.3, 1.0]},
}


@dataclasses.dataclass(frozen=True)
class Case:
    """The events of a connection, in order."""

    subflow_ids: Sequence[int]
    columns: Int64Array
    end_ns: int


def drawn(seed: int, samples: int = 400) -> Case:
    """Draw a connection with losses, marks, bursts and silences; some subflows say little, or nothing."""
    rng = random.Random(seed)  # noqa: S311 - test data
    subflow_ids = sorted(rng.sample(range(12), rng.randint(2, 4)))
    least_ns = rng.choice([1, 1000, MS])
    events = []
    for subflow_id in subflow_ids:
        time_ns, acked, queue_us, base_us = rng.randint(0, S), 0, 0, rng.choice([500, 20_000, 200_000])
        for _ in range(samples if rng.random() < 0.9 else rng.choice([0, 5])):
            silent = rng.random() < 0.005
            time_ns += rng.choice([S, 30 * S]) if silent else rng.choice([0, least_ns, 5 * MS, 20 * MS])
            acked += rng.randint(-5000, 30_000)
            queue_us = 0 if rng.random() < 0.01 else max(0, queue_us + rng.randint(-3000, 3300))
            told = {Kind.ACK: max(0, acked), Kind.RTT: base_us + queue_us, Kind.OWD: queue_us - 50_000}
            if queue_us > 15_000 and rng.random() < 0.5:
                told[Kind.MARK] = 1448
            if rng.random() < 0.06:
                told[Kind.CA] = rng.choice([0, 0, 1, 2, 3, 3, 4])
                told[Kind.LOSS] = rng.randint(1, 30)
            events += [(time_ns, subflow_id, kind, value) for kind, value in told.items() if rng.random() < 0.9]
    events.sort(key=lambda event: (event[0], event[2], event[1]))
    columns = np.array(events, dtype=np.int64).reshape(-1, 4).T
    return Case(subflow_ids, columns, max(columns[0], default=0) + rng.choice([0, S, 100 * S]))


def recorded(path: Path) -> Case:
    """Read the connection of a real kernel's log."""
    (connection,) = recording.read(path, Dialect()).trace.connections
    columns = event_columns(*connection_pairs.rows(connection), [Kind.CA, Kind.LOSS, Kind.ACK, Kind.MARK, Kind.RTT])
    return Case(sorted(connection.subflows), columns, connection.span_ns()[1])


def found(name: str, parameters: Any, case: Case) -> list[Opinion]:
    """Return what a compiled detector says, having been told of all kinds of events."""
    compiled = CompiledDetector(name, vars(parameters))
    return compiled.opinions(event_array(case.columns, case.subflow_ids), len(case.subflow_ids), case.end_ns)


def expected(name: str, parameters: Any, case: Case) -> list[Opinion]:
    """Return what its twin says, told of the kinds it wants."""
    detector = DETECTORS[name].build(parameters)
    own = case.columns[:, np.isin(case.columns[2], list(detector.kinds))]
    return replayed(detector, case.subflow_ids, map(Event._make, own.T.tolist()), case.end_ns)


def settings(name: str) -> list[Any]:
    """Return every preset, and every point of the grid if there is one."""
    kind = DETECTORS[name]
    return [*kind.presets.values(), *(points(kind, GRIDS[name]).values() if name in GRIDS else ())]


@pytest.mark.parametrize("name", EVENT_DRIVEN)
def test_opinions_on_drawn_connections_are_the_twins(name: str) -> None:
    changes = 0
    for case in map(drawn, range(4)):
        for parameters in settings(name):
            said = found(name, parameters, case)
            assert said == expected(name, parameters, case), parameters
            changes += len(said)
    assert changes > len(settings(name))


@pytest.mark.parametrize("name", EVENT_DRIVEN)
def test_opinions_with_other_parameters_are_the_twins(name: str) -> None:
    rng = random.Random(name)  # noqa: S311 - test data
    default, changes = DETECTORS[name].presets["default"], 0
    for seed in range(30):
        chosen = {key: rng.choice(values) for key, values in OTHERS[name].items()}
        parameters = dataclasses.replace(default, **chosen)
        case = drawn(seed, 200)
        said = found(name, parameters, case)
        assert said == expected(name, parameters, case), (seed, parameters)
        changes += len(said)
    assert changes > 30


@pytest.mark.parametrize("name", [name for name in EVENT_DRIVEN if name != "emptcp-r"])
def test_opinions_on_a_kernels_connections_are_the_twins(name: str) -> None:
    changes = 0
    for case in map(recorded, KERNEL[9:10]):
        for parameters in settings(name):
            said = found(name, parameters, case)
            assert said == expected(name, parameters, case), parameters
            changes += len(said)
    assert changes


def test_sums_of_delays_that_no_double_holds_are_divided_as_exactly() -> None:
    parameters = DETECTORS["rfc8382"].presets["owd"]
    rng = random.Random(0)  # noqa: S311 - test data
    times_ns = [place * 3 * MS + subflow_id for place in range(4000) for subflow_id in (0, 1)]
    delays_us = [2**52 - 500 + rng.randrange(1000) for _ in times_ns]
    columns = np.array([times_ns, [0, 1] * 4000, [Kind.OWD] * 8000, delays_us], dtype=np.int64)
    for sign in (1, -1):
        case = Case([0, 1], columns * np.array([[1], [1], [1], [sign]]), times_ns[-1])
        assert found("rfc8382", parameters, case) == expected("rfc8382", parameters, case) != []


def test_each_detector_has_a_twin_or_a_reason_to_have_none() -> None:
    assert {name for name in DETECTORS if not is_compiled(name)} == PYTHON_ALONE.keys()


@pytest.mark.parametrize("name", COMPILED)
def test_parameters_and_their_defaults_are_the_twins(name: str) -> None:
    default = DETECTORS[name].presets["default"]
    stated = default_parameters(name)
    assert sorted(stated) == sorted(field.name for field in dataclasses.fields(default))
    for key, value in vars(default).items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        assert (float(stated[key]) if number else stated[key]) == (value if number else str(value).lower()), key


@pytest.mark.parametrize("name", COMPILED)
def test_kinds_of_events_wanted_are_the_twins(name: str) -> None:
    for parameters in settings(name):
        assert CompiledDetector(name, vars(parameters)).kinds == DETECTORS[name].build(parameters).kinds


@pytest.mark.parametrize(
    ("name", "parameters", "what"),
    [
        ("dwc-r", {"tetha": 0.5}, "has no such parameter"),
        ("dwc-r", {"delay_rule": "never"}, "cannot take"),
        ("dwc-r", {"theta": float("nan")}, "cannot take"),
        ("dwc-r", {"n_leave": 1.5}, "cannot take"),
        ("dwc-r", {"age_s": ""}, "cannot take"),
        ("ton20-r", {"sticky": 1}, "cannot take"),
        ("dwc-r", {"theta": 1.5}, "cannot work"),
        ("rfc8382", {"m": 60}, "cannot work"),
        ("emptcp-r", {"slot_srtts": 0.0}, "cannot work"),
        ("lag-excess", {"tiles": 5}, "cannot work"),
        ("lag-excess", {"tiles": 0}, "cannot work"),
        ("lag-excess", {"shared_above_q10": 1700}, "cannot work"),
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        CompiledDetector(name, parameters)


@pytest.mark.parametrize(
    "events",
    [
        [(5, 0, Kind.RTT, 10), (4, 0, Kind.RTT, 10)],
        [(-1, 0, Kind.RTT, 10)],
        [(5, 0, Kind.RTT, 0)],
        [(5, 0, Kind.RTT, 2**32)],
        [(5, 0, Kind.CA, 2**60)],
        [(5, 0, 6, 0)],
        [(2**62, 0, Kind.CA, 0)],
    ],
)
def test_events_that_cannot_be_are_refused(events: list[tuple[int, int, int, int]]) -> None:
    columns = np.array(events, dtype=np.int64).T
    detector = CompiledDetector("dwc-r", {})
    with pytest.raises(CompiledDetectorError, match="Invalid argument"):
        detector.opinions(event_array(columns, [0, 1]), 2, 10)
    with pytest.raises(ValueError, match="none of the subflows"):
        event_array(columns, [1, 2])


def test_a_detector_is_the_same_in_another_process() -> None:
    case, detector = drawn(0), CompiledDetector("dwc-r", {"theta": 0.25})
    events = event_array(case.columns, case.subflow_ids)
    again = pickle.loads(pickle.dumps(detector))  # noqa: S301 - its own bytes
    said = [one.opinions(events, len(case.subflow_ids), case.end_ns) for one in (detector, again)]
    assert said[0] == said[1] != []


def test_what_is_not_compiled_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not is_compiled("unknown")
    with pytest.raises(CompiledDetectorError, match="'unknown' is not compiled"):
        CompiledDetector("unknown", {})
    monkeypatch.setattr(compiled_detectors, "__file__", str(tmp_path / "detectors/compiled_detectors.py"))
    compiled_detectors._library.cache_clear()
    try:
        with pytest.raises(CompiledDetectorError, match="make core"):
            is_compiled("dwc-r")
    finally:
        compiled_detectors._library.cache_clear()
