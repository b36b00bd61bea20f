"""What extract makes of a connection: labels, series, counts, reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, TableReader, TableWriter, read_table, write_table
from smartsbd.export.tree import ExportError
from smartsbd.features.reading import DEFAULT, Reading, alternatives
from smartsbd.features.series import signals_of
from smartsbd.models.assessment import box_plot
from smartsbd.models.labelled.extraction import Extracted, extracted, labelled_rows, read_truths, swapped
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.stages import export

ROOT = Path(__file__).parents[2]
MS = 1_000_000
#: T is a second: fifty RTTs of 20 ms. The bottleneck changes in the middle of the second tile.
END_NS, CHANGE_NS = 4_100 * MS, 1_500 * MS


def made(rows: list[dict[str, Any]], table: Table, folder: Path) -> None:
    names = [column.name for column in table.columns]
    write_table(table, {name: [row.get(name) for row in rows] for name in names}, folder / f"{table.name}.parquet")


def subflow_rows(
    connection_id: str, subflow_id: int, rtt_us: int, congested_ns: int
) -> dict[str, list[dict[str, Any]]]:
    key = {"connection_id": connection_id, "subflow_id": subflow_id}
    rng = np.random.default_rng(subflow_id)
    times = range(0, END_NS, 10 * MS)
    acks = [
        key
        | {
            "ack_no": number,
            "time_ns": time_ns,
            "acked_bytes": 1_000 * (1 + subflow_id) * number,
            "rtt_us": rtt_us + (int(rng.integers(0, 5_000)) if number else 0),
        }
        for number, time_ns in enumerate(times)
    ]
    states = [
        key | {"state_no": number, "time_ns": time_ns, "ca_state": state, "inferred": False}
        for number, (time_ns, state) in enumerate(
            [(congested_ns, 3), (congested_ns + 5 * MS, 0), (congested_ns + 9 * MS, 2)]
        )
    ]
    return {"subflow": [key | {"start_ns": 0, "end_ns": END_NS}], "ack": acks, "state": states}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of three connections: a whole one, one that is never congested on a subflow, one of one subflow."""
    target = tmp_path_factory.mktemp("tables")
    parts = [
        subflow_rows("d/one#0", 0, 20_000, 0),
        subflow_rows("d/one#0", 1, 10_000, 0),
        subflow_rows("d/two#0", 0, 20_000, 0),
        subflow_rows("d/two#0", 1, 10_000, 0),
        subflow_rows("d/three#0", 0, 20_000, 0),
    ]
    parts[3]["state"] = []
    for table in (tables.SUBFLOW, tables.ACK, tables.STATE):
        made([row for part in parts for row in part[table.name]], table, target)
    names = ("d/one#0", "d/two#0", "d/three#0")
    made([{"connection_id": name, "start_ns": 0, "end_ns": END_NS} for name in names], tables.CONNECTION, target)
    truth = {"connection_id": "d/one#0", "subflow_a": 0, "subflow_b": 1, "scenario": "made", "valid": True, "why": ""}
    truth |= {"congestion_control": "lia", "path_a": "lte", "path_b": "wifi", "site": "here"}
    made(
        [truth | {"from_ns": 0, "shared": True}, truth | {"from_ns": CHANGE_NS, "shared": False}], tables.TRUTH, target
    )
    return target


def extract(folder: Path, reading: Reading = DEFAULT) -> Extracted:
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    truths = read_truths(folder / "truth.parquet")
    return extracted(connections, folder, truths, "d", ["triggered", "tiled"], reading)


def test_a_window_that_straddles_a_change_is_unlabelled(folder: Path) -> None:
    windows = extract(folder).pair_window.to_pandas()
    tiles = windows[windows["rule"] == "tiled"]
    assert tiles["window_start_ns"].tolist() == [0, 1_000 * MS, 2_000 * MS, 3_000 * MS]
    assert tiles["shared"].tolist() == [True, None, False, False]
    assert tiles["site"].tolist()[0] == "here"
    assert set(windows["denominator"]) == {1}
    assert windows["min_rtt_a_us"].tolist()[0] == 20_000 and windows["min_rtt_b_us"].tolist()[0] == 10_000


