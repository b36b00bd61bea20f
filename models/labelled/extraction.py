"""From one connection to its rows of ``pair_window`` and ``series``, with labels, and to counts."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from smartsbd.contracts import tables
from smartsbd.contracts.columns import array_of, array_of_numbers
from smartsbd.contracts.contract import Table, TableReader, read_table
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.features.fixed import FEATURE_LIMIT, ONE_Q10
from smartsbd.features.pair import Known, PairWindow, pair_windows
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals, signals_of
from smartsbd.features.window import WINDOW_RTTS, Rejected, congestion_entries_ns
from smartsbd.models.labelled.partners import pair_name
from smartsbd.traces.truth import Label, label_at

_ACK_COLUMNS = ("subflow_id", "time_ns", "acked_bytes", "rtt_us", "data_ack")
_STATE_COLUMNS = ("subflow_id", "time_ns", "ca_state")
_CWR = tables.CA_STATES.index("CWR")

NO_SUBFLOW = "a subflow of the pair is not in the input"

Truth = dict[tuple[int, int], list[dict[str, Any]]]


@dataclass(frozen=True)
class Extracted:
    """The result for a few connections: rows of the tables, and counts by name."""

    pair_window: pa.Table
    series: pa.Table
    rejected: pa.Table
    counts: dict[str, Counter[str]]


@dataclass(frozen=True)
class Variation:
    """A difference from the data that models are trained on.

    Attributes
    ----------
    window_rtts : int
        Length of a window in units of the larger minimum RTT.
    missing_share : float
        Probability that an RTT sample is missing.
    seed : int
        Decides which samples are missing.
    """

    window_rtts: int = WINDOW_RTTS
    missing_share: float = 0.0
    seed: int = 0

    def signals(self, connection_id: str, subflow_id: int, known: SubflowSignals) -> SubflowSignals:
        """Return what is left of a subflow's signals.

        Parameters
        ----------
        connection_id : str
        subflow_id : int
            Both decide, with the seed, which samples are missing.
        known : SubflowSignals
            All that was recorded.

        Returns
        -------
        SubflowSignals
            The known signals themselves where nothing is missing.
        """
        if not self.missing_share:
            # Nothing is drawn for the many connections that keep all.
            return known
        rng = np.random.default_rng([self.seed, subflow_id, *connection_id.encode()])
        return known.thinned(self.missing_share, rng)


AS_TRAINED = Variation()


@dataclass(frozen=True)
class _ConnectionRows:
    """The result for one connection: windows with their rows, rows of rejected windows, and counts."""

    windows: list[tuple[dict[str, Any], PairWindow]]
    rejected: list[dict[str, Any]]
    counts: dict[str, Counter[str]]


def read_truths(path: Path) -> dict[str, Truth]:
    """Return the rows of a ``truth`` table by connection and pair of subflows."""
    truths: dict[str, Truth] = defaultdict(lambda: defaultdict(list))
    for row in read_table(tables.TRUTH, path).to_pylist():
        truths[row["connection_id"]][row["subflow_a"], row["subflow_b"]].append(row)
    return {connection_id: dict(truth) for connection_id, truth in truths.items()}


#: It differs between two contents of a file: a process that outlives a run must not read the table of an earlier run.
_Stamp = tuple[int, int, int]


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@functools.lru_cache(maxsize=8)
def _reader(folder: Path, name: str, _: _Stamp) -> TableReader:
    """Return a reader of a table; a process opens each once."""
    columns = {"ack": _ACK_COLUMNS, "state": _STATE_COLUMNS, "subflow": ("subflow_id", "path")}
    table = {"ack": tables.ACK, "state": tables.STATE, "subflow": tables.SUBFLOW}[name]
    return TableReader(table, folder / f"{name}.parquet", columns[name])


def _wifi(truth: Truth, subflows: Mapping[int, str | None]) -> dict[int, bool | None]:
    """Return which subflows run on WiFi, from the input or, where it does not say, the configured paths."""
    path = dict(subflows)
    for (a, b), rows in truth.items():
        for subflow_id, name in ((a, "path_a"), (b, "path_b")):
            if path.get(subflow_id) is None:
                path[subflow_id] = rows[0][name]
    return {subflow_id: None if network is None else network == "wifi" for subflow_id, network in path.items()}


def _window_row(placed: PairWindow, pair: tuple[int, int], label: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    window = placed.window
    return {
        **known,
        "subflow_a": pair[0],
        "subflow_b": pair[1],
        "rule": window.rule,
        "window_start_ns": window.start_ns,
        "window_ns": window.window_ns,
        "step_ns": window.step_ns,
        "n": window.n,
        "min_rtt_a_us": window.min_rtt_x_us,
        "min_rtt_b_us": window.min_rtt_y_us,
        "denominator": pair[placed.denominator],
        "coarsened": window.coarsened,
        "saturated": placed.grid.saturated,
        "bridged": placed.bridged,
        "shared": None if label is None else label.shared,
        "site": None if label is None else label.site,
        **placed.features,
    }


def _series_table(windows: Sequence[tuple[dict[str, Any], PairWindow]]) -> pa.Table:
    """Return the rows of ``series``: of each window, every grid point of both subflows in their order."""
    dtypes = {column.name: column.dtype for column in tables.SERIES.columns}
    if not windows:
        return tables.SERIES.build({name: [] for name in dtypes})
    sizes = np.array([placed.window.n for _, placed in windows])
    window = array_of_numbers(np.repeat(np.arange(len(windows)), sizes), pa.int64())
    columns: dict[str, Any] = {
        name: array_of([row[name] for row, _ in windows], dtypes[name]).take(window) for name in tables.WINDOW_KEY
    }
    series: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
    for _, placed in windows:
        grid = placed.grid
        series["k"].append(np.arange(placed.window.n))
        series["time_ns"].append(placed.window.grid_ns())
        sides = ("a", "b") if placed.denominator == 1 else ("b", "a")
        for side, rtt_us, congested, acked_bytes, rate_mbit_s in (
            (sides[0], grid.rtt_a_us, grid.congested_a, grid.acked_a_bytes, grid.rate_a_mbit_s),
            (sides[1], grid.rtt_b_us, grid.congested_b, grid.acked_b_bytes, grid.rate_b_mbit_s),
        ):
            series[f"rtt_{side}_us"].append(rtt_us)
            series[f"congested_{side}"].append(congested)
            series[f"acked_{side}_bytes"].append(acked_bytes)
            series[f"rate_{side}_mbit_s"].append(rate_mbit_s)
    columns |= {name: array_of_numbers(np.concatenate(parts), dtypes[name]) for name, parts in series.items()}
    return tables.SERIES.build(columns)


def _rejected_rows(
    rejected: Sequence[Rejected],
    pair: tuple[int, int],
    label_of: Callable[[Rejected], Label | None],
    known: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Return the rows of ``rejected`` of one pair; each has the label of its window, if the window has a place."""
    numbers: Counter[str] = Counter()
    rows = []
    for window in rejected:
        label = label_of(window)
        rows.append(
            {
                **known,
                "subflow_a": pair[0],
                "subflow_b": pair[1],
                "rule": window.rule,
                "rejected_no": numbers[window.rule],
                "reason": window.reason,
                "window_start_ns": window.start_ns,
                "window_ns": window.window_ns,
                "shared": None if label is None else label.shared,
                "site": None if label is None else label.site,
            }
        )
        numbers[window.rule] += 1
    return rows


