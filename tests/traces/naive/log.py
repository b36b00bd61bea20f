"""A log read line by line, and the rows of its events, in plain Python: what compiled parts are held to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from unittest.mock import patch

from smartsbd.native import log_reading
from smartsbd.traces import stored
from smartsbd.traces.assembly import ATTRIBUTES
from smartsbd.traces.connection import Acks, Subflow
from smartsbd.traces.formats import line_runs
from smartsbd.traces.formats.line_runs import Take
from smartsbd.traces.log_connections import Int64Array
from smartsbd.traces.sequence import unwrapped

WRAP, HALF = 1 << 32, 1 << 31
CA_RECOVERY, CA_LOSS = 3, 4


class AckedBytes:
    """Bytes acknowledged so far, from the cumulative acknowledgements of one subflow."""

    def __init__(self) -> None:
        self.bytes = 0
        self._base: int | None = None

    def count(self, value: int) -> None:
        """Take a count of bytes from the subflow's start; one of 32 bits may have wrapped.

        An older value changes nothing: an ACK is cumulative, and no window is as large as half of 2^32.
        """
        if value < WRAP and self.bytes - value > HALF:
            value = unwrapped(self.bytes, value)
        self.bytes = max(self.bytes, value)

    def snd_una(self, snd_una: int) -> None:
        """Take a 32-bit sequence number: bytes are counted from the first one seen."""
        if self._base is None:
            self._base = snd_una
        self.bytes = max(self.bytes, unwrapped(self._base + self.bytes, snd_una) - self._base)


class SubflowRows:
    """Turns the events of one subflow into its rows."""

    def __init__(self, subflow: Subflow) -> None:
        self.subflow = subflow
        self._acked = AckedBytes()
        self._row: dict[str, int] = {}
        self._row_ns = -1
        self._has_ack = False

    def take(self, time_ns: int, kind: bytes, value: int) -> None:
        """Take in an event; none is earlier than the last.

        Parameters
        ----------
        time_ns : int, nanoseconds
        kind : bytes
            A key of :data:`LIMITS`.
        value : int
            Within the limits of its kind.
        """
        subflow = self.subflow
        name = ATTRIBUTES.get(kind)
        if name is not None:
            if self._row_ns != time_ns or name in self._row:
                self._start(time_ns)
            self._row[name] = value
        elif kind == b"ACK":
            self._ack(time_ns, is_dup=0)
            self._acked.count(value)
        elif kind == b"UNA":
            self._ack(time_ns)
            self._acked.snd_una(value)
        elif kind == b"DUP":
            self._ack(time_ns, is_dup=1, newly_sacked_bytes=value)
        elif kind == b"CA":
            subflow.state_time_ns.append(time_ns)
            subflow.state_ca_state.append(value)
        elif kind == b"LOSS":
            subflow.loss_time_ns.append(time_ns)
            subflow.loss_kind.append(loss_kind(subflow))
            subflow.loss_packets.append(value)
        else:
            subflow.retransmissions = (subflow.retransmissions or 0) + value

    def _start(self, time_ns: int) -> None:
        self.flush()
        self._row, self._row_ns, self._has_ack = {}, time_ns, False

    def _ack(self, time_ns: int, **values: int) -> None:
        """Begin the row of an ACK, or give it the attributes that stood before it."""
        if self._row_ns != time_ns or self._has_ack:
            self._start(time_ns)
        self._has_ack = True
        self._row.update(values)

    def flush(self) -> None:
        """Write the row that is being read."""
        if self._row_ns >= 0:
            self.subflow.acks.append(self._row_ns, self._acked.bytes, **self._row)
            self._row_ns = -1


def loss_kind(subflow: Subflow) -> str:
    """Tell the kind of a loss event by the state the sender is in: Recovery, Loss or neither."""
    if subflow.state_ca_state and subflow.state_ca_state[-1] == CA_RECOVERY:
        return "fast"
    if subflow.state_ca_state and subflow.state_ca_state[-1] == CA_LOSS:
        return "rto"
    return "tlp"


def rows(
    own: Int64Array, time_ns: Int64Array, value: Int64Array, of: Int64Array
) -> tuple[tuple[bytes, ...], tuple[bytes, bytes], tuple[bytes, bytes, list[str]], int | None]:
    """Return what :func:`log_reading.rows` does."""
    subflow = Subflow(0, 0, 0)
    made = SubflowRows(subflow)
    for at in own.tolist():
        kind = log_reading.KINDS[of[at] % log_reading.MOST_KINDS].encode()
        made.take(int(time_ns[at]), kind, int(value[at]))
    made.flush()
    acks = tuple(getattr(subflow.acks, column.name).tobytes() for column in fields(Acks))
    states = (subflow.state_time_ns.tobytes(), subflow.state_ca_state.tobytes())
    losses = (subflow.loss_time_ns.tobytes(), subflow.loss_packets.tobytes(), subflow.loss_kind)
    return acks, states, losses, subflow.retransmissions


def all_lines(path: Path, longest_bytes: int, _take: Take) -> Iterator[tuple[int, bytes]]:
    """Yield every line: none is taken in with others."""
    return stored.lines(path, longest_bytes)


@contextmanager
def plain() -> Iterator[None]:
    """Have logs read by Python alone, and connections of theirs built."""
    with patch.object(line_runs, "left", all_lines), patch.object(log_reading, "rows", rows):
        yield
