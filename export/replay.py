"""The replay program: an exported model on recorded signals, in C and without Python."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from contracts.fault import Fault
from export.compilers import Compiler, compiled
from features.fixed import FEATURE_LIMIT
from models.partition import Partition, numbered

SOURCE = Path(__file__).parent / "programs" / "replay.c"
_WINDOW = re.compile(r"C=([0-9a-f]+) SF=(\d+),(\d+) (\d+) (\d+) (SB|NSB)((?: \w+=-?\d+)*)")
_GROUPS = re.compile(r"C=([0-9a-f]+) GROUPS((?: \d+:(?:\d+|-))*)")


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
        """Return a connection's partition as :mod:`models.partition` writes it, subflows in order of their numbers."""
        groups = self.partitions[token]
        return numbered([groups[subflow_id] for subflow_id in sorted(groups)])


def build(place: Path, headers: Path, model: str | None, compiler: Compiler, options: Sequence[str] = ()) -> Path:
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
    """
    program = place / f"replay_{model or 'loaded'}"
    chosen = [] if model is None else [f"-DSBD_MODEL={model}"]
    compiled(compiler, SOURCE, program, ["-I", str(headers), *chosen, *options])
    return program


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
    """
    sampled = acks.filter(pc.is_valid(acks.column("rtt_us")))
    asked = list(windows)
    kinds = (
        ("ACK", [_numbers(acks, name) for name in ("time_ns", "subflow_id", "acked_bytes")]),
        ("RTT", [_numbers(sampled, name) for name in ("time_ns", "subflow_id", "rtt_us")]),
        ("CA", [_numbers(states, name) for name in ("time_ns", "subflow_id", "ca_state")]),
        ("WINDOW", [np.array([one[place] for one in asked], dtype=np.int64) for place in range(3)]),
    )
    time_ns, subflow, value = (np.concatenate([own[place] for _, own in kinds]) for place in range(3))
    kind = np.repeat(np.arange(len(kinds)), [len(own[0]) for _, own in kinds])
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
    program: Path, connections: Iterable[bytes], model_file: Path | None = None, *, with_features: bool = False
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

    Raises
    ------
    ReplayError
        If the program fails, refuses a line, or misses a window.
    """
    command = [str(program), *(["-f"] if with_features else []), *([str(model_file)] if model_file else [])]
    with tempfile.TemporaryFile() as events:
        for one in connections:
            events.write(one)
        events.seek(0)
        done = subprocess.run(command, stdin=events, capture_output=True, check=False)
    if done.returncode:
        raise ReplayError(f"{program.name} failed ({done.returncode}): {done.stderr.decode(errors='replace').strip()}")
    return _read(done.stdout.decode())


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
            pairs = (one.split(":") for one in groups[2].split())
            partitions[int(groups[1], 16)] = {int(s): None if group == "-" else int(group) for s, group in pairs}
        else:
            raise ReplayError(f"the program said {line!r}, which is neither a decision nor a partition")
    return Replayed(decisions, partitions)


def verdicts(program: Path, rows: npt.NDArray[np.int64], model_file: Path | None = None) -> npt.NDArray[np.bool_]:
    """Return the program's verdict on rows of features.

    Parameters
    ----------
    program : Path
    rows : (rows, features) int64
        All that C computes, in the order of ``enum sbd_feature``.
    model_file : Path, optional

    Raises
    ------
    ReplayError
        If the program fails.
    ValueError
        If a value is beyond what a feature can be.
    """
    if rows.size and np.abs(rows).max() > FEATURE_LIMIT:
        raise ValueError(f"rows holds values beyond {FEATURE_LIMIT}: no feature has them")
    command = [str(program), "-x", *([str(model_file)] if model_file else [])]
    done = subprocess.run(command, input=rows.astype("<i4").tobytes(), capture_output=True, check=False)
    if done.returncode or len(done.stdout) != len(rows):
        why = done.stderr.decode(errors="replace").strip()
        raise ReplayError(
            f"{program.name}: {len(done.stdout)} verdicts for {len(rows)} rows ({done.returncode}): {why}"
        )
    return np.frombuffer(done.stdout, dtype=np.uint8).astype(bool)