def _given_label(label: Label, _rejected: Rejected) -> Label:
    return label


def label_of_rejected(
    truth: Sequence[Mapping[str, Any]], connection: Mapping[str, Any], rejected: Rejected
) -> Label | None:
    """Return the label of a rejected window, or of the whole connection if it has no place.

    Parameters
    ----------
    truth : rows of the ``truth`` table
        Of the pair.
    connection : row of the ``connection`` table
    rejected : Rejected

    Returns
    -------
    Label or None
        None where the truth has no valid label for that time.
    """
    if rejected.start_ns is None or rejected.window_ns is None:
        return label_at(truth, connection["start_ns"], connection["end_ns"])
    return label_at(truth, rejected.start_ns, rejected.start_ns + rejected.window_ns)


def _columns(table: Table, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {column.name: [row[column.name] for row in rows] for column in table.columns}


def _extracted(
    windows: Sequence[tuple[dict[str, Any], PairWindow]],
    rejected: Sequence[Mapping[str, Any]],
    counts: dict[str, Counter[str]],
) -> Extracted:
    return Extracted(
        pair_window=PAIR_WINDOW.build(_columns(PAIR_WINDOW, [row for row, _ in windows])),
        series=_series_table(windows),
        rejected=tables.REJECTED.build(_columns(tables.REJECTED, rejected)),
        counts=counts,
    )


def _kind(shared: bool | None) -> str:
    return "unlabelled" if shared is None else "shared" if shared else "non-shared"


def _is_capped(row: Mapping[str, Any]) -> bool:
    integers = (row.get(name) for name in feature_names("paper"))
    return FEATURE_LIMIT in integers or row.get("rate_sd_ratio") == FEATURE_LIMIT / ONE_Q10


@functools.lru_cache(maxsize=1)
def _rows_as_stamped(
    folder: Path, connection_id: str, stamps: tuple[tuple[str, _Stamp], ...]
) -> tuple[pa.Table, pa.Table, pa.Table]:
    acks, states, subflows = (_reader(folder, name, stamp).rows_of(connection_id) for name, stamp in stamps)
    return acks, states, subflows


def _rows(folder: Path, connection_id: str) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return a connection's rows of ``ack``, ``state`` and ``subflow``."""
    stamps = tuple((name, _stamp(folder / f"{name}.parquet")) for name in ("ack", "state", "subflow"))
    return _rows_as_stamped(folder, connection_id, stamps)


def signals_in(
    folder: Path, connection_id: str, truth: Truth, reading: Reading
) -> tuple[dict[int, SubflowSignals], pa.Table]:
    """Return the signals of a connection's subflows, by number, and its rows of ``state``.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables; a process opens each once.
    connection_id : str
    truth : dict
        Its rows of the ``truth`` table by pair of subflows: where the input does not say which subflow is on WiFi, the
        configured paths do.
    reading : Reading

    Returns
    -------
    signals : dict of int to SubflowSignals
        By subflow number, in order.
    states : rows of the ``state`` table
        Of all subflows.
    """
    acks, states, subflows = _rows(folder, connection_id)
    wifi = _wifi(truth, {row["subflow_id"]: row["path"] for row in subflows.to_pylist()})
    signals = {
        subflow_id: signals_of(acks, states, subflow_id, reading, on_wifi=wifi[subflow_id])
        for subflow_id in sorted(subflows.column("subflow_id").to_pylist())
    }
    return signals, states


class _Taken:
    """The signals and windows of one connection, computed once for all readings that agree on them."""

    def __init__(self, folder: Path, connection_id: str, truth: Truth) -> None:
        self._source = folder, connection_id, truth
        self._signals: dict[Reading, tuple[dict[int, SubflowSignals], pa.Table]] = {}
        self.windows: dict[tuple[int, int], Known] = defaultdict(dict)

    def signals(self, reading: Reading) -> tuple[dict[int, SubflowSignals], pa.Table]:
        """Return the signals of the subflows, and the rows of ``state``."""
        of_signals = reading.of_signals()
        if of_signals not in self._signals:
            self._signals[of_signals] = signals_in(*self._source, of_signals)
        return self._signals[of_signals]


def _extract_connection(
    connection: Mapping[str, Any],
    taken: _Taken,
    truth: Truth,
    dataset: str,
    rules: Sequence[str],
    reading: Reading,
    feature_set: str,
    variation: Variation = AS_TRAINED,
) -> _ConnectionRows:
    """Return the rows of a connection; `taken` is of this connection, set of features and variation."""
    connection_id = connection["connection_id"]
    complete, states = taken.signals(reading)
    signals = {number: variation.signals(connection_id, number, recorded) for number, recorded in complete.items()}
    known = {"connection_id": connection_id, "dataset": dataset}
    windows: list[tuple[dict[str, Any], PairWindow]] = []
    rejected: list[dict[str, Any]] = []
    reasons: dict[str, set[str]] = {rule: set() for rule in rules}
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("windows", "rejected", "connections_without_window", "signals")
    }
    for a, b in itertools.combinations(signals, 2):
        pair_truth = truth.get((a, b), [])
        accepted, refused = pair_windows(
            signals[a],
            signals[b],
            connection["end_ns"],
            rules,
            reading,
            feature_set,
            variation.window_rtts,
            taken.windows[a, b],
        )
        whole = label_at(pair_truth, connection["start_ns"], connection["end_ns"])
        kind = _kind(None if whole is None else whole.shared)
        for window in refused:
            counts["rejected"][f"{window.rule}, {kind}: {window.reason}"] += 1
            reasons[window.rule].add(window.reason)
        rejected += _rejected_rows(refused, (a, b), functools.partial(label_of_rejected, pair_truth, connection), known)
        for placed in accepted:
            label = label_at(pair_truth, placed.window.start_ns, placed.window.end_ns)
            row = _window_row(placed, (a, b), label, known)
            windows.append((row, placed))
            rule = placed.window.rule
            counts["windows"][f"{rule}: {_kind(row['shared'])}"] += 1
            for name in ("coarsened", "saturated", "bridged"):
                counts["windows"][f"{rule}: {name}"] += bool(row[name])
            counts["windows"][f"{rule}: a feature at its cap"] += _is_capped(row)
    for pair in sorted(set(truth) - set(itertools.combinations(signals, 2))):
        missing = [Rejected(rule, NO_SUBFLOW) for rule in rules]
        rejected += _rejected_rows(missing, pair, functools.partial(label_of_rejected, truth[pair], connection), known)
        for rule in rules:
            counts["rejected"][f"{rule}: {NO_SUBFLOW}"] += 1
    for rule in sorted(set(rules) - {placed.window.rule for _, placed in windows}):
        why = "; ".join(sorted(reasons[rule])) or "fewer than two subflows"
        counts["connections_without_window"][f"{rule}: {why}"] += 1
    counts["signals"]["changes to CWR"] += int((states.column("ca_state").to_numpy() == _CWR).sum())
    return _ConnectionRows(windows, rejected, counts)


