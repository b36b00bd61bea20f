"""The outcome of one run with the loop closed: goodput, the rivals' rate, how long groups were right, each verdict.

Everything is computed from what the simulator wrote: its truth with a series, and the file of groups and verdicts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from smartsbd.features.window import WINDOW_RTTS

_NS_PER_S = 1e9
_MBIT_PER_BYTE = 8e-6
_NS_PER_MS = 1e6
#: The groups in force while a window lasted.
COUPLED, APART, BOTH = "coupled", "apart", "both"

Pair = tuple[int, int]


@dataclass(frozen=True)
class Groups:
    """The groups of the subflows from a time on."""

    from_ns: int
    groups: Sequence[int]

    def coupled(self, pair: Pair) -> bool:
        """Return whether two subflows are in one group."""
        return self.groups[pair[0]] == self.groups[pair[1]]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    goodput_mbit_s : float
        Bytes in order at the client, from the first handshake to the end.
    rival_mbit_s : float
        Rate at which the rival received in that time; nan without a rival.
    jain : float
        Jain's index of both, the connection being one flow; nan without a rival.
    apart_share : float
        Share of the time, and of the pairs of subflows, that two are not in one group; nan if groups never change.
    right_share : float
        Share of the time, and of the pairs, that groups are as the truth; nan if groups never change.
    right_at_end : float
        Share of the pairs whose groups are as the truth at the end; nan if groups never change.
    changes : float
        How often groups changed; nan if they never can.
    first_apart_s : float
        From the first handshake until two subflows are first not in one group: infinite if they always are; nan if
        groups never change.
    """

    goodput_mbit_s: float
    rival_mbit_s: float
    jain: float
    apart_share: float
    right_share: float
    right_at_end: float
    changes: float
    first_apart_s: float


def jain(rates: Sequence[float]) -> float:
    """Return Jain's fairness index.

    Parameters
    ----------
    rates : sequence of float

    Returns
    -------
    float
        From 1 / n, for n rates of which one has all, to 1, if all are equal.

    Examples
    --------
    >>> jain([1.0, 1.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


def begin_ns(truth: Mapping[str, Any]) -> int:
    """Return when the first subflow was established, in ns.

    Parameters
    ----------
    truth : mapping
        What the simulator measured.

    Returns
    -------
    int
        Nanoseconds of the simulation.
    """
    return min(int(subflow["established_ns"]) for subflow in truth["subflows"])


def end_ns(truth: Mapping[str, Any]) -> int:
    """Return when the run ended, in ns.

    Parameters
    ----------
    truth : mapping
        What the simulator measured.

    Returns
    -------
    int
        Nanoseconds of the simulation.
    """
    return round(float(truth["duration_s"]) * _NS_PER_S)


def _groups(record: Mapping[str, Any]) -> list[Groups]:
    return [Groups(change["from_ns"], change["groups"]) for change in record["groups"]]


def _labels(truth: Mapping[str, Any]) -> dict[Pair, list[tuple[int, bool]]]:
    """Return the label of each pair from each time on."""
    labels: dict[Pair, list[tuple[int, bool]]] = {}
    for pair in truth["pairs"]:
        labels.setdefault((pair["subflow_a"], pair["subflow_b"]), []).append((pair["from_ns"], pair["shared"]))
    return {pair: sorted(of_pair) for pair, of_pair in labels.items()}


def _spans(
    truth: Mapping[str, Any], epochs: Sequence[Groups], pair: Pair, labels: Sequence[tuple[int, bool]]
) -> Iterator[tuple[int, bool, bool]]:
    """Yield stretches of the connection in which neither label nor group changes: length, label, whether coupled."""
    first, last = begin_ns(truth), end_ns(truth)
    times = sorted({first, last, *(at for at, _ in labels), *(epoch.from_ns for epoch in epochs)})
    inside = [at for at in times if first <= at <= last]
    for at, until in itertools.pairwise(inside):
        label = [shared for since, shared in labels if since <= at][-1]
        yield until - at, label, [epoch for epoch in epochs if epoch.from_ns <= at][-1].coupled(pair)


def outcome(truth: Mapping[str, Any], record: Mapping[str, Any] | None, rival: int | None) -> Outcome:
    """Return the outcome of a run.

    Parameters
    ----------
    truth : mapping
        What the simulator measured, with a series.
    record : mapping, optional
        Groups over time; none if there is no source of verdicts.
    rival : int, optional
        Index of the background flow that competes with the connection.

    Returns
    -------
    Outcome
    """
    first = begin_ns(truth)
    lasted_s = (end_ns(truth) - first) / _NS_PER_S
    goodput = truth["connection"]["delivered_bytes"] * _MBIT_PER_BYTE / lasted_s
    beside = fairness = math.nan
    if rival is not None:
        series = [interval for interval in truth["series"]["intervals"] if interval["to_ns"] > first]
        over_s = (series[-1]["to_ns"] - series[0]["from_ns"]) / _NS_PER_S
        beside = sum(interval["background_bytes"][rival] for interval in series) * _MBIT_PER_BYTE / over_s
        fairness = jain([goodput, beside])
    if record is None:
        return Outcome(goodput, beside, fairness, *[math.nan] * 5)
    epochs, labels = _groups(record), _labels(truth)
    spans = [(pair, span) for pair, of_pair in labels.items() for span in _spans(truth, epochs, pair, of_pair)]
    whole = sum(length for _, (length, _, _) in spans)
    ends = [epochs[-1].coupled(pair) == of_pair[-1][1] for pair, of_pair in labels.items()]
    parted = [epoch.from_ns for epoch in epochs if not all(epoch.coupled(pair) for pair in labels)]
    return Outcome(
        goodput,
        beside,
        fairness,
        apart_share=sum(length for _, (length, _, coupled) in spans if not coupled) / whole,
        right_share=sum(length for _, (length, shared, coupled) in spans if shared == coupled) / whole,
        right_at_end=sum(ends) / len(ends),
        changes=len(epochs) - 1,
        first_apart_s=max(0, parted[0] - first) / _NS_PER_S if parted else math.inf,
    )


_SAID = {"shared": True, "apart": False}


def judged(truth: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each verdict of a source that judges windows or tiles, with the groups in force while it watched.

    A judgement of the accumulating default rests on tiles before its time; the groups in force at its time count.

    Parameters
    ----------
    truth : mapping
        What the simulator measured.
    record : mapping
        Groups and verdicts over time.

    Yields
    ------
    dict
        ``subflow_a``, ``subflow_b``, and ``decided_ns``, in nanoseconds; the verdict as ``said``, whether they share,
        None if it was left open; the truth as ``shared``, None if it changed while the window lasted; and ``in_force``:
        ``coupled``, ``apart``, or ``both`` if groups changed while the window lasted. Nothing for sources that do not
        judge windows, such as the baselines.
    """
    epochs, labels = _groups(record), _labels(truth)
    for judgement in record.get("judgements", record["verdicts"] if "decided" in record else ()):
        pair = (judgement["subflow_a"], judgement["subflow_b"])
        from_ns, to_ns = judgement.get("window_start_ns", judgement.get("decided_ns")), judgement.get("decided_ns")
        if to_ns is None:
            to_ns = from_ns + judgement["window_ns"]
        verdict = judgement["shared"] if "shared" in judgement else _SAID.get(judgement["said"])
        label = {shared for _, shared in _lasting(labels[pair], from_ns, to_ns)}
        force = {groups.coupled(pair) for _, groups in _lasting([(e.from_ns, e) for e in epochs], from_ns, to_ns)}
        yield {
            "subflow_a": pair[0],
            "subflow_b": pair[1],
            "decided_ns": to_ns,
            "said": verdict,
            "shared": label.pop() if len(label) == 1 else None,
            "in_force": BOTH if len(force) > 1 else COUPLED if force.pop() else APART,
        }


