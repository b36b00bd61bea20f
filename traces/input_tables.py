"""The tables that a dataset's inputs become, written input by input, and counts of what was read and refused."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableWriter
from smartsbd.traces import bounds, parsed_input
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.formats import InputPart
from smartsbd.traces.parsed_input import BatchMap, Chunk, ParsedInput, capture_rows, joined_rows, refusal_rows
from smartsbd.traces.spool_folder import spool_folder

log = logging.getLogger(__name__)

TABLES = (
    tables.CAPTURE,
    tables.CONNECTION,
    tables.CONNECTION_CAPTURE,
    tables.SUBFLOW,
    tables.ACK,
    tables.STATE,
    tables.LOSS,
    tables.QUARANTINE,
)
# Refused records of an input that are shown.
_SHOWN_REFUSALS = 3
#: What of each input is added up in the report.
_COUNTED = ("records_in", "records_out", "other_lines", "gaps", "messages_lost")


class InputTables:
    """The tables, open for rows, and what is counted of the inputs that went into them.

    Attributes
    ----------
    spools : Path
        Folder for the spools of inputs that are to be joined; it goes when the tables are closed.
    """

    def __init__(self, writers: Mapping[str, TableWriter], spools: Path, most: Bounds) -> None:
        self.spools = spools
        self._most = most
        self._writers = writers
        self._rows: Counter[str] = Counter(dict.fromkeys(writers, 0))
        self._totals: Counter[str] = Counter()
        self._unused: Counter[str] = Counter()
        self._signals: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    def _write(self, chunks: Iterable[Chunk]) -> None:
        for name, rows in chunks:
            self._rows[name] += self._writers[name].append(rows)

    def _count(self, parsed: ParsedInput) -> None:
        """Count what an input holds; log the first records of it that were refused."""
        trace = parsed.trace
        self._totals["inputs_unreadable"] += parsed.unreadable
        for name in _COUNTED:
            self._totals[name] += getattr(trace, name)
        self._unused.update(trace.unused)
        self._signals.update(trace.signals)
        self._refused.update(trace.refused())
        for refusal in itertools.islice(trace.refusals, _SHOWN_REFUSALS):
            log.warning("%s: at byte %d: %s: %s", parsed.path, refusal.offset, refusal.reason, refusal.detail)
        for reason, count in sorted(trace.beyond_bounds.items()):
            log.warning("%s: %d records: %s", parsed.path, count, reason)

    def write(self, inputs: Iterable[ParsedInput | InputPart], dataset: str, build_map: BatchMap = map) -> None:
        """Write the rows of inputs as they come; in the end join those that wait for others, and write theirs.

        Parameters
        ----------
        inputs : iterable of ParsedInput or InputPart
            In the order of their rows.
        dataset : str
            What the names of connections begin with.
        build_map : callable
            Builds the rows of joined connections, as :func:`~smartsbd.traces.parsed_input.joined_rows` takes it.
        """
        # What is known of their flows goes to the disk: nothing here holds it any longer.
        together = parsed_input.joined(self._written_alone(inputs), self._most)
        self._write(joined_rows(together, dataset, build_map))
        self._write([capture_rows(together)])
        for parsed in together:
            self._write(refusal_rows(parsed))
            self._count(parsed)

    def _written_alone(self, inputs: Iterable[ParsedInput | InputPart]) -> list[InputPart]:
        """Write the rows of inputs that wait for no others; return those that do."""
        waiting: list[InputPart] = []
        for parsed in inputs:
            if isinstance(parsed, InputPart):
                waiting.append(parsed)
            else:
                self._write(parsed.chunks)
                self._count(parsed)
        return waiting

    def report(self, inputs: int) -> dict[str, Any]:
        """Return the counts, that of the inputs among them."""
        return {
            "inputs": inputs,
            "inputs_unreadable": self._totals["inputs_unreadable"],
            **{name: self._totals[name] for name in _COUNTED},
            "signals": dict(sorted(self._signals.items())),
            "records_unused": dict(sorted(self._unused.items())),
            "records_quarantined": sum(self._refused.values()),
            "quarantined_by_reason": dict(sorted(self._refused.items())),
            "rows": dict(sorted(self._rows.items())),
        }


@contextmanager
def opened(folder: Path, most: Bounds = bounds.DEFAULT) -> Iterator[InputTables]:
    """Open the tables of a dataset for writing, in a folder that is made; they are closed and checked at the end.

    Parameters
    ----------
    folder : Path
    most : Bounds
        Of inputs that are joined.

    Yields
    ------
    InputTables
        Open for rows until the block ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        spools = stack.enter_context(spool_folder(folder.absolute()))
        writers = {
            table.name: stack.enter_context(TableWriter(table, folder / f"{table.name}.parquet")) for table in TABLES
        }
        yield InputTables(writers, spools, most)