def extracted(
    connections: Sequence[Mapping[str, Any]],
    folder: Path,
    truths: Mapping[str, Truth],
    dataset: str,
    rules: Sequence[str],
    reading: Reading,
    variation: Variation = AS_TRAINED,
) -> Extracted:
    """Extract some connections.

    Parameters
    ----------
    connections : sequence of rows of the ``connection`` table
    folder : Path
        Folder with the dataset's tables; read one connection at a time.
    truths : mapping of connection_id to its rows of the ``truth`` table by pair of subflows
    dataset : str
        Its name.
    rules : sequence of str
        How windows are placed.
    reading : Reading
    variation : Variation
        A difference from the data that models are trained on.

    Returns
    -------
    Extracted
        Rows in the order of the connections.
    """
    windows: list[tuple[dict[str, Any], PairWindow]] = []
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    rejected: list[dict[str, Any]] = []
    for connection in connections:
        truth = truths.get(connection["connection_id"], {})
        taken = _Taken(folder, connection["connection_id"], truth)
        result = _extract_connection(connection, taken, truth, dataset, rules, reading, "all", variation)
        windows += result.windows
        rejected += result.rejected
        for name, counter in result.counts.items():
            counts[name].update(counter)
    return _extracted(windows, rejected, dict(counts))


def labelled_rows(
    connections: Sequence[Mapping[str, Any]],
    folder: Path,
    truths: Mapping[str, Truth],
    dataset: str,
    rules: Sequence[str],
    readings: Sequence[Reading],
    feature_set: str,
) -> list[list[dict[str, Any]]]:
    """Return, for each reading, the labelled windows of some connections as rows, read once for all.

    Parameters
    ----------
    connections, folder, truths, dataset, rules
        As :func:`extracted` takes them.
    readings : sequence of Reading
    feature_set : str
        Features to compute.

    Returns
    -------
    list of list of dict
        By reading, in their order: rows of the ``pair_window`` table.
    """
    by_reading: list[list[dict[str, Any]]] = [[] for _ in readings]
    for connection in connections:
        truth = truths.get(connection["connection_id"], {})
        taken = _Taken(folder, connection["connection_id"], truth)
        for rows, reading in zip(by_reading, readings, strict=True):
            result = _extract_connection(connection, taken, truth, dataset, rules, reading, feature_set)
            rows += [row for row, _ in result.windows if row["shared"] is not None]
    return by_reading


