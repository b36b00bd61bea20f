"""Detectors of shared bottlenecks, replayed on a sender's signals. A new one is one module and one line here."""

from smartsbd.contracts.fault import UsageFault
from smartsbd.detectors.c_mpbbr import C_MPBBR
from smartsbd.detectors.correlation import CORRELATION
from smartsbd.detectors.detector import Detector, DetectorKind, Opinion, replayed
from smartsbd.detectors.dwc import DWC
from smartsbd.detectors.emptcp import EMPTCP
from smartsbd.detectors.lag_excess import LAG_EXCESS
from smartsbd.detectors.mptcp_sbd import MPTCP_SBD
from smartsbd.detectors.rfc8382 import RFC8382
from smartsbd.detectors.rubenstein import RUBENSTEIN
from smartsbd.detectors.svd import SVD
from smartsbd.detectors.ton20 import TON20
from smartsbd.detectors.trend_line import TREND_LINE
from smartsbd.detectors.verdict.common_lag import COMMON_LAG
from smartsbd.detectors.wavelet import WAVELET

__all__ = ["DETECTORS", "Detector", "DetectorKind", "Opinion", "detector_of", "replayed"]

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
