"""Lag excess, ours: delays agree better at a possible lag than at impossible ones where a queue is shared. Evidence: T.

The statistic is in :mod:`features.lag_excess`, the rule in :mod:`models.lag_excess`. Unlike others this one takes
an opinion back: where the evidence lies between the thresholds, or does not allow a verdict, nothing is said of a pair.

This one keeps every sample, and judges anew whenever it is asked; its twin in C (``export/baselines/lag-excess.c``)
judges as the samples come.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Mapping
from operator import itemgetter

from features.series import SubflowSignals
from models.detectors.detector import Detector, DetectorKind, Handler
from models.detectors.event import Kind
from models.lag_excess import Rule, judgements
from models.partition import Pair, pairs_of, partition_of


class _Samples:
    """RTT samples of a subflow as they come."""

    def __init__(self) -> None:
        self.time_ns = array("q")
        self.rtt_us = array("q")

    def signals(self) -> SubflowSignals:
        return SubflowSignals.of_rtts(self.time_ns.tolist(), self.rtt_us.tolist())


class LagExcess(Detector):
    """Judges each pair of subflows by itself, at each half of a tile."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._samples: dict[int, _Samples] = {}

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples."""
        return {Kind.RTT: self._on_rtt}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._samples = {subflow_id: _Samples() for subflow_id in self.subflow_ids}

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self._samples[subflow_id].time_ns.append(time_ns)
        self._samples[subflow_id].rtt_us.append(value)

    def advance(self, time_ns: int) -> None:
        """Judge by all samples so far; a time is later than the last of them at most, which tells nothing."""
        signals = {subflow_id: samples.signals() for subflow_id, samples in self._samples.items()}
        said = sorted(
            (
                (one.decided_ns, pair, one.shared)
                for pair in pairs_of(self.subflow_ids)
                for one in judgements(signals[pair[0]], signals[pair[1]], self._rule)
            ),
            key=itemgetter(0),
        )
        self._partition = (None,) * len(self.subflow_ids)
        self._opinions = []
        verdicts: dict[Pair, bool | None] = {}
        for decided_ns, at_once in itertools.groupby(said, key=itemgetter(0)):
            verdicts.update({pair: shared for _, pair, shared in at_once})
            self._decide(decided_ns, partition_of(self.subflow_ids, verdicts))


LAG_EXCESS = DetectorKind(
    name="lag_excess",
    evidence="T",
    source="ours",
    build=LagExcess,
    presets={"default": Rule()},
)
