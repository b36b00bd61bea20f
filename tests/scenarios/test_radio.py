"""The dataset ``radio``: settings that do not tell the label, parts far apart, traces that are read and refused."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smartsbd.scenarios import capacity_trace, datasets
from smartsbd.scenarios.capacity_trace import CapacityTraceError
from smartsbd.scenarios.scenario import Link, Run, ScenarioError, mean_mbit_s
from smartsbd.testbed.refusal import refusals

FOLDER = Path(capacity_trace.__file__).parent / "capacity_traces"
SETTINGS: dict[str, Any] = {
    "traces": "scenarios/capacity_traces",
    "connections_per_label": 30,
    "duration_s": 25,
    "seed": 7,
}


@pytest.fixture(scope="module")
def by_number() -> dict[tuple[Any, ...], dict[bool, Run]]:
    """The two runs of each number, found by what they have alike."""
    found: dict[tuple[Any, ...], dict[bool, Run]] = {}
    for run in datasets.draw("radio", SETTINGS):
        scenario = run.scenario
        alike = tuple((path.rtt_ms, path.access.jitter_ms) for path in scenario.subflows)
        found.setdefault(alike, {})[len(scenario.links) == 1] = run
    return found


def moments(link: Link) -> tuple[int, ...]:
    assert link.opportunities_ms is not None
    return link.opportunities_ms


def test_each_network_has_both_labels_and_settings_alike(by_number: dict[tuple[Any, ...], dict[bool, Run]]) -> None:
    assert len(by_number) == SETTINGS["connections_per_label"]
    taken = []
    for both in by_number.values():
        assert set(both) == {True, False}
        shared, separate = both[True].scenario, both[False].scenario
        assert both[True].setting == both[False].setting
        assert shared.connection.controller == separate.connection.controller
        assert shared.connection.scheduler == separate.connection.scheduler
        # The shared link is the first of the others, to the last moment.
        assert shared.links[0] == separate.links[0]
        assert moments(separate.links[0]) != moments(separate.links[1])
        taken.append(len(shared.background) <= len(separate.background))
    assert all(taken)


def test_parts_last_as_long_as_the_run_and_carry_enough(by_number: dict[tuple[Any, ...], dict[bool, Run]]) -> None:
    for both in by_number.values():
        for run in both.values():
            for link in run.scenario.links:
                own = moments(link)
                assert own[-2] < run.scenario.duration_s * 1000 <= own[-1]
                assert mean_mbit_s(own) >= 1
                assert link.place == "client"
                assert link.queue_bytes <= 750_000
                assert link.rate_mbit_s[0][1] == pytest.approx(mean_mbit_s(own), abs=1e-3)


@pytest.mark.slow
def test_parts_of_one_trace_lie_half_the_trace_apart(by_number: dict[tuple[Any, ...], dict[bool, Run]]) -> None:
    """Found again in the trace: a part's moments, as distances, stand where it begins."""
    traces = {trace.name: trace for trace in capacity_trace.read_folder(FOLDER)}
    seen = 0
    for both in by_number.values():
        name = both[False].setting.removeprefix("radio, ")
        if name not in traces:
            continue
        trace, places = traces[name], []
        for link in both[False].scenario.links:
            own = np.array(moments(link)[:200])
            whole = np.concatenate([trace.moments_ms, trace.moments_ms + trace.length_ms])
            steps, wanted = np.diff(whole), np.diff(own)
            starts = [at for at in range(len(trace.moments_ms)) if np.array_equal(steps[at : at + len(wanted)], wanted)]
            assert len(starts) == 1
            places.append(int(whole[starts[0]] - own[0]) % trace.length_ms)
        assert abs(abs(places[0] - places[1]) - trace.length_ms / 2) <= 1
        seen += 1
    assert seen > 0


def test_the_testbed_takes_what_linux_has(by_number: dict[tuple[Any, ...], dict[bool, Run]]) -> None:
    for both in by_number.values():
        for run in both.values():
            if run.scenario.connection.scheduler_name == "min_rtt":
                assert refusals(run.scenario, "reno", {"reno", "cubic"}) == []


