"""Show what the inputs hold: connections, subflows, RTTs, losses, congestion states, and what was refused.

Of a folder every file is read, and what each holds is counted. Connections of captures are analysed packet by packet
for --json and --plot: which data each subflow was to carry, what was reinjected and what no subflow carried, windows,
RTTs, rates, and the signals of MPTCP.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from smartsbd.contracts.fault import printable
from smartsbd.contracts.tables import CA_STATES
from smartsbd.pipelines.judging import no_connection
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.analysis_numbers import AnalysedConnection, numbers_of, with_deliveries
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_folder
from smartsbd.traces import capture_analysis, recording
from smartsbd.traces.capture_analysis import CaptureAnalysis
from smartsbd.traces.connection import NOT_OBSERVED, Acks, Connection, Subflow
from smartsbd.traces.formats import capture
from smartsbd.traces.input_counts import InputCounts, counted, files_of, total
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recorded import SEEN_TWICE, UNKNOWN_LINK, seen_twice
from smartsbd.traces.recording import Recording

if TYPE_CHECKING:
    from smartsbd.pipelines.reporting.analysis_folder import AnalysisFolder

log = logging.getLogger(__name__)

_NS_PER_S = 1e9
_US_PER_MS = 1e3
# Subflows in one table: more of them are in several tables, each with its own heading and widths.
_ALIGNED = 1 << 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("inputs", metavar="INPUT", type=Path, nargs="+", help=f"{recording.INPUTS}, or a folder")
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON object for each input: its counts and, of a capture, the analysis of its connections",
    )
    parser.add_argument("--unit", choices=recording.RTT_UNITS, help=recording.UNIT)
    parser.add_argument(
        "--plot",
        metavar="DIR",
        type=written_folder,
        help="write DIR/index.html, a page with a figure of each connection of the captures; DIR may hold an earlier"
        " page, and nothing else",
    )


def _rtts(acks: Acks) -> dict[str, Any]:
    """Return the number of RTT samples and their spread, and the same for the smoothed RTT."""
    row: dict[str, Any] = {}
    for name, values in (("rtt", acks.rtt_us), ("srtt", acks.srtt_us)):
        all_us = np.frombuffer(values, dtype=np.int64)
        known_us = all_us[all_us != NOT_OBSERVED]
        if known_us.size:
            low, median, high = (value / _US_PER_MS for value in (known_us.min(), np.median(known_us), known_us.max()))
            row[f"{name}s"] = int(known_us.size)
            row[f"{name}_ms low/median/high"] = f"{low:.1f}/{median:.1f}/{high:.1f}"
    return row


def _losses(subflow: Subflow) -> dict[str, Any]:
    """Return the lost packets by kind; a capture shows only the packets that were sent again."""
    lost: Counter[str] = Counter()
    for kind, packets in zip(subflow.loss_kind, subflow.loss_packets, strict=True):
        lost[kind] += packets
    return {
        "lost fast/rto/tlp": "/".join(str(lost[kind]) for kind in ("fast", "rto", "tlp")) if lost else "",
        "sent again": "" if subflow.retransmissions is None else subflow.retransmissions,
    }


def _subflow_row(connection_id: str, connection: Connection, subflow: Subflow) -> dict[str, Any]:
    entries = np.bincount(np.array(subflow.state_ca_state, dtype=np.int64), minlength=len(CA_STATES))
    acks = subflow.all_acks()
    acked = acks.acked_bytes
    return {
        "connection": connection_id,
        "token": "" if connection.token is None else f"{connection.token:08x}",
        "recorded at": "/".join(sorted(set(connection.vantages.values()))),
        "subflow": subflow.subflow_id,
        "start_s": f"{subflow.start_ns / _NS_PER_S:.3f}",
        "length_s": f"{(subflow.end_ns - subflow.start_ns) / _NS_PER_S:.3f}",
        "acked_kB": round((acked[-1] - acked[0]) / 1e3) if len(acked) else 0,
        **_rtts(acks),
        **{
            name: int(count)
            for name, count in zip(CA_STATES, entries.tolist(), strict=True)
            if len(subflow.state_ca_state)
        },
        **_losses(subflow),
    }


def described(recorded: Recording) -> Iterator[str]:
    """Yield what an input holds, as lines of text."""
    trace = recorded.trace
    yield (
        f"{recorded.path}: {recorded.source}, {len(trace.connections)} connections,"
        f" {trace.records_in} records, {sum(trace.refused().values())} refused"
    )
    in_no_table = {name: count for name, count in sorted(trace.unused.items()) if name != SEEN_TWICE}
    if in_no_table:
        yield "  in no table: " + ", ".join(f"{name} {count}" for name, count in in_no_table.items())
    if trace.unused[SEEN_TWICE]:
        yield f"  {seen_twice(trace.unused[SEEN_TWICE])}"
    if trace.signals:
        what = "options" if recorded.source == capture.SOURCE else "counted too"
        yield f"  {what}: " + ", ".join(f"{name} {count}" for name, count in sorted(trace.signals.items()))
    if trace.other_lines:
        yield f"  other lines: {trace.other_lines}"
    if trace.gaps:
        yield f"  gaps: {trace.gaps}, messages lost: {trace.messages_lost}"
    rows = (
        _subflow_row(connection_id, connection, subflow)
        for connection_id, connection in recorded.connections()
        for subflow in connection.ordered()
    )
    while together := list(itertools.islice(rows, _ALIGNED)):
        yield from (f"  {line}" for line in aligned(together))
    for reason, count in trace.refused().items():
        first = next((refusal for refusal in trace.refusals if refusal.reason == reason), None)
        detail = f" ({printable(first.detail)})" if first is not None and reason == UNKNOWN_LINK else ""
        place = "" if first is None else f"{detail}; the first at byte {first.offset}: {first.raw[:48]!r}"
        yield f"  refused {count}: {reason}{place}"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))


def summary(counts: Sequence[InputCounts]) -> list[str]:
    """Return the counts of inputs, and of all of them, as lines of text."""
    rows = [
        {
            "input": input_counts.input,
            "source": input_counts.source or "cannot be read",
            "connections": input_counts.connections,
            "subflows": input_counts.subflows,
            "records": input_counts.records_in,
            "read": input_counts.records_out,
            "unused": sum(input_counts.unused.values()),
            "refused": sum(input_counts.refused.values()),
        }
        for input_counts in counts
    ]
    whole = total(counts)
    lines = aligned(rows)
    lines.append(f"{whole.inputs:,} inputs: {_listed(whole.sources) or 'none is read'}")
    lines += [f"  cannot be read {count:,}: {why}" for why, count in sorted(whole.unreadable.items())]
    lines.append(
        f"{whole.connections:,} connections, {whole.subflows:,} subflows; {whole.records_in:,} records:"
        f" {whole.records_out:,} read, {whole.unused.total():,} unused, {whole.refused.total():,} refused"
    )
    if whole.unused:
        lines.append(f"  in no table: {_listed(whole.unused)}")
    lines += [f"  refused {count:,}: {why}" for why, count in sorted(whole.refused.items())]
    return lines


def _analysis(analysed: CaptureAnalysis | None, connections: Sequence[AnalysedConnection]) -> dict[str, Any] | None:
    """Return the analysis of an input as JSON has it; None if it is no capture."""
    if analysed is None:
        return None
    return {
        "connections": [numbers_of(connection) for connection in connections],
        "left_out": dict(sorted(analysed.left_out.items())),
    }


@contextmanager
def _plots(folder: Path | None) -> Iterator[AnalysisFolder | None]:
    """Give what draws connections into a folder, if there is one: one that is not there is made whole or not at all."""
    if folder is None:
        yield None
        return
    # What draws takes long to import, and is not in every environment.
    from smartsbd.pipelines.reporting.analysis_folder import PAGE, AnalysisFolder

    with nullcontext(folder) if folder.exists() else unfinished(folder) as place:
        yield AnalysisFolder(place)
    log.info("%s shows the connections", folder / PAGE)


def _shown(arguments: argparse.Namespace, paths: Sequence[Path], params: Params, plots: AnalysisFolder | None) -> int:
    """Show what inputs hold, and draw it if the user wants that; return the exit code."""
    code = stage.EXIT_OK
    is_summed = not arguments.json and any(path.is_dir() for path in arguments.inputs)
    counts = []
    dialect = replace(params.parse.dialect(), rtt_unit=arguments.unit)
    for recorded in recording.read_all(paths, dialect, params.parse.bounds()):
        analysed: CaptureAnalysis | None = None
        connections: list[AnalysedConnection] = []
        outcome = recorded
        if isinstance(recorded, Recording) and recorded.source == capture.SOURCE and (arguments.json or plots):
            try:
                analysed = capture_analysis.analysed(recorded.connections(), params.parse.bounds())
                connections = with_deliveries(analysed)
            except UnreadableInputError as error:
                outcome = error
        if isinstance(outcome, UnreadableInputError):
            log.error("%s", outcome)
            code = stage.EXIT_BAD_INPUT
        elif not arguments.json and not is_summed:
            for line in described(outcome):
                stage.say(line)
        if isinstance(outcome, Recording) and not is_summed and (nothing := no_connection.why(outcome)):
            log.error("%s: %s", outcome.path, nothing)
            code = stage.EXIT_BAD_INPUT
        if arguments.json:
            stage.say(json.dumps({**asdict(counted(outcome)), "analysis": _analysis(analysed, connections)}))
        elif is_summed:
            counts.append(counted(outcome))
        if plots is not None and analysed is not None:
            plots.add(connections, analysed.left_out)
    if is_summed:
        stage.say(*summary(counts))
    if plots is not None:
        plots.write([str(path) for path in paths])
    return code


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    paths = [file for path in arguments.inputs for file in (files_of(path) if path.is_dir() else [path])]
    with _plots(arguments.plot) as plots:
        return _shown(arguments, paths, params, plots)
