"""The replay program: an exported model on recorded signals, in C and without Python."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts.fault import Fault, printable
from smartsbd.detectors import bounded_process
from smartsbd.detectors.bounded_process import Ended, ProcessLimits
from smartsbd.detectors.partition import Partition, numbered
from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler, compiled
from smartsbd.features.fixed import FEATURE_LIMIT

SOURCE = Path(__file__).parent / "programs" / "replay.c"
# Numbers have as many digits as 64 bits can: a header that is not ours may print any.
_NUMBER = "[0-9]{1,20}"
_WINDOW = re.compile(
    rf"C=([0-9a-f]{{1,16}}) SF=({_NUMBER}),({_NUMBER}) ({_NUMBER}) ({_NUMBER}) (SB|NSB)((?: \w+=-?{_NUMBER})*)"
)
_GROUPS = re.compile(rf"C=([0-9a-f]{{1,16}}) GROUPS((?: {_NUMBER}:(?:{_NUMBER}|-))*)")
#: Most letters that are shown of the program's messages.
_SHOWN = 500
# Time and output that a program may take: for any input, and for each byte of it. It reads more than 100 MB of a
# recording in a second, and 26 MB of eight subflows with a window at every sample.
_BASE_S = 60
_S_PER_BYTE = 1e-5
_BASE_BYTES = 1 << 26
_BYTES_PER_BYTE = 64


class ReplayError(Fault):
    """A replay that failed, or refused what it was given."""


@dataclass(frozen=True)
class Decision:
    """The C's decision on one window, with its features if they were asked for."""

    token: int
    subflow_a: int
    subflow_b: int
    start_ns: int
    window_ns: int
    shared: bool
    features: dict[str, int]


@dataclass(frozen=True)
class Replayed:
    """Decisions in the order they were made, and of each connection the partition its pairs make in the end."""

    decisions: list[Decision]
    partitions: dict[int, dict[int, int | None]]

    def partition(self, token: int) -> Partition:
        """Return a connection's partition as :func:`~smartsbd.detectors.partition.numbered` does, by subflow number."""
        groups = self.partitions[token]
        return numbered([groups[subflow_id] for subflow_id in sorted(groups)])


def build(
    place: Path,
    headers: Path,
    model: str | None,
    compiler: Compiler,
    options: Sequence[str] = (),
    limits: ProcessLimits = compilers.LIMITS,
) -> Path:
    """Compile the program for a header, or, without one, for models from files; return it.

    Parameters
    ----------
    place : Path
        Folder for it.
    headers : Path
        Folder with ``smartsbd.h``, ``sbd_loaded.h`` and the model's header.
    model : str or None
        Name of a header, without suffix.
    compiler : Compiler
    options : sequence of str
        More options of the compiler.
    limits : ProcessLimits
        Of the compiler.

    Returns
    -------
    Path
        The compiled program, in `place`.
    """
    program = place / f"replay_{model or 'loaded'}"
    chosen = [] if model is None else [f"-DSBD_MODEL={model}"]
    compiled(compiler, SOURCE, program, ["-I", str(headers), *chosen, *options], limits)
    return program


def limits_for(input_bytes: int) -> ProcessLimits:
    """Return what the program may take for an input: a minute and 10 s for each MB, and 64 bytes for each byte.

    Parameters
    ----------
    input_bytes : int

    Returns
    -------
    ProcessLimits
        Seconds and bytes of output.
    """
    return ProcessLimits(_BASE_S + _S_PER_BYTE * input_bytes, _BASE_BYTES + _BYTES_PER_BYTE * input_bytes)


def _ended(command: Sequence[str], events: IO[bytes], limits: ProcessLimits | None) -> Ended:
    """Run the program on all that a file holds."""
    input_bytes = events.tell()
    events.seek(0)
    return bounded_process.run(command, limits or limits_for(input_bytes), events)


def _shown(output: bytes) -> str:
    return printable(" ".join(output.decode(errors="replace").split()))[:_SHOWN]