def _lasting(values: Sequence[tuple[int, Any]], from_ns: int, to_ns: int) -> list[tuple[int, Any]]:
    """Return what holds at some time in a window; a change at its very end is not in it."""
    before = [entry for entry in values if entry[0] <= from_ns][-1:] or [values[0]]
    return before + [entry for entry in values if from_ns < entry[0] < to_ns]


def switches(truth: Mapping[str, Any], record: Mapping[str, Any], largest_rtt_ms: float) -> Iterator[dict[str, Any]]:
    """Yield for each change of a pair's label how long its groups took to follow.

    Parameters
    ----------
    truth : mapping
        What the simulator measured.
    record : mapping
        Groups over time.
    largest_rtt_ms : float, milliseconds
        The largest base RTT of the subflows; T is 50 of these.

    Yields
    ------
    dict
        ``from_ns`` of the change, ``shared`` after it, ``held``: whether the groups were right already, and ``delay_s``
        and ``delay_windows`` (in T) until they are right: infinite if they are not before the next change.
    """
    epochs, last = _groups(record), end_ns(truth)
    window_s = WINDOW_RTTS * largest_rtt_ms * _NS_PER_MS / _NS_PER_S
    for pair, of_pair in _labels(truth).items():
        ends = [*(later for later, _ in of_pair[1:]), last]
        for (at, shared), until in list(zip(of_pair, ends, strict=True))[1:]:
            right = [max(epoch.from_ns, at) for epoch in _holding(epochs, at, until) if epoch.coupled(pair) == shared]
            delay_s = (right[0] - at) / _NS_PER_S if right else math.inf
            held = bool(right) and right[0] == at
            yield {
                "from_ns": at,
                "shared": shared,
                "held": held,
                "delay_s": delay_s,
                "delay_windows": delay_s / window_s,
            }


def _holding(epochs: Sequence[Groups], at: int, until: int) -> list[Groups]:
    """Return the groups that hold at a time, and those that follow up to another."""
    return [epoch for epoch in epochs if epoch.from_ns <= at][-1:] + [
        epoch for epoch in epochs if at < epoch.from_ns < until
    ]


def seconds(truth: Mapping[str, Any], rival: int | None) -> Iterator[dict[str, Any]]:
    """Yield the series of a run.

    Parameters
    ----------
    truth : mapping
        What the simulator measured, with a series.
    rival : int, optional
        Index of the background flow that competes with the connection.

    Yields
    ------
    dict
        ``from_s``, ``goodput_mbit_s`` and ``rival_mbit_s`` (nan without a rival), and ``groups``: how many the
        subflows are in.
    """
    for interval in truth["series"]["intervals"]:
        lasted_s = (interval["to_ns"] - interval["from_ns"]) / _NS_PER_S
        beside = math.nan if rival is None else interval["background_bytes"][rival] * _MBIT_PER_BYTE / lasted_s
        yield {
            "from_s": interval["from_ns"] / _NS_PER_S,
            "goodput_mbit_s": interval["delivered_bytes"] * _MBIT_PER_BYTE / lasted_s,
            "rival_mbit_s": beside,
            "groups": len({subflow["group"] for subflow in interval["subflows"]}),
        }