def test_series_are_the_subflows_own(folder: Path) -> None:
    series = extract(folder).series.to_pandas()
    first = series[(series["rule"] == "tiled") & (series["window_start_ns"] == 0)]
    assert first["k"].tolist() == list(range(101))
    assert first["time_ns"].tolist() == [k * 10 * MS for k in range(101)]
    acks, states = (
        TableReader(table, folder / f"{table.name}.parquet").rows_of("d/one#0") for table in (tables.ACK, tables.STATE)
    )
    for subflow, side in ((0, "a"), (1, "b")):
        own = signals_of(acks, states, subflow)
        # The grid falls on the samples.
        assert first[f"rtt_{side}_us"].tolist() == own.rtt_us[:101].tolist()
        assert first[f"acked_{side}_bytes"].tolist() == own.acked_bytes[:101].tolist()
        assert first[f"congested_{side}"].tolist() == [True] + [False] * 100
        # 1000 or 2000 bytes every 10 ms.
        assert first[f"rate_{side}_mbit_s"].tolist() == pytest.approx([0.8 * (1 + subflow)] * 101)


def test_everything_is_counted(folder: Path) -> None:
    counts = {name: dict(counter) for name, counter in extract(folder).counts.items()}
    assert counts["windows"] == {
        "tiled: shared": 1,
        "tiled: unlabelled": 1,
        "tiled: non-shared": 2,
        "triggered: shared": 1,
        **{f"tiled: {name}": 0 for name in ("coarsened", "saturated", "bridged")},
        **{f"triggered: {name}": 0 for name in ("coarsened", "saturated", "bridged")},
        # Neither subflow is congested again: both ratios of congestion are 0/0, the first tile's 1.
        "tiled: a feature at its cap": 0,
        "triggered: a feature at its cap": 0,
    }
    assert counts["rejected"] == {
        "triggered, unlabelled: no change of congestion state of a subflow is known": 1,
        "tiled, unlabelled: no change of congestion state of a subflow is known": 1,
    }
    rejected = extract(folder).rejected.to_pylist()
    assert [(row["rule"], row["rejected_no"], row["shared"]) for row in rejected] == [
        ("triggered", 0, None),
        ("tiled", 0, None),
    ]
    assert {row["reason"] for row in rejected} == {"no change of congestion state of a subflow is known"}
    assert counts["connections_without_window"] == {
        f"{rule}: {why}": 1
        for rule in ("tiled", "triggered")
        for why in ("no change of congestion state of a subflow is known", "fewer than two subflows")
    }
    assert counts["signals"] == {"changes to CWR": 4}


def test_the_truth_may_say_which_path_is_wifi(folder: Path) -> None:
    windows = extract(folder, Reading(denominator="wifi")).pair_window.to_pandas()
    assert set(windows["denominator"]) == {1}
    assert extract(folder, Reading(denominator="wifi")).counts["rejected"][
        "triggered, unlabelled: no change of congestion state of a subflow is known"
    ]


def test_rows_for_comparison_are_the_labelled_ones(folder: Path) -> None:
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    truths = read_truths(folder / "truth.parquet")
    readings = [DEFAULT, Reading(rate_weight=0.5)]
    first, second = labelled_rows(connections, folder, truths, "d", ["tiled"], readings, "table3")
    assert [row["shared"] for row in first] == [True, False, False] == [row["shared"] for row in second]
    assert first[0]["rtt_ed_4us"] == second[0]["rtt_ed_4us"]
    assert "queue_ed_4us" not in first[0]


