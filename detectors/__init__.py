"""Detectors of shared bottlenecks, replayed on a sender's signals. A new one is one module and one line here."""

from collections.abc import Callable
from typing import Any

from smartsbd.contracts.fault import UsageFault
from smartsbd.detectors.c_mpbbr import C_MPBBR
from smartsbd.detectors.correlation import CORRELATION
from smartsbd.detectors.delay_judge import DelayJudge
from smartsbd.detectors.detector import Detector, DetectorKind, Opinion, replayed
from smartsbd.detectors.dwc import DWC
from smartsbd.detectors.emptcp import EMPTCP
from smartsbd.detectors.lag_excess import LAG_EXCESS
from smartsbd.detectors.lag_excess_judge import LagExcessJudge
from smartsbd.detectors.mptcp_sbd import MPTCP_SBD
from smartsbd.detectors.pair_opinion import Judge
from smartsbd.detectors.replayed_judge import ReplayedJudge
from smartsbd.detectors.rfc8382 import RFC8382
from smartsbd.detectors.rubenstein import RUBENSTEIN
from smartsbd.detectors.svd import SVD
from smartsbd.detectors.ton20 import TON20
from smartsbd.detectors.trend_line import TREND_LINE
from smartsbd.detectors.verdict.common_lag import COMMON_LAG
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.detectors.wavelet import WAVELET
from smartsbd.features.reading import Reading

__all__ = ["DETECTORS", "Detector", "DetectorKind", "Opinion", "detector_judge", "detector_of", "replayed"]

DETECTORS: dict[str, DetectorKind] = {
    kind.name: kind
    for kind in (
        RFC8382,
        MPTCP_SBD,
        CORRELATION,
        DWC,
        TON20,
        EMPTCP,
        TREND_LINE,
        RUBENSTEIN,
        WAVELET,
        SVD,
        C_MPBBR,
        LAG_EXCESS,
        COMMON_LAG,
    )
}


#: What judges recordings for a detector, where it is not replayed event by event.
_DELAY_JUDGES: dict[str, Callable[[Any, Reading], DelayJudge]] = {
    COMMON_LAG.name: CommonLagJudge,
    LAG_EXCESS.name: LagExcessJudge,
}


class UnknownDetectorError(UsageFault):
    """A detector or parameter set that is not registered."""


def detector_of(name: str) -> tuple[DetectorKind, str]:
    """Return a detector and the name of its parameter set, by ``detector`` or ``detector/preset``.

    Returns
    -------
    (DetectorKind, str)
        The preset is the default one if the name has none.

    Raises
    ------
    UnknownDetectorError
        If there is none of that name.
    """
    wanted, _, preset = name.partition("/")
    if wanted not in DETECTORS:
        raise UnknownDetectorError(f"detector {wanted!r} is unknown, known are {sorted(DETECTORS)}")
    kind = DETECTORS[wanted]
    if preset and preset not in kind.presets:
        raise UnknownDetectorError(f"preset {preset!r} of {wanted} is unknown, known are {sorted(kind.presets)}")
    return kind, preset or kind.default


def detector_judge(name: str, reading: Reading) -> Judge:
    """Return a detector as a judge of recordings, by ``detector`` or ``detector/preset``.

    Parameters
    ----------
    name : str
    reading : Reading

    Returns
    -------
    Judge
        The detector, replayed, or a judge of delays with its parameters.

    Raises
    ------
    UnknownDetectorError
        If there is none of that name.
    """
    kind, preset = detector_of(name)
    parameters = kind.presets[preset]
    delay_judge = _DELAY_JUDGES.get(kind.name)
    return ReplayedJudge(kind.build(parameters)) if delay_judge is None else delay_judge(parameters, reading)
