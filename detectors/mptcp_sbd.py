"""MPTCP-SBD (Ferlin et al., INFOCOM 2016): RFC 8382's statistics, decided over ten observations. Evidence: K, A.

The paper's full text was not at hand; thresholds and rules are those of public code: K1 a kernel module that names its
first author, K2 a Python script. K1 looks back over all finished intervals; here, as in K2, over fifty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from smartsbd.detectors.detector import DetectorKind
from smartsbd.detectors.partition import Pair, Partition, pairs_of, partition_of, shares
from smartsbd.detectors.rfc8382 import Summary, SummaryStatistics, Thresholds, grouped


@dataclass(frozen=True)
class Merging(Thresholds):
    """Thresholds of the observations, one for each interval (defaults: K2), and how observations become decisions.

    Attributes
    ----------
    observations : int
        How many are merged: 10 of 350 ms.
    together : float
        Share of them in which two flows must be together to be so decided; and in which a flow must not be at a
        bottleneck to be taken out.
    every : int
        Observations from one decision to the next: 1 decides on the last ten at any time, 10 is the kernel's.
    """

    m: int = 50
    f: int | None = None
    c_s: float = -0.01
    loss_difference: Literal["relative", "absolute"] = "absolute"
    loss_step: Literal["after", "instead"] = "instead"
    loss_from: Literal["above", "p_l"] = "p_l"
    # SmartSBD evaluates it without the bottleneck test, on the last ten observations of a sample (its section 5.1).
    bottleneck_test: bool = False
    noise: Literal["kept", "removed", "rfc_literal"] = "kept"
    frequency_over: Literal["ring", "nonempty"] = "nonempty"
    observations: int = 10
    together: float = 0.5
    every: int = 1


def merged(
    observations: Sequence[tuple[Partition, Sequence[bool]]], subflow_ids: Sequence[int], share: float
) -> Partition:
    """Merge observations: pairs that are together in at least a share of them; flows mostly uncongested are alone.

    Parameters
    ----------
    observations : sequence of (Partition, sequence of bool)
        Groups of the flows, and which of them were deemed at a bottleneck.
    subflow_ids : sequence of int
    share : float

    Returns
    -------
    Partition
        Group of each flow, in the order of `subflow_ids`.

    Examples
    --------
    >>> merged([((0, 0), (True, True)), ((0, 1), (True, True))], [3, 4], 0.5)
    (0, 0)
    """
    least = share * len(observations)
    place = {subflow_id: number for number, subflow_id in enumerate(subflow_ids)}
    out = {
        subflow_id
        for subflow_id in subflow_ids
        if sum(not congested[place[subflow_id]] for _, congested in observations) >= least
    }
    verdicts: dict[Pair, bool | None] = {
        (a, b): not {a, b} & out
        and sum(shares(groups, place[a], place[b]) is True for groups, _ in observations) >= least
        for a, b in pairs_of(subflow_ids)
    }
    return partition_of(subflow_ids, verdicts)


class MptcpSbd(SummaryStatistics):
    """Decides over the last observations."""

    def __init__(self, merging: Merging) -> None:
        super().__init__(merging)
        self._merging = merging
        self._observations: deque[tuple[Partition, Sequence[bool]]] = deque()
        self._fresh = 0

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._observations = deque(maxlen=self._merging.observations)
        self._fresh = 0

    def _observe(self, end_ns: int, flows: Sequence[Summary]) -> None:
        groups = grouped(flows, self._thresholds)
        self._observations.append((groups, [flow.at_bottleneck for flow in flows]))
        self._fresh += 1
        if len(self._observations) == self._merging.observations and self._fresh >= self._merging.every:
            self._fresh = 0
            self._decide(end_ns, merged(self._observations, self.subflow_ids, self._merging.together))


MPTCP_SBD = DetectorKind(
    name="mptcp-sbd",
    evidence="K, A",
    source="Ferlin et al., INFOCOM 2016; public code",
    build=MptcpSbd,
    presets={
        "default": Merging(),
        "kernel": Merging(bottleneck_test=True, p_s=0.1, loss_difference="relative", every=10),
        "owd": Merging(delay="owd"),
    },
)
