"""A detector of ours as a process: it reads event lines and writes verdict lines.

Started by ``python -m smartsbd.detectors.detector_process NAME``.

`sbd scorecard` runs somebody else's detector in this way. With this program, its verdicts of our detectors can be
compared with those that they give when they are called directly.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.fault import Fault, UsageFault
from smartsbd.detectors import detector_of, replayed, verdict_lines
from smartsbd.detectors.event import events_of
from smartsbd.features import connection_pairs
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log


class OneConnectionError(UsageFault):
    """Event lines of no connection, or of several, where they should be of one."""


def verdicts(name: str, lines: bytes) -> bytes:
    """Return what a detector says of the only connection of some event lines, as verdict lines.

    Parameters
    ----------
    name : str
        ``detector`` or ``detector/preset``.
    lines : bytes

    Returns
    -------
    bytes
        In order of time, as :func:`smartsbd.detectors.verdict_lines.write` writes them.

    Raises
    ------
    UnknownDetectorError
        If there is none of that name.
    UnreadableInputError
        If there is no event line.
    OneConnectionError
        If they are not of one connection.
    """
    kind, preset = detector_of(name)
    detector = kind.build(kind.presets[preset])
    with tempfile.NamedTemporaryFile() as log:
        log.write(lines)
        log.flush()
        connections = list(event_log.read(Path(log.name), Dialect()).connections)
    if len(connections) != 1:
        raise OneConnectionError(f"event lines of {len(connections)} connections, must be of one")
    connection = connections[0]
    subflow_ids = sorted(connection.subflows)
    events = events_of(*connection_pairs.rows(connection), detector.kinds)
    opinions = replayed(detector, subflow_ids, events, connection.span_ns()[1])
    return verdict_lines.write(verdict_lines.on_pairs_of(opinions, subflow_ids), connection.token or 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program.

    Parameters
    ----------
    argv : sequence of str, optional
        Name of the detector; from the command line by default.

    Returns
    -------
    int
        Exit status: 0, or that of the fault.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if len(words) != 1:
        print(
            "usage: python -m smartsbd.detectors.detector_process DETECTOR < event lines > verdict lines",
            file=sys.stderr,
        )
        return UsageFault.exit_code
    try:
        sys.stdout.buffer.write(verdicts(words[0], sys.stdin.buffer.read()))
    except Fault as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
