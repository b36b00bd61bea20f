"""How SmartSBD is read where its text leaves a choice; docs/ambiguities.md has the reasons.

The defaults are the definition of every feature that is exported; any other reading is for
comparing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field


class Reading(BaseModel):
    """One choice for each question about signals, windows and the paper's features.

    Attributes
    ----------
    trigger : str
        Where a triggered window starts (1): the ``later`` or the ``earlier`` of the first two entries into
        congestion within T of each other; the end of the ``tile`` of length T that holds both; or, whatever
        their distance, once both subflows have been congested (``any``).
    triggered_windows : str
        The ``first`` only, or ``all`` that do not overlap (2).
    min_rtt : str
        Over the samples up to the window's start (``causal``), of the ``whole`` trace, or of the last
        300 s up to the start as the kernel's filter (``kernel``) (3).
    first_congestion : str
        Whether each subflow's first entry into congestion, the end of its initial slow start, can trigger
        a window: ``counts`` or ``skipped`` (4).
    cwr : str
        A grid point in CWR is ``uncongested`` or ``congested``; ``ignored`` keeps the state before (5).
    rtt_while_congested : str
        RTT samples taken in Recovery or Loss are ``kept`` or ``dropped`` (6).
    rtt : str
        The samples themselves (``raw``) or their smoothed value (``srtt``) (7).
    rate_weight : float
        Weight of a new throughput sample in the moving average (8).
    rate_tau_s : float or None
        If given, the weight is 1 - exp(-dt / rate_tau_s) instead: an average over time, not ACKs (8).
    acked : str
        Throughput counts the bytes acknowledged on the ``subflow``, or, at its ACKs, at the data level
        (``meta``) (9).
    distance : str
        ED and DTWD over the window (``total``) or divided by the root of n (``per_point``) (10).
    dtw : str
        Steps of weight 1 and squared costs (``squared``); the sum of absolute ones (``l1``); weight 2 on
        the diagonal, divided by the lengths (``symmetric2``); a Sakoe-Chiba ``band`` of 10 % (11).
    units : str
        Seconds, Mbit/s and 0 or 1 (``s``); milliseconds (``ms``); each series as ``z_score``; both series
        scaled to 0..1 together (``min_max``) (12).
    zero_deviation : str
        A ratio over a constant series is the cap, and 1 of two constant ones (``capped``); a deviation of a
        thousand-millionth takes the constant one's place, so that 0/0 is 0 (``epsilon``); ratios become
        logarithms, clipped at +-7 and shifted to be positive (``log``); or the window is not used
        (``rejected``) (13).
    denominator : str
        The subflow with the lower minimum RTT (``lower_min_rtt``) or the one on ``wifi`` (14).
    gap : str
        RTTs across a gap of more than ten steps are ``linear``, ``held`` at the last sample, or the window
        is ``rejected`` (18).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    trigger: Literal["later", "earlier", "tile", "any"] = "later"
    triggered_windows: Literal["first", "all"] = "first"
    min_rtt: Literal["causal", "whole", "kernel"] = "causal"
    first_congestion: Literal["counts", "skipped"] = "counts"
    cwr: Literal["uncongested", "congested", "ignored"] = "uncongested"
    rtt_while_congested: Literal["kept", "dropped"] = "kept"
    rtt: Literal["raw", "srtt"] = "raw"
    rate_weight: float = Field(default=0.125, gt=0, le=1)
    rate_tau_s: float | None = Field(default=None, gt=0)
    acked: Literal["subflow", "meta"] = "subflow"
    distance: Literal["total", "per_point"] = "total"
    dtw: Literal["squared", "l1", "symmetric2", "band"] = "squared"
    units: Literal["s", "ms", "z_score", "min_max"] = "s"
    zero_deviation: Literal["capped", "epsilon", "log", "rejected"] = "capped"
    denominator: Literal["lower_min_rtt", "wifi"] = "lower_min_rtt"
    gap: Literal["linear", "held", "rejected"] = "linear"

    def of_signals(self) -> Reading:
        """Return the reading with only its choices about signals: where these are equal, so are the signals."""
        return Reading.model_validate({name: getattr(self, name) for name in _SIGNAL_CHOICES})

    def of_placed(self) -> Reading:
        """Return the reading without its choices of where windows lie and which to refuse.

        Where these are equal, so are the features of a window, once it has its place.

        Returns
        -------
        Reading

        Examples
        --------
        >>> Reading(trigger="any", gap="rejected", units="ms").of_placed() == Reading(units="ms")
        True
        """
        chosen = {name: value for name, value in self if name not in _PLACE_CHOICES and value != "rejected"}
        return Reading.model_validate(chosen)


_SIGNAL_CHOICES = ("cwr", "rtt_while_congested", "rtt", "rate_weight", "rate_tau_s", "acked")
_PLACE_CHOICES = ("trigger", "triggered_windows", "min_rtt", "first_congestion")

#: Number of the question each field answers (docs/ambiguities.md).
QUESTIONS = {
    "trigger": 1,
    "triggered_windows": 2,
    "min_rtt": 3,
    "first_congestion": 4,
    "cwr": 5,
    "rtt_while_congested": 6,
    "rtt": 7,
    "rate_weight": 8,
    "rate_tau_s": 8,
    "acked": 9,
    "distance": 10,
    "dtw": 11,
    "units": 12,
    "zero_deviation": 13,
    "denominator": 14,
    "gap": 18,
}

#: The reading every exported feature is defined by.
DEFAULT = Reading()


def alternatives(*, rate_weights: Sequence[float], rate_taus_s: Sequence[float]) -> dict[tuple[str, Any], Reading]:
    """Return every reading that differs from the default in one choice, by field and value.

    Parameters
    ----------
    rate_weights, rate_taus_s : sequence of float
        Values to take for the two fields that are numbers.

    Returns
    -------
    dict of (str, value) to Reading

    Examples
    --------
    >>> [value for field, value in alternatives(rate_weights=[], rate_taus_s=[]) if field == "cwr"]
    ['congested', 'ignored']
    """
    numbers = {"rate_weight": tuple(rate_weights), "rate_tau_s": tuple(rate_taus_s)}
    by_choice = {}
    for name, field in Reading.model_fields.items():
        for value in numbers.get(name) or get_args(field.annotation):
            if name not in numbers or value in numbers[name]:
                by_choice[name, value] = Reading.model_validate({name: value})
        by_choice.pop((name, field.default), None)
    return by_choice
