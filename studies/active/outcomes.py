"""What came of a network: what each test said of its pairs, and what its runs came to."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from smartsbd.detectors.active.dithered_pair import OWN_Q8
from smartsbd.detectors.judges import detector_judge
from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.features.connection_pairs import signals
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.closed_loop import run_outcome
from smartsbd.scenarios.closed_loop.loop_program import Looped
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS, Control
from smartsbd.scenarios.closed_loop.unkept_run import run_once
from smartsbd.scenarios.scenario import Scenario
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from studies.active import forged
from studies.active.networks import ActiveNetwork

PLAIN, DITHERED, SWITCHED, CHECKED = "lia", "dithered", "common_lag", "checked"
_OF_LIA = {"of": "lia"}
#: What each network is run under. While windows move all the time, no verdict holds, so that subflows stay coupled.
RUN_UNDER: Mapping[str, Control] = {
    PLAIN: CONTROLS["lia"],
    "reno": CONTROLS["reno"],
    DITHERED: Control("dither", _OF_LIA, "active", {"hold_windows": 0}),
    SWITCHED: CONTROLS["common_lag"],
    CHECKED: Control("dither", _OF_LIA, "checked"),
}
#: Detectors that only watch: of plain runs, and of dithered ones.
WATCHING = {PLAIN: ("common-lag", "lag-excess", "rubenstein-r", "wavelet"), DITHERED: ("common-lag", "lag-excess")}
_LLR_UNIT = 6400
_MOST_LLR = 5.0
_BAND = 0.5
_SAID = {"shared": True, "apart": False}
#: What became of a check, by the simulator's word; of several checks of a pair the one that comes first here counts.
_OUTCOMES = {"vetoed": "vetoed", "confirmed": "confirmed", "undecided": "undecided", "none": "withdrawn"}
#: A check that had not ended when the run did, and where there was none.
RUNNING, NO_CHECK = "running", "no check"
OUTCOMES = (*_OUTCOMES.values(), RUNNING)
_FORGED_SET = "same"


def _connection(events: bytes) -> Connection:
    with tempfile.NamedTemporaryFile(prefix="sbd-", suffix=".log") as log:
        log.write(events)
        log.flush()
        return recording.only_connection([Path(log.name)], Dialect())


def _last(opinions: Iterator[PairOpinion]) -> dict[tuple[int, int], PairOpinion]:
    """Return the last opinion with a verdict on each pair, or the last one."""
    last: dict[tuple[int, int], PairOpinion] = {}
    for opinion in opinions:
        pair = (opinion.subflow_a, opinion.subflow_b)
        if opinion.shared is not None or pair not in last or last[pair].shared is None:
            last[pair] = opinion
    return last


def _settings(network: ActiveNetwork, plain: Looped) -> dict[str, Any]:
    """Return what a network is like, as far as tables tell networks apart by it."""
    scenario = network.scenario
    rtts_ms = [subflow.rtt_ms for subflow in scenario.subflows]
    mean_rtt_ms = sum(rtts_ms) / len(rtts_ms)
    queues = [link.queue_bytes / (125 * link.rate_at_mbit_s(0) * mean_rtt_ms) for link in scenario.links]
    application = scenario.connection.application
    return {
        "rivals": len(scenario.background) / len(scenario.links),
        "application": "bulk" if application is None else application.kind,
        "rtt_ratio": round(max(rtts_ms) / min(rtts_ms), 3),
        "loss": max(subflow.access.loss for subflow in scenario.subflows),
        "access": "+".join(sorted({subflow.path for subflow in scenario.subflows})),
        "queue_products": round(min(queues), 3),
        "used": round(min(link["utilisation"] for link in plain.truth["links"]), 4),
    }


def _of_active(record: Mapping[str, Any], pair: tuple[int, int]) -> dict[str, Any]:
    """Return what the check said of a pair: the first verdict with its time, whether it ever was "shared", the last."""

    def is_of(row: Mapping[str, Any]) -> bool:
        return (row["subflow_a"], row["subflow_b"]) == pair

    begun = next(filter(is_of, record["begun"]), None)
    judgements = list(filter(is_of, record["active"]))
    verdicts = [judgement for judgement in judgements if judgement["said"] in _SAID]
    row: dict[str, Any] = {"active_first": None, "active_ever_shared": False, "active": None, "active_symbols": 0}
    row |= {"active_m": math.nan, "active_s": math.nan, "active_llr": 0.0, "m_ms": math.nan}
    if begun is None or not judgements:
        return row
    row |= {"m_ms": begun["m_us"] / 1e3, "active_symbols": judgements[-1]["symbols"]}
    if judgements[-1]["own_q8"] >= OWN_Q8:
        row["active_llr"] = round(judgements[-1]["llr"] / _LLR_UNIT, 3)
    if verdicts:
        after_ns = verdicts[0]["decided_ns"] - begun["from_ns"]
        row |= {
            "active_first": _SAID[verdicts[0]["said"]],
            "active_ever_shared": any(verdict["said"] == "shared" for verdict in verdicts),
            "active": _SAID[verdicts[-1]["said"]],
            "active_m": round(after_ns / begun["m_us"] / 1e3, 1),
            "active_s": round(after_ns / 1e9, 2),
        }
    return row


def fused(score: float | None, llr: float) -> bool | None:
    """Return what the common lag and the check say together.

    Parameters
    ----------
    score : float or None
        The common lag's, the logarithm of the odds that a pair shares.
    llr : float
        The check's: how much likelier its own response is than none.

    Returns
    -------
    bool or None
        None within half a unit of even odds.

    Examples
    --------
    >>> fused(3.0, -5.0), fused(None, 2.0), fused(4.0, -3.8)
    (False, True, None)
    """
    odds = (score or 0.0) + max(-_MOST_LLR, min(_MOST_LLR, llr))
    return None if abs(odds) <= _BAND else odds > 0


def _of_checks(record: Mapping[str, Any], pair: tuple[int, int], subflows: int) -> dict[str, Any]:
    """Return what became of the checks of a pair, and for how long windows moved for those that ended."""
    pairs = [(a, b) for a in range(subflows) for b in range(a + 1, subflows)]
    ended = [check for check in record["checks"] if pairs[check["pair"]] == pair]
    outcomes = {_OUTCOMES[check["outcome"]] for check in ended}
    begun = sum((row["subflow_a"], row["subflow_b"]) == pair for row in record["begun"])
    if begun > len(ended):
        outcomes.add(RUNNING)
    return {
        "check": next((outcome for outcome in (*_OUTCOMES.values(), RUNNING) if outcome in outcomes), NO_CHECK),
        "checked_s": round(sum(check["to_ns"] - check["from_ns"] for check in ended) / 1e9, 2),
    }


def _forged(record: Mapping[str, Any], x: SubflowSignals, y: SubflowSignals, *, shared: bool) -> dict[str, Any]:
    changed = forged.hidden(x, y) if shared else forged.copied(x, y)
    return {
        "replayed": forged.verdict(record, x, y).name.lower(),
        "forged": forged.verdict(record, x, changed).name.lower(),
    }


def of_pairs(network: ActiveNetwork, runs: Mapping[str, Looped]) -> Iterator[dict[str, Any]]:
    """Yield what each test said of each pair.

    Parameters
    ----------
    network : ActiveNetwork
        Whose labels do not change.
    runs : mapping of str to Looped
        By what they were run under.

    Yields
    ------
    dict
    """
    connections = {name: _connection(runs[name].events) for name in WATCHING}
    last = {
        (name, detector): _last(detector_judge(detector, Reading()).opinions(connections[name]))
        for name, detectors in WATCHING.items()
        for detector in detectors
    }
    records = {name: runs[name].verdicts or {} for name in (DITHERED, SWITCHED, CHECKED)}
    settings = _settings(network, runs[PLAIN])
    for label in runs[PLAIN].truth["pairs"]:
        pair = (label["subflow_a"], label["subflow_b"])
        row: dict[str, Any] = {"set": network.set, "number": network.number, "subflows": f"{pair[0]} {pair[1]}"}
        row |= {"shared": label["shared"], **settings}
        for (name, detector), opinions in last.items():
            opinion = opinions.get(pair)
            row[f"{name} {detector}"] = None if opinion is None else opinion.shared
            if detector == "common-lag":
                row[f"{name} score"] = None if opinion is None else opinion.score
        row |= _of_active(records[DITHERED], pair)
        row["fused"] = fused(row[f"{DITHERED} score"], row["active_llr"])
        row |= _of_checks(records[CHECKED], pair, len(network.scenario.subflows))
        for name in (SWITCHED, CHECKED):
            ended = run_outcome.outcome(runs[name].truth, records[name], None)
            row[f"{name} apart"] = round(ended.apart_share, 3)
        if network.set == _FORGED_SET and len(records[DITHERED]["begun"]) == 1:
            x, y = (signals(connections[DITHERED], Reading())[subflow] for subflow in pair)
            row |= _forged(records[DITHERED], x, y, shared=label["shared"])
        yield row


def _of_run(looped: Looped, scenario: Scenario) -> dict[str, Any]:
    truth = looped.truth
    outcome = run_outcome.outcome(truth, looped.verdicts, None)
    rivals = [
        run_outcome.outcome(truth, None, place).rival_mbit_s
        for place, flow in enumerate(scenario.background)
        if flow.rate_mbit_s is None
    ]
    intervals = truth["series"]["intervals"]
    srtts_ms = [row["srtt_us"] / 1e3 for interval in intervals for row in interval["subflows"] if row["srtt_us"]]
    phases = [phase for subflow in truth["subflows"] for phase in subflow["phases"]]
    drops = sum(phase["drops_at_bottleneck"] + phase["drops_elsewhere"] for phase in phases)
    packets = sum(subflow["acked_bytes"] for subflow in truth["subflows"]) / scenario.connection.mss_bytes
    return {
        "goodput_mbit_s": round(outcome.goodput_mbit_s, 4),
        "rivals_mbit_s": round(sum(rivals), 4) if rivals else math.nan,
        "drops_share": round(drops / (packets + drops), 6) if packets + drops else math.nan,
        "srtt_ms": round(sum(srtts_ms) / len(srtts_ms), 2) if srtts_ms else math.nan,
        "apart_share": round(outcome.apart_share, 4),
    }


def of_runs(network: ActiveNetwork, runs: Mapping[str, Looped]) -> Iterator[dict[str, Any]]:
    """Yield what each run came to.

    Parameters
    ----------
    network : ActiveNetwork
    runs : mapping of str to Looped
        By what they were run under.

    Yields
    ------
    dict
    """
    settings = _settings(network, runs[PLAIN])
    labels = {label["shared"] for label in runs[PLAIN].truth["pairs"]}
    shared = labels.pop() if len(labels) == 1 else None
    for name, looped in runs.items():
        row = {"set": network.set, "number": network.number, "shared": shared, "control": name}
        yield row | settings | _of_run(looped, network.scenario)


def of_moves(network: ActiveNetwork, runs: Mapping[str, Looped]) -> Iterator[dict[str, Any]]:
    """Yield how long groups took to follow each change of a label.

    Parameters
    ----------
    network : ActiveNetwork
        Whose labels change.
    runs : mapping of str to Looped

    Yields
    ------
    dict
        As :func:`run_outcome.switches` has them, and ``right_at_end`` of the phase.
    """
    largest_ms = max(subflow.rtt_ms for subflow in network.scenario.subflows)
    for name in (SWITCHED, CHECKED):
        truth, record = runs[name].truth, runs[name].verdicts or {"groups": []}
        changes = list(run_outcome.switches(truth, record, largest_ms))
        ends = [*(change["from_ns"] for change in changes[1:]), run_outcome.end_ns(truth)]
        for change, end_ns in zip(changes, ends, strict=True):
            *_, (first, second) = [row["groups"] for row in record["groups"] if row["from_ns"] < end_ns]
            row = {"set": network.set, "number": network.number, "control": name, **change}
            yield row | {"right_at_end": (first == second) == change["shared"]}


def run_all(network: ActiveNetwork, program: Path) -> dict[str, Looped]:
    """Run a network under everything that it is run under.

    Parameters
    ----------
    network : ActiveNetwork
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    dict of str to Looped

    Raises
    ------
    SimulatorError
        If a run failed.
    """
    return {name: run_once(control.applied(network.scenario), program) for name, control in RUN_UNDER.items()}
