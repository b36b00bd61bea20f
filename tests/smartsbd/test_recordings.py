"""Inputs as tables: what `sbd inspect` counts, what `sbd detect` judges, and nothing that is dropped in silence."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from smartsbd import judge, judge_paths, read
from smartsbd.traces.quarantine import UnreadableInputError
from tests.smartsbd.recorded import KERNEL, ROOT, arrays_of

CAPTURES = sorted((ROOT / "data/samples/kernel_captures/inputs").glob("102.sf*.pcap.zst"))


def test_its_samples_are_those_that_are_judged() -> None:
    recorded = read(KERNEL[0])
    given = arrays_of(KERNEL[0])
    for number, (times_s, rtts_s) in given.paths.items():
        of_path = recorded.rtts[recorded.rtts["path"] == number]
        assert np.array_equal(of_path["time_s"], times_s) and np.array_equal(of_path["rtt_s"], rtts_s)
    assert judge(recorded.rtts).judgements == judge(*given.pair()).judgements
    assert recorded.connections["start_ns"].tolist() == [given.start_ns]
    assert recorded.connections["duration_s"].tolist() == [(given.end_ns - given.start_ns) / 1e9]


def test_counts_add_up_and_columns_name_their_units() -> None:
    recorded = read(KERNEL[:2])
    inputs = recorded.inputs
    assert (inputs["records"] == inputs["read"] + inputs["unused"] + inputs["refused"]).all()
    assert recorded.connections["subflows"].sum() == len(recorded.subflows) == inputs["subflows"].sum() == 4
    assert len(recorded.acks) >= len(recorded.rtts) > 0
    assert recorded.acks["rtt_s"].notna().sum() == len(recorded.rtts)
    assert set(recorded.states["state"]) <= {"Open", "Disorder", "CWR", "Recovery", "Loss"}
    for frame in (recorded.acks, recorded.states, recorded.losses, recorded.rtts):
        assert list(frame)[:2] == ["connection", "subflow"] and "time_s" in frame
        assert not [column for column in frame if str(column).endswith(("_us", "_ns"))]
    assert repr(recorded).startswith("<Recordings: 2 inputs, 2 connections, 4 subflows; of ")


def test_captures_of_one_connection_are_read_together() -> None:
    recorded = read(CAPTURES)
    assert recorded.connections["subflows"].tolist() == [2]
    assert recorded.subflows["remote_port"].dtype == "Int64"
    assert judge(recorded.rtts).shared is False


def test_what_is_refused_is_counted_and_said(tmp_path: Path) -> None:
    table = tmp_path / "rtts.csv"
    rows = [f"{at / 50},{path},{30 + at % 7}" for at in range(100) for path in ("wifi", "lte")]
    table.write_text("\n".join(["time_s,path,rtt_ms", *rows, "3,wifi,-5", "4,wifi,x"]) + "\n")
    with pytest.warns(UserWarning, match="refused 2 of 202 records"):
        recorded = read(table)
    assert recorded.refused["records"].sum() == 2 == recorded.inputs["refused"].sum()
    assert "of 202 records 2 are refused" in repr(recorded)
    assert judge_paths(recorded.rtts).groups == {"wifi": None, "lte": None}


def test_what_cannot_be_read_ends_it_or_is_a_row(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.log"
    nothing.write_text("nothing\n")
    with pytest.raises(UnreadableInputError, match=r"nothing\.log"):
        read([KERNEL[0], nothing])
    with pytest.warns(UserWarning, match="1 input cannot be read"):
        recorded = read([KERNEL[0], nothing], on_unreadable="count")
    assert recorded.inputs["unreadable"].notna().tolist() == [False, True]
    assert "1 input cannot be read" in repr(recorded)
    with pytest.warns(UserWarning, match="cannot be read"):
        empty = read(nothing, on_unreadable="count")
    assert [len(getattr(empty, name)) for name in ("connections", "subflows", "rtts", "acks", "states")] == [0] * 5
    assert list(empty.acks) == list(recorded.acks)


def test_inputs_of_one_name_are_two_connections(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(KERNEL[0 if folder == "a" else 1], tmp_path / folder / "101.state.csv.zst")
    assert read(tmp_path).rtts["connection"].nunique() == 2


def test_a_unit_and_one_connection_of_all_inputs(tmp_path: Path) -> None:
    for path in ("wifi", "lte"):
        rows = [f"{at / 50},{0.03 + 0.001 * (at % 7)}" for at in range(100)]
        (tmp_path / f"{path}.csv").write_text("\n".join(["time_s,rtt", *rows]) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorded = read(tmp_path, unit="s", together=True)
    assert recorded.subflows["path"].tolist() == ["lte", "wifi"]
    assert recorded.rtts.groupby("path")["rtt_s"].min().to_dict() == pytest.approx({"lte": 0.03, "wifi": 0.03})
    with pytest.raises(UnreadableInputError, match="unit"):
        read(tmp_path)


@pytest.mark.parametrize("arguments", [{"unit": "h"}, {"on_unreadable": "skip"}])
def test_arguments_are_what_they_may_be(arguments: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="unit is one of"):
        read(KERNEL[0], **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing to read"):
        read([])


def test_a_frame_is_made_once() -> None:
    recorded = read(str(KERNEL[0]))
    assert recorded.rtts is recorded.rtts
    assert isinstance(recorded.acks, pd.DataFrame)
