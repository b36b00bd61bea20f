"""Two whole runs, shared and not shared: what the folder holds, and that the workbench takes it as it is."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.testbed import machine
from smartsbd.testbed.examples import example
from smartsbd.testbed.isolation import IsolatedRun
from smartsbd.testbed.logged_subflows import logged_subflows
from smartsbd.testbed.relay_network import network_of
from smartsbd.testbed.running_program import EmulationError
from smartsbd.traces.truth import read_csv

ROOT = Path(__file__).parents[2]
SHARED = {"shared": "true", "separate": "false"}


def sbd(*words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pipelines", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)


@pytest.fixture(scope="module")
def folder(allowed: Path, without_logs: str | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of 8 s each."""
    del allowed
    place = tmp_path_factory.mktemp("testbed with space")
    for name in SHARED:
        scenario = example(name).model_copy(update={"duration_s": 8.0})
        (place / f"{name}.json").write_text(written(scenario))
    words = [place / f"{name}.json" for name in SHARED]
    options = ["--captures-only"] if without_logs else ["--judge"]
    done = sbd("testbed", *words, "--out", place / "out", "--jobs", "2", *options)
    assert done.returncode == 0, done.stderr
    assert "2 runs" in done.stdout
    (place / "said").write_text(done.stdout)
    return place / "out"


@pytest.fixture
def logs(folder: Path, without_logs: str | None) -> Path:
    """The same, where there are logs."""
    if without_logs:
        pytest.skip(without_logs)
    return folder


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def check_labels(rows: list[dict[str, Any]], first: int) -> None:
    found = {row["scenario"]: row for row in rows}
    assert {name: row["shared"] for name, row in found.items()} == {"shared": True, "separate": False}
    for row in rows:
        assert (row["subflow_a"], row["subflow_b"], row["from_ns"]) == (first, first + 1, 0)
        assert row["congestion_control"] == "cubic"
        assert (row["base_rtt_a_us"], row["base_rtt_b_us"]) == (30_000, 50_000)
        assert min(row["utilisation_a"], row["utilisation_b"]) > 0.9
        assert row["drop_share_a"] == row["drop_share_b"] == 1.0
    assert (found["separate"]["bottleneck_a_mbit_s"], found["separate"]["bottleneck_b_mbit_s"]) == (5, 6)


def test_labels_follow_from_the_scenario_and_the_bottlenecks_were_full(folder: Path) -> None:
    check_labels(read_csv(folder / "captures.csv"), first=0)
    links = table(folder / "utilisation.csv")
    assert [(one["run"], one["link"], one["bottleneck_of"]) for one in links] == [
        ("shared", "0", "0 1"),
        ("separate", "0", "0"),
        ("separate", "1", "1"),
    ]
    for one in links:
        assert float(one["utilisation"]) > 0.9
        assert int(one["drops"]) > 0
        assert 0 < float(one["mean_queue_bytes"]) < int(one["most_queue_bytes"]) <= int(one["queue_bytes"])
        # What was sent takes as long as the line was busy: from 1.25 s to 8 s.
        assert int(one["bytes"]) * 8e-6 / float(one["rate_mbit_s"]) / 6.75 == pytest.approx(
            float(one["utilisation"]), abs=0.01
        )
    lateness = table(folder / "lateness.csv")
    assert [one["run"] for one in lateness] == list(SHARED)
    for one in lateness:
        assert int(one["packets"]) > 5_000
        # One long stall may lift the mean above what 99 of 100 packets are late.
        assert 0 < max(float(one["mean_us"]), float(one["p99_us"])) <= float(one["max_us"])
        assert one["lost_packets"] == "0"


def test_what_came_is_what_the_bottlenecks_carried(folder: Path) -> None:
    """Payload, by the application at the other end; packets have headers, and what waits in queues has not come."""
    came = table(folder / "received.csv")
    flows = {name: [one for one in came if one["run"] == name] for name in SHARED}
    for name, own in flows.items():
        scenario = example(name)
        assert [one["flow"] for one in own] == [
            "connection",
            *(f"background {number}" for number in range(len(scenario.background))),
        ]
        assert own[0]["kind"] == "cubic"
        assert [one["kind"] for one in own[1:]] == [one.kind for one in scenario.background]
        carried = sum(int(one["bytes"]) for one in table(folder / "utilisation.csv") if one["run"] == name)
        received = sum(int(one["bytes"]) for one in own)
        # The links are counted from 1.25 s on, flows from their beginning.
        assert 0.85 < received / carried < 1.1


def test_logs_have_labels_too(logs: Path) -> None:
    check_labels(read_csv(logs / "truth.csv"), first=1)