def test_the_four_traces_are_those_of_the_readme() -> None:
    found = {trace.name: trace for trace in capacity_trace.read_folder(FOLDER)}
    text = (FOLDER / "README.md").read_text()
    assert len(found) == 4
    for trace in found.values():
        (line,) = (line for line in text.splitlines() if line.startswith(f"| `{trace.name}.zst`"))
        length_s, mean, pause_s = (float(cell) for cell in line.split("|")[3:6])
        assert length_s == round(trace.length_ms / 1000)
        assert mean == pytest.approx(mean_mbit_s(trace.moments_ms.tolist()), abs=0.005)
        assert pause_s == pytest.approx(np.diff(trace.moments_ms).max() / 1000, abs=0.05)


def test_a_trace_may_be_compressed_and_lack_the_last_line_end(tmp_path: Path) -> None:
    (tmp_path / "a.down").write_text("1\n1\n4")
    (tmp_path / "b.up.gz").write_bytes(gzip.compress(b"0\n7\n", mtime=0))
    (tmp_path / "README.md").write_text("no trace")
    found = capacity_trace.read_folder(tmp_path)
    assert [(trace.name, trace.moments_ms.tolist()) for trace in found] == [("a.down", [1, 1, 4]), ("b.up", [0, 7])]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"1\n\n2\n", "line 2: '' is no whole number"),
        (b"1\n2.5\n", "line 2: '2.5' is no whole number"),
        (b"-1\n", "line 1: '-1' is no whole number"),
        (b"1\r\n", r"line 1: '1\\r' is no whole number"),
        (b"\x1b[31m\n", r"line 1: '\\x1b\[31m' is no whole number"),
        (b"\xff\n", "line 1: '.*xff' is no whole number"),
        (b"1234567890\n", "at most 9 digits"),
        (b"5\n4\n", "line 2: 4 ms is before 5"),
        (b"0\n0\n", "lasts 0 ms"),
        (b"90000000\n", "lasts 90000000 ms"),
        (b"1\n" * 100, "carries more than 1000 Mbit/s"),
        (b"1\n" * (1 << 23) + b"1\n", "is larger than 16 MiB"),
        (gzip.compress(b"1\n2\n", mtime=0)[:-9], "cannot be read"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "x.down").write_bytes(content)
    with pytest.raises(CapacityTraceError, match=words) as refused:
        capacity_trace.read(tmp_path / "x.down")
    assert "\n" not in str(refused.value) and "x.down" in str(refused.value)


def _none(folder: Path) -> None:
    folder.rmdir()


def _empty(folder: Path) -> None:
    (folder / "README.md").write_text("no trace")


def _twice(folder: Path) -> None:
    (folder / "a.down").write_text("1\n")
    (folder / "a.down.gz").write_bytes(gzip.compress(b"1\n", mtime=0))


def _short(folder: Path) -> None:
    (folder / "a.down").write_text("".join(f"{at}\n" for at in range(51_999)))


def _slow(folder: Path) -> None:
    (folder / "a.down").write_text("".join(f"{100 * at}\n" for at in range(1_000)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_none, "is no folder of traces"),
        (_empty, "has no traces"),
        (_twice, "two traces are named a.down"),
        (_short, "trace a.down lasts 51998 ms, two parts take 52000"),
        (_slow, "no part of 26000 ms of these traces carries 1 Mbit/s"),
    ],
)
def test_folders_that_cannot_be_used_are_refused(make: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    make(tmp_path)
    with pytest.raises((CapacityTraceError, ScenarioError), match=words):
        datasets.draw("radio", SETTINGS | {"traces": str(tmp_path)})


def test_ones_own_traces_are_replayed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("".join(f"{at}\n" for at in range(2, 60_001, 2)))
    for run in datasets.draw("radio", SETTINGS | {"traces": str(tmp_path), "connections_per_label": 2}):
        assert run.setting == "radio, mine"
        assert {gap for link in run.scenario.links for gap in np.diff(moments(link)).tolist()} == {2}
