"""Connections inferred from captures, compared with the log of their sender."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from smartsbd.features.catalog import feature_names
from smartsbd.features.inferred_connection import agreements, compared, feature_rows, signals_row, window_rows
from smartsbd.features.reading import DEFAULT
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import NoPartnerError, only_connection

SAMPLES = Path(__file__).parents[2] / "data/samples"
LOG = SAMPLES / "kernel/inputs/102.state.csv.zst"
CAPTURES = [SAMPLES / f"kernel_captures/inputs/102.sf{number}.pcap.zst" for number in (0, 1)]


def test_a_log_compared_with_itself_differs_in_nothing() -> None:
    logged = only_connection([LOG], Dialect())
    found = compared(logged, logged, "tiled", DEFAULT)
    assert found.placed_inferred == found.placed_logged == len(found.windows) > 0
    rows = list(feature_rows([found, found]))
    assert [row["feature"] for row in rows] == list(feature_names("all"))
    for row in rows:
        assert row["windows"] == row["equal"] == 2 * len(found.windows)
        assert row["median_change"] == row["change_95"] == 0
    signals = signals_row([found, found])
    assert signals["connections"] == 2
    assert signals["rtts_logged"] == signals["rtts_of_one_ack"] == 2 * sum(one.logged for one in found.subflows)
    assert len(agreements([found, found])) == 4


def test_features_change_by_what_the_windows_say() -> None:
    found = compared(only_connection(CAPTURES, Dialect()), only_connection([LOG], Dialect()), "tiled", DEFAULT)
    windows = list(window_rows([found]))
    assert len(windows) == len(found.windows) * len(feature_names("all"))
    for row in feature_rows([found]):
        change = [abs(one["inferred"] - one["logged"]) for one in windows if one["feature"] == row["feature"]]
        assert row["equal"] == change.count(0)
        assert row["median_change"] == pytest.approx(np.median(change))
    assert signals_row([found])["vantage"] == "sender"


def test_without_a_window_there_is_no_change() -> None:
    rows = list(feature_rows([]))
    assert {row["windows"] for row in rows} == {0}
    assert {row["median_change"] for row in rows} == {None}


def test_a_capture_of_another_connection_is_refused() -> None:
    one, two = (
        Connection(None, {0: "sender"}, False, subflows={n: Subflow(n, 0, 1) for n in range(count)}) for count in (1, 2)
    )
    with pytest.raises(NoPartnerError, match=r"subflows \[0\] are inferred, \[0, 1\] logged"):
        compared(one, two, "tiled", DEFAULT)


def test_inputs_of_two_connections_are_refused() -> None:
    logs = [LOG, LOG.with_name("101.state.csv.zst")]
    with pytest.raises(NoPartnerError, match=r"102\.state\.csv\.zst: 2 connections in 2 inputs, must be one"):
        only_connection(logs, Dialect())