def _shift_ns(x: SubflowSignals, y: SubflowSignals) -> int:
    """Return twice the longest window a pair can have once both subflows were congested."""
    lowest_us = []
    for signals in (x, y):
        entries_ns = congestion_entries_ns(signals)
        first = np.searchsorted(signals.rtt_time_ns, entries_ns[0], side="right") if entries_ns.size else 0
        lowest_us.append(int(signals.lowest_rtt_us[max(0, int(first) - 1)]) if signals.rtt_us.size else 0)
    return 2 * WINDOW_RTTS * max(lowest_us) * 1000


def swapped(
    pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    folder: Path,
    truths: Mapping[str, Truth],
    dataset: str,
    rule: str,
    reading: Reading,
) -> Extracted:
    """Extract windows of swapped partners: the first subflow of one connection with the last one of another.

    The other connection's clock is set so that it starts later by at least two windows: what both do alike at their
    start does not coincide.

    Parameters
    ----------
    pairs : sequence of two rows of the ``connection`` table
    folder, truths, dataset, reading
        As :func:`extracted` takes them.
    rule : str
        How windows are placed.

    Returns
    -------
    Extracted
        All windows are labelled not shared.
    """
    windows: list[tuple[dict[str, Any], PairWindow]] = []
    rejected: list[dict[str, Any]] = []
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("windows", "rejected")}
    for first, second in pairs:
        first_id, second_id = first["connection_id"], second["connection_id"]
        first_truth = truths[first_id]
        first_signals, _ = signals_in(folder, first_id, first_truth, reading)
        second_signals, _ = signals_in(folder, second_id, truths[second_id], reading)
        a, b = min(first_signals), max(second_signals)
        shift_ns = first["start_ns"] - second["start_ns"] + _shift_ns(first_signals[a], second_signals[b])
        end_ns = min(first["end_ns"], second["end_ns"] + shift_ns)
        accepted, refused = pair_windows(first_signals[a], second_signals[b].shifted(shift_ns), end_ns, [rule], reading)
        site = next(iter(first_truth.values()))[0]["site"]
        counts["rejected"].update(f"{site or 'no site'}: {each.reason}" for each in refused)
        known = {"connection_id": pair_name(first_id, second_id), "dataset": dataset}
        apart = Label(shared=False, site=site)
        rejected += _rejected_rows(refused, (a, b), functools.partial(_given_label, apart), known)
        for placed in accepted:
            row = _window_row(placed, (a, b), None, known)
            windows.append(({**row, "shared": False, "site": site}, placed))
            counts["windows"][site or "no site"] += 1
    return _extracted(windows, rejected, counts)
