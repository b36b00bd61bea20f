"""The RTT as a sender smooths it, in the kernel's integers."""

from __future__ import annotations

#: Nanoseconds of an eighth of a microsecond, the unit of the smoothed RTT.
NS_PER_EIGHTH_US = 125


def smoothed(srtt_eighth_us: int, rtt_us: int) -> int:
    """Return the smoothed RTT after one more sample, in eighths of a microsecond as the kernel keeps it.

    The weight of a sample is 1/8; the first one is taken as it is.

    Parameters
    ----------
    srtt_eighth_us : int
        Before the sample; 0 before the first.
    rtt_us : int
        The sample, at least 1.

    Returns
    -------
    int, eighths of a microsecond
        Rounded as the kernel rounds it.

    Examples
    --------
    >>> smoothed(0, 100) / 8
    100.0
    >>> smoothed(800, 180) / 8
    110.0

    References
    ----------
    Linux, tcp_rtt_estimator.
    """
    if not srtt_eighth_us:
        return rtt_us << 3
    return srtt_eighth_us - (srtt_eighth_us >> 3) + rtt_us
