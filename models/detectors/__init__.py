"""Detectors of shared bottlenecks, replayed on a sender's signals. A new one is one module and one line here."""

from contracts.fault import UsageFault
from models.detectors.c_mpbbr import C_MPBBR
from models.detectors.common_lag import COMMON_LAG
from models.detectors.correlation import CORRELATION
from models.detectors.detector import Detector, DetectorKind, Opinion, replayed
from models.detectors.dwc import DWC
from models.detectors.emptcp import EMPTCP
from models.detectors.lag_excess import LAG_EXCESS
from models.detectors.mptcp_sbd import MPTCP_SBD
from models.detectors.rfc8382 import RFC8382
from models.detectors.rubenstein import RUBENSTEIN
from models.detectors.svd import SVD
from models.detectors.ton20 import TON20
from models.detectors.trend_line import TREND_LINE
from models.detectors.wavelet import WAVELET

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