def test_the_default_detector_judges_them(logs: Path) -> None:
    """What was said last of each pair stands in a table, and its counts on the terminal."""
    rows = {row["setting"]: row for row in table(logs / "verdicts.csv")}
    assert rows.keys() == SHARED.keys()
    for name, row in rows.items():
        assert row["shared"].lower() == SHARED[name]
        assert (row["subflow_a"], row["subflow_b"], row["filled"]) == ("1", "2", "True")
        assert row["said"].lower() in (SHARED[name], "")
        assert bool(row["said"]) != bool(row["reason"])
    shown = (logs.parent / "said").read_text().splitlines()
    head = shown.index(next(line for line in shown if "no verdict" in line))
    assert shown[head].split() == ["label", "pairs", "right", "wrong", "no", "verdict", "not", "filled"]
    decided = sum(bool(row["said"]) for row in rows.values())
    counts = [line.split() for line in shown[head + 1 : head + 3]]
    assert sum(int(line[-4]) for line in counts) == decided
    assert [line[-3] for line in counts] == ["0", "0"]


@pytest.mark.parametrize(("inputs", "labels"), [("captures", "captures.csv"), ("inputs", "truth.csv")])
def test_the_workbench_takes_it(
    folder: Path, without_logs: str | None, inputs: str, labels: str, tmp_path: Path
) -> None:
    if without_logs and inputs == "inputs":
        pytest.skip(without_logs)
    done = sbd("new-dataset", folder / inputs, "--labels", folder / labels, "--name", "made", "--raw", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "refused" not in done.stderr
    assert "2 inputs; connections shared 1, not shared 1" in done.stdout
    # What the owner of a truth.csv wrote is the dataset's.
    copied = pd.read_csv(tmp_path / "made/truth.csv", dtype=str, keep_default_na=False)
    given = pd.read_csv(folder / labels, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(copied, given)
    said = sbd("detect", *sorted((folder / inputs).iterdir())).stdout
    assert said.count("subflows ") == 2
    inspected = sbd("inspect", *sorted((folder / inputs).iterdir())).stdout
    assert inspected.count(", 0 refused") == 2


def test_rtts_are_those_of_the_scenario(folder: Path, tmp_path: Path) -> None:
    done = sbd("parse", *sorted((folder / "captures").iterdir()), "--out", tmp_path / "tables")
    assert done.returncode == 0, done.stderr
    subflows = pd.read_parquet(tmp_path / "tables/subflow.parquet")
    assert len(subflows) == 4
    for number, rtt_us in ((0, 30_000), (1, 50_000)):
        least = subflows.loc[subflows["subflow_id"] == number, "min_rtt_us"]
        # Two packets' time on the line and the host's delay at most, and no sample is too short.
        assert least.between(rtt_us, rtt_us + 25_000).all(), least


@pytest.mark.parametrize("kind", ["cubic", "web"])
def test_a_flow_that_goes_back_fills_the_line_back_and_not_the_link(allowed: Path, kind: str, tmp_path: Path) -> None:
    """Its data are what the line back carries beside the ACKs of a sender at a low rate."""
    del allowed
    content = example("shared").model_dump()
    place = content["links"][0]["place"]
    content |= {"duration_s": 6.0, "background": [{
        "kind": kind, "subflow": 0, "enters": place, "rate_mbit_s": 1.5 if kind == "web" else None,
        "start_s": 0.1, "rtt_ms": 20.0, "leaves": "first_link", "direction": "back",
    }]}  # fmt: skip
    content["links"][0]["back"] = {"rate_mbit_s": 2.0, "queue_bytes": 20_000}
    content["connection"] |= {"application": {"kind": "rate", "rate_mbit_s": 0.3}, "receive_buffer_bytes": 1 << 18}
    scenario = Scenario.model_validate(content)
    run = IsolatedRun(scenario, "cubic", tmp_path, recorder=False)
    try:
        result = run.finished().result
    finally:
        run.kill()
    lines = [
        number
        for number, port in enumerate(network_of(scenario).ports)
        if ("rate", "0:2000000") in port.values  # noqa: PD011 - no frame
    ]
    (line,) = lines
    back, link = ([sum(one[key] for one in result["relay"]["ports"][at]) for key in ("bytes", "busy_ns")]
                  for at in (line, 0))  # fmt: skip
    assert back[0] * 8 == pytest.approx(back[1] * 2e-3, rel=0.01)
    if kind == "cubic":
        assert back[1] > 0.9 * 5.9e9
        assert sum(sum(one["drops"]) for one in result["relay"]["ports"][line]) > 0
    else:
        assert back[0] > 200_000
    # ACKs of it, and 0.3 Mbit/s.
    assert link[0] < 500_000
    assert result["received"]["background"] == [None]
    # The sender has its rate in spite of it.
    assert result["received"]["connection"] == pytest.approx(0.3e6 / 8 * 5, rel=0.25)


def test_a_rival_has_room_where_the_connection_has_little(allowed: Path, tmp_path: Path) -> None:
    del allowed
    scenario = example("separate").model_copy(update={"duration_s": 8.0})
    small = scenario.connection.model_copy(update={"receive_buffer_bytes": 1 << 14})
    run = IsolatedRun(scenario.model_copy(update={"connection": small}), "cubic", tmp_path, recorder=False)
    try:
        came = run.finished().result["received"]
    finally:
        run.kill()
    # Two paths of 5 and 6 Mbit/s, a window of some segments for the one and none for the others.
    assert came["connection"] * 8 / 7 < 3e6
    assert sum(came["background"]) * 8 / 7 > 7e6


def test_a_log_tells_which_subflows_it_has_and_their_samples() -> None:
    first, third = (f"# sbd record: C=ab SF={number} is 10.0.{number - 1}.1:4 > 10.1.0.1:5201\n" for number in (1, 3))
    samples = "".join(f"smartsbd: {time} C=ab SF=1 V=RTT 900\nsmartsbd: {time} C=ab SF=3 V=UNA 9\n" for time in (5, 6))
    found = logged_subflows(first + samples + third, example("three"))
    assert (found.token, found.numbers, found.samples) == ("ab", {0: 1, 2: 3}, [2, 0, 0])
    assert logged_subflows(first, example("shared")).numbers == {0: 1}
    with pytest.raises(EmulationError, match="the connection was not established"):
        logged_subflows(third, example("three"))
    with pytest.raises(EmulationError, match="numbers subflows"):
        logged_subflows(first.replace("SF=1", "SF=4") + third, example("three"))


def test_a_path_without_a_sample_is_kept_and_said(allowed: Path, without_logs: str | None, tmp_path: Path) -> None:
    """The second path never gets a byte of a sender at a low rate, and nothing of the third arrives."""
    del allowed
    content = example("three").model_dump()
    content |= {"duration_s": 5.0, "background": []}
    content["connection"]["application"] = {"kind": "rate", "rate_mbit_s": 0.02}
    content["subflows"][2]["access"]["loss"] = 0.9999999
    (tmp_path / "starved.json").write_text(written(Scenario.model_validate(content)))
    options = ["--captures-only"] if without_logs else ["--judge"]
    done = sbd("testbed", tmp_path / "starved.json", "--out", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    rows = table(tmp_path / "out/subflows.csv")
    assert [(one["run"], one["subflow"], one["opened"]) for one in rows] == [
        ("starved", number, "True") for number in "012"
    ]
    # Each of a capture's subflows has its SYN in it.
    pairs = [(row["subflow_a"], row["subflow_b"]) for row in read_csv(tmp_path / "out/captures.csv")]
    assert pairs == [(0, 1), (0, 2), (1, 2)]
    if without_logs:
        assert {one["rtt_samples"] for one in rows} == {""}
        return
    assert int(rows[0]["rtt_samples"]) > 0
    assert [one["rtt_samples"] for one in rows[1:]] == ["0", "0"]
    assert rows[1]["number"] == ""
    assert "starved: subflow 1 has no RTT sample: the run is kept, it is not in the log" in done.stderr
    assert "starved: subflow 2 has no RTT sample: the run is kept" in done.stderr
    # The dead path is in the log if its SYN went out again before the end.
    seen = {int(one["number"]) for one in rows if one["number"]}
    labelled = {(row["subflow_a"], row["subflow_b"]) for row in read_csv(tmp_path / "out/truth.csv")}
    assert labelled == set(combinations(sorted(seen), 2))


def test_a_policer_and_thinned_acks_in_a_run(allowed: Path, without_logs: str | None, tmp_path: Path) -> None:
    """Two paths at 40 Mbit/s each: one with a policer, the other with a quarter of its ACKs."""
    del allowed
    content = example("separate").model_dump()
    content |= {"duration_s": 8.0}
    content["connection"]["congestion_control"] = "bbr" if "bbr" in machine.controllers({"bbr"}) else "cubic"
    for link in content["links"]:
        link |= {"rate_mbit_s": [[0.0, 40.0]], "queue_bytes": 250_000}
    content["links"][0]["queue_discipline"] = "policer"
    content["subflows"][1]["ack_every"] = 4
    for path in content["subflows"]:
        path["access"] |= {"rate_mbit_s": 500.0, "queue_bytes": 1_000_000}
    (tmp_path / "policed.json").write_text(written(Scenario.model_validate(content)))
    options = ["--captures-only"] if without_logs else []
    done = sbd("testbed", tmp_path / "policed.json", "--out", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    policed, queued = table(tmp_path / "out/utilisation.csv")
    assert int(policed["drops"]) > 0
    assert (policed["mean_queue_bytes"], policed["most_queue_bytes"]) == ("0.0", "0")
    assert int(queued["most_queue_bytes"]) > 50_000
    for link in (policed, queued):
        # What a bucket that is not full lets through, and a busy line, is the rate; from 1.25 s to 8 s.
        carried_mbit_s = int(link["bytes"]) * 8e-6 / 6.75
        assert float(link["utilisation"]) > 0.8
        assert carried_mbit_s == pytest.approx(40 * float(link["utilisation"]), rel=0.05)
    first, second = table(tmp_path / "out/subflows.csv")
    assert first["thinned_acks"] == "0" and int(second["thinned_acks"]) > 100
    (late,) = table(tmp_path / "out/lateness.csv")
    assert late["lost_packets"] == "0"
    assert 0 < float(late["relay_cpu_s"]) < 16