def test_throughput_of_a_window_is_in_mbit_s(folder: Path, tmp_path: Path) -> None:
    found = extract(folder)
    path = tmp_path / "series.parquet"
    with TableWriter(tables.SERIES, path) as writer:
        writer.append(found.series)
    places = {("d/one#0", 0): ("here", "shared", "lte"), ("d/one#0", 1): ("here", "shared", "wifi")}
    boxes = box_plot.rates_mbit_s(places, found.pair_window.to_pandas(), path)
    # 100 ACKs of 1000 and of 2000 bytes in a second.
    assert dict(zip(boxes["path"], boxes["median"], strict=True)) == {"lte": 0.8, "wifi": 1.6}


def test_another_reading_is_not_exported() -> None:
    params = read_params(ROOT / "params.yaml")
    extract_other = params.extract_ | {"reading": Reading(dtw="l1").model_dump()}
    with pytest.raises(ExportError, match=r"extract\.reading is not the default"):
        export.run(None, params.model_copy(update={"extract_": extract_other}))  # type: ignore[arg-type]


def test_swapped_partners_start_two_windows_apart(folder: Path) -> None:
    """The first subflow of one connection, and the second of another, 2 s later; here of the same two connections."""
    rows = {
        row["connection_id"]: row for row in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    }
    truths = read_truths(folder / "truth.parquet")
    truths["d/two#0"] = truths["d/one#0"]
    one, two = rows["d/one#0"], rows["d/two#0"]
    found = swapped([(one, one), (two, one), (one, two)], folder, truths, "d", "tiled", DEFAULT)
    windows = found.pair_window.to_pandas()
    assert windows["connection_id"].tolist() == ["d/one#0+d/one#0"] * 2 + ["d/two#0+d/one#0"] * 2
    assert windows["window_start_ns"].tolist() == [2_000 * MS, 3_000 * MS] * 2
    assert (windows["window_ns"] == 1_000 * MS).all()
    assert (windows["subflow_a"] == 0).all() and (windows["subflow_b"] == 1).all()
    assert windows["shared"].tolist() == [False] * 4
    assert set(windows["site"]) == {"here"}
    assert dict(found.counts["windows"]) == {"here": 4}
    assert dict(found.counts["rejected"]) == {"here: no change of congestion state of a subflow is known": 1}
    series = found.series.to_pandas()
    first = series[(series["connection_id"] == "d/one#0+d/one#0") & (series["window_start_ns"] == 2_000 * MS)]
    acks, states = (
        TableReader(table, folder / f"{table.name}.parquet").rows_of("d/one#0") for table in (tables.ACK, tables.STATE)
    )
    # Of the first subflow the samples from 2 s on, of the second those from its start.
    assert first["rtt_a_us"].tolist() == signals_of(acks, states, 0).rtt_us[200:301].tolist()
    assert first["rtt_b_us"].tolist() == signals_of(acks, states, 1).rtt_us[:101].tolist()
    assert first["congested_b"].tolist() == [True] + [False] * 100


def test_a_clock_that_starts_elsewhere_is_set(folder: Path) -> None:
    rows = {
        row["connection_id"]: row for row in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    }
    truths = read_truths(folder / "truth.parquet")
    one = rows["d/one#0"]
    late = one | {"start_ns": 300 * MS}
    found = swapped([(late, one)], folder, truths, "d", "tiled", DEFAULT)
    assert found.pair_window.to_pandas()["window_start_ns"].tolist() == [2_300 * MS]


def test_readings_read_together_give_what_each_gives_alone(searched: Path) -> None:
    folder = searched / "data/tables/kernel"
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()[:4]
    truths = read_truths(searched / "data/truth/kernel.parquet")
    readings = [DEFAULT, *alternatives(rate_weights=[0.05, 0.5], rate_taus_s=[0.1]).values()]

    def rows(of: list[Reading]) -> list[list[dict[str, Any]]]:
        return labelled_rows(connections, folder, truths, "kernel", ["triggered", "tiled"], of, "table3")

    together = rows(readings)
    assert sum(map(len, together)) > 300
    assert together == [rows([reading])[0] for reading in readings]
