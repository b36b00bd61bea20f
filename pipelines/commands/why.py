"""Say why one plus one is one: what limits each second of a connection and its subflows, with evidence and next step.

Best from a capture at the sender, with its handshakes: tcpdump -i any -s 128 tcp. A log, or
the folder of a test of sbd doctor, has RTTs and losses alone: queues and losses are named, and the rest is not.
Each cause is a share of the seconds of all subflows; docs/why.md says how often the main one is right.
"""

from __future__ import annotations

import argparse
import heapq
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.doctor.guided_test import BOTH, TEST, echoes_file
from smartsbd.limits.classified import LimitedSubflow, classified
from smartsbd.limits.observed_seconds import is_seen_by_sender, observed
from smartsbd.pipelines.front import inputs
from smartsbd.pipelines.judging import no_connection
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting import limits_page
from smartsbd.pipelines.reporting.limits_page import LimitedConnection
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.written_path import written_file
from smartsbd.traces import recording
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.input_counts import files_of
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recorded import SEEN_TWICE, seen_twice
from smartsbd.traces.recording import Recording

log = logging.getLogger(__name__)

#: Connections of an input that are shown; of more, those with most data.
_MOST_CONNECTIONS = 8
_PATHS = 2
_WITHOUT_PACKETS = (
    "Not a capture: windows, gaps and what is outstanding were not recorded, so the receive window, head-of-line"
    " waiting, the sender, pacing, backups and resets cannot be named. Capture packets at the sender:"
    " tcpdump -i any -s 128 tcp."
)
_ELSEWHERE = (
    "Not captured at the sender, or not from the handshakes on: only subflows that were not joined, backups and"
    " resets are named. Capture at the sender, from the start: tcpdump -i any -s 128 tcp."
)

_OTHER_CAPTURES = (
    "One subflow of several: give the captures of all interfaces to one command, or capture with -i any; from one it"
    " cannot be told whose the queue is."
)

_OTHER_INPUTS = (
    "One path: give the inputs of all paths to one command, with --together where they do not say that they belong"
    " together; from one it cannot be told whose the queue is."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "inputs",
        metavar="INPUT",
        type=Path,
        nargs="+",
        help=f"{recording.INPUTS}, a folder of them, or the folder of a test of sbd doctor",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object for each connection in place of the page")
    parser.add_argument("--html", metavar="FILE", type=written_file, help="write the same as a page, with a drawing")
    inputs.add_reading(parser)


def _size(connection: Connection) -> int:
    """Return how much of a connection was recorded: its data, or the rows of a log."""
    return sum(
        subflow.most_acks() if subflow.packets is None else subflow.packets.sent_bytes
        for subflow in connection.subflows.values()
    )


def _remarks(connection: Connection, subflows: Sequence[LimitedSubflow]) -> list[str]:
    if any(subflow.packets is None for subflow in connection.subflows.values()):
        return [*([_OTHER_INPUTS] if len(subflows) < _PATHS else []), _WITHOUT_PACKETS]
    remarks = [] if is_seen_by_sender(connection) else [_ELSEWHERE]
    return [*remarks, _OTHER_CAPTURES] if len(subflows) < _PATHS else remarks


def _limited(recorded: Recording, judge: CommonLagJudge, bounds: Bounds) -> Iterator[LimitedConnection]:
    """Yield what limits the connections of an input that have most data."""
    numbered = list(enumerate(recorded.connections()))
    largest = heapq.nlargest(_MOST_CONNECTIONS, numbered, key=lambda place: (_size(place[1][1]), -place[0]))
    if len(numbered) > len(largest):
        log.warning("%s: %d further connections, with less data", recorded.path, len(numbered) - len(largest))
    for _, (name, connection) in sorted(largest, key=lambda place: place[0]):
        opinions = judge.opinions(connection) if len(connection.subflows) >= _PATHS else ()
        subflows = classified(observed(connection, opinions, bounds))
        yield LimitedConnection(str(recorded.path), name, subflows, _remarks(connection, subflows))


def _recordings(arguments: argparse.Namespace, params: Params) -> Iterator[Recording | UnreadableInputError]:
    """Yield the inputs; the echoes of a doctor's test, while both paths were loaded, are of one connection."""
    dialect, bounds = replace(params.parse.dialect(), rtt_unit=arguments.unit), params.parse.bounds()
    places: list[Path] = []
    for path in arguments.inputs:
        if path.is_dir() and (path / TEST).is_file():
            echoes = [path / echoes_file(BOTH, number) for number in range(_PATHS)]
            yield from inputs.read(echoes, dialect, bounds, together=True)
        else:
            places += files_of(path) if path.is_dir() else [path]
    if places:
        yield from inputs.read(places, dialect, bounds, together=arguments.together)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    _, detector = default_detector.load()
    judge = CommonLagJudge(detector.rule, params.extract.reading)
    code = stage.EXIT_OK
    shown: list[LimitedConnection] = []
    for recorded in _recordings(arguments, params):
        try:
            if isinstance(recorded, UnreadableInputError):
                raise recorded
            if nothing := no_connection.why(recorded):
                log.error("%s: %s", recorded.path, nothing)
                code = stage.EXIT_BAD_INPUT
            if recorded.trace.unused[SEEN_TWICE]:
                log.warning("%s: %s", recorded.path, seen_twice(recorded.trace.unused[SEEN_TWICE]))
            for connection in _limited(recorded, judge, params.parse.bounds()):
                if arguments.json:
                    stage.say(json.dumps(limits_page.as_json(connection)))
                else:
                    stage.say(*([""] if shown else []), *limits_page.lines(connection))
                shown.append(connection)
        except UnreadableInputError as error:
            log.error("%s", error)
            code = stage.EXIT_BAD_INPUT
    if arguments.html and shown:
        write_whole(limits_page.page(shown).encode(), arguments.html)
        log.info("%s has the page", arguments.html)
    return code