def event_lines(
    token: int,
    acks: pa.Table,
    states: pa.Table,
    end_ns: int,
    windows: Iterable[tuple[int, int, int]] = (),
) -> bytes:
    """Return a connection as lines of events, in order of time.

    Parameters
    ----------
    token : int
        Its name in the lines.
    acks : rows of the ``ack`` table
        ``subflow_id``, ``time_ns``, ``acked_bytes`` and ``rtt_us`` of the connection.
    states : rows of the ``state`` table
        ``subflow_id``, ``time_ns`` and ``ca_state`` of the connection.
    end_ns : int, nanoseconds
    windows : iterable of (int, int, int)
        Starts, and two subflows, where windows are to begin anew.

    Returns
    -------
    bytes
        One line for each event; the last one is the end.
    """
    sampled = acks.filter(pc.is_valid(acks.column("rtt_us")))
    asked = list(windows)
    kinds = (
        ("ACK", [_numbers(acks, name) for name in ("time_ns", "subflow_id", "acked_bytes")]),
        ("RTT", [_numbers(sampled, name) for name in ("time_ns", "subflow_id", "rtt_us")]),
        ("CA", [_numbers(states, name) for name in ("time_ns", "subflow_id", "ca_state")]),
        ("WINDOW", [np.array([window[place] for window in asked], dtype=np.int64) for place in range(3)]),
    )
    time_ns, subflow, value = (np.concatenate([columns[place] for _, columns in kinds]) for place in range(3))
    kind = np.repeat(np.arange(len(kinds)), [len(columns[0]) for _, columns in kinds])
    order = np.argsort(time_ns, kind="stable")
    lines = pc.binary_join_element_wise(
        pc.cast(pa.array(time_ns[order]), pa.string()),
        f"C={token:x}",
        pc.binary_join_element_wise("SF=", pc.cast(pa.array(subflow[order]), pa.string()), ""),
        pa.array([f"V={name}" for name, _ in kinds]).take(pa.array(kind[order])),
        pc.cast(pa.array(value[order]), pa.string()),
        " ",
    )
    return "\n".join([*lines.to_pylist(), f"{end_ns} C={token:x} SF=0 V=END 0\n"]).encode()


def _numbers(rows: pa.Table, name: str) -> npt.NDArray[np.int64]:
    values: npt.NDArray[np.int64] = rows.column(name).to_numpy().astype(np.int64)
    return values


def run(
    program: Path,
    connections: Iterable[bytes],
    model_file: Path | None = None,
    *,
    with_features: bool = False,
    limits: ProcessLimits | None = None,
) -> Replayed:
    """Run the program on connections, each as :func:`event_lines` writes it.

    Parameters
    ----------
    program : Path
        What :func:`build` has made.
    connections : iterable of bytes
        Event lines of each connection.
    model_file : Path, optional
        The model, for a program that was built without a header.
    with_features : bool
        Decisions come with the features that they rest on.
    limits : ProcessLimits, optional
        In place of :func:`limits_for` the events.

    Returns
    -------
    Replayed
        What the program decided on all connections.

    Raises
    ------
    ReplayError
        If the program fails, refuses a line, or misses a window.
    OverLimitError
        If it does not end in time.
    """
    command = [str(program), *(["-f"] if with_features else []), *([str(model_file)] if model_file else [])]
    with tempfile.TemporaryFile() as events:
        for lines in connections:
            events.write(lines)
        done = _ended(command, events, limits)
    if done.exit_code:
        raise ReplayError(f"{program.name} failed ({done.exit_code}): {_shown(done.errors)}")
    return _read(done.output.decode(errors="replace"))


def _read(text: str) -> Replayed:
    decisions, partitions = [], {}
    for line in text.splitlines():
        if window := _WINDOW.fullmatch(line):
            token, a, b, start_ns, window_ns, verdict, features = window.groups()
            values = dict(pair.split("=") for pair in features.split())
            decisions.append(
                Decision(
                    int(token, 16),
                    int(a),
                    int(b),
                    int(start_ns),
                    int(window_ns),
                    verdict == "SB",
                    {name: int(value) for name, value in values.items()},
                )
            )
        elif groups := _GROUPS.fullmatch(line):
            pairs = (entry.split(":") for entry in groups[2].split())
            partitions[int(groups[1], 16)] = {int(s): None if group == "-" else int(group) for s, group in pairs}
        else:
            raise ReplayError(f"the program said {line[:_SHOWN]!r}, which is neither a decision nor a partition")
    return Replayed(decisions, partitions)


def verdicts(program: Path, rows: npt.NDArray[np.int64], model_file: Path | None = None) -> npt.NDArray[np.bool_]:
    """Return the program's verdict on rows of features.

    Parameters
    ----------
    program : Path
    rows : (rows, features) int64
        All that C computes, in the order of ``enum sbd_feature``.
    model_file : Path, optional

    Returns
    -------
    (rows,) bool
        True for shared.

    Raises
    ------
    ReplayError
        If the program fails.
    OverLimitError
        If it does not end in time.
    ValueError
        If a value is beyond what a feature can be.
    """
    if rows.size and np.abs(rows).max() > FEATURE_LIMIT:
        raise ValueError(f"rows holds values beyond {FEATURE_LIMIT}: no feature has them")
    command = [str(program), "-x", *([str(model_file)] if model_file else [])]
    with tempfile.TemporaryFile() as events:
        events.write(rows.astype("<i4").tobytes())
        done = _ended(command, events, None)
    if done.exit_code or len(done.output) != len(rows):
        why = _shown(done.errors)
        raise ReplayError(f"{program.name}: {len(done.output)} verdicts for {len(rows)} rows ({done.exit_code}): {why}")
    return np.frombuffer(done.output, dtype=np.uint8).astype(bool)
