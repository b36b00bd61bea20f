"""Event lines written of a connection's rows: what is read of them again is the same events."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from smartsbd.detectors.event import Kind, event_columns
from smartsbd.features import connection_pairs
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log
from smartsbd.traces.log_writing import log_lines

SAMPLES = Path(__file__).parents[2] / "data/samples"
INPUTS = [SAMPLES / name for name in ("kernel/inputs/101.state.csv.zst", "kernel_captures/inputs/106.sf1.pcap.zst")]
#: Every kind of an event line; the second subflow's bytes are counts, the first one's `snd_una`.
EVENTS = b"""\
smartsbd: 1000 C=5b1 SF=0 V=CA 0
smartsbd: 1000 C=5b1 SF=0 V=UNA 4294967290
smartsbd: 1000 C=5b1 SF=0 V=RTT 900
smartsbd: 1000 C=5b1 SF=0 V=SRTT 950
smartsbd: 1500 C=5b1 SF=0 V=RTT 910
smartsbd: 2000 C=5b1 SF=1 V=ACK 100
smartsbd: 2000 C=5b1 SF=1 V=OWD 400
smartsbd: 2000 C=5b1 SF=1 V=ECE 1
smartsbd: 2000 C=5b1 SF=1 V=DACK 90
smartsbd: 3000 C=5b1 SF=0 V=CA 3
smartsbd: 3000 C=5b1 SF=0 V=LOSS 2
smartsbd: 3000 C=5b1 SF=0 V=UNA 20
smartsbd: 3000 C=5b1 SF=1 V=DUP 60
smartsbd: 3000 C=5b1 SF=1 V=RTT 800
smartsbd: 3000 C=5b1 SF=1 V=ACK 300
"""


def read(lines: bytes, folder: Path) -> Connection:
    path = folder / "events.log"
    path.write_bytes(lines)
    trace = event_log.read(path, Dialect())
    assert not trace.refused()
    (found,) = trace.connections
    return found


def rows_of(connection: Connection) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The rows on a clock that begins at 1 s: times of day have more digits than an event line."""
    by_ns = 10**9 - connection.span_ns()[0]
    acks, states, losses = (
        rows.set_column(
            rows.column_names.index("time_ns"),
            rows.schema.field("time_ns"),
            pc.add(rows.column("time_ns"), by_ns),
        )
        for rows in connection_pairs.rows(connection)
    )
    return acks, states, losses


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_recorded_signals_come_back(path: Path, tmp_path: Path) -> None:
    (connection,) = recording.read(path, Dialect()).trace.connections
    rows = rows_of(connection)
    again = read(log_lines(7, *rows), tmp_path)
    assert again.token == 7
    wanted, found = (event_columns(*each, list(Kind)) for each in (rows, connection_pairs.rows(again)))
    assert wanted.shape[1] > 1000
    np.testing.assert_array_equal(found, wanted)


def test_every_kind_comes_back_as_it_was_written(tmp_path: Path) -> None:
    rows = connection_pairs.rows(read(EVENTS, tmp_path))
    lines = log_lines(0x5B1, *rows)
    again = connection_pairs.rows(read(lines, tmp_path))
    assert [one.to_pylist() for one in again] == [one.to_pylist() for one in rows]
    assert b"smartsbd: 3000 C=5b1 SF=0 V=CA 3\nsmartsbd: 3000 C=5b1 SF=0 V=LOSS 2\n" in lines
    assert b"smartsbd: 3000 C=5b1 SF=1 V=DUP 60\nsmartsbd: 3000 C=5b1 SF=1 V=RTT 800\n" in lines
    assert log_lines(0x5B1, *again) == lines
