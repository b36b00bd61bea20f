"""RTT samples of a path as arrays of seconds: checked, and as the integers that are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import InputFault, printable

if TYPE_CHECKING:
    from smartsbd.features.fixed import Int64Array
    from smartsbd.features.series import SubflowSignals

Seconds = npt.NDArray[np.float64]

_NS_PER_S = 1e9
_US_PER_S = 1e6
#: As for every input (traces/assembly.py): times are added to later on; an RTT is stored in 32 bits.
MAX_SPAN_NS = 2**62
MIN_RTT_US, MAX_RTT_US = 1, 2**31 - 1


class SamplesError(InputFault, ValueError):
    """Arrays that are not the RTT samples of a path."""


@dataclass(frozen=True)
class PathSamples:
    """RTT samples of a path, in time order.

    Attributes
    ----------
    name : str
        What messages call the times.
    times_s : (n,) float64, seconds
    rtt_us : (n,) int64, microseconds
    """

    name: str
    times_s: Seconds
    rtt_us: Int64Array

    @classmethod
    def of(
        cls, times_s: npt.ArrayLike, rtts_s: npt.ArrayLike, *, times_name: str = "times_s", rtts_name: str = "rtts_s"
    ) -> PathSamples:
        """Check the samples of a caller; all are taken, or none.

        Parameters
        ----------
        times_s, rtts_s : (n,) array of numbers, seconds
            When each sample was taken, in order, and the RTT. It is rounded to microseconds.
        times_name, rtts_name : str
            What messages call them.

        Returns
        -------
        PathSamples
            All n samples.

        Raises
        ------
        SamplesError
            If they are no numbers or not finite, of two lengths, not in order, or an RTT is not from 1 us to 2147 s.

        Examples
        --------
        >>> PathSamples.of([0, 0.5], [0.02, 0.0213]).rtt_us.tolist()
        [20000, 21300]
        >>> PathSamples.of([0, 0.5], [0.02, float("nan")])
        Traceback (most recent call last):
        smartsbd.samples.SamplesError: rtts_s[1] is nan: every value is a finite number
        """
        times, rtts = _numbers(times_s, times_name), _numbers(rtts_s, rtts_name)
        if times.size != rtts.size:
            lengths = f"{times_name} has {times.size} values and {rtts_name} has {rtts.size}"
            raise SamplesError(f"{printable(lengths)}: every sample is one of each")
        earlier = np.append(False, times[1:] < times[:-1])[: times.size]
        _refuse(times_name, times, earlier, "times ascend, and this one is before the last")
        with np.errstate(over="ignore"):  # infinite is too long
            rounded_us = np.rint(rtts * _US_PER_S)
        outside = (rounded_us < MIN_RTT_US) | (rounded_us > MAX_RTT_US)
        _refuse(rtts_name, rtts, outside, f"an RTT is from {MIN_RTT_US / _US_PER_S:g} to {MAX_RTT_US / _US_PER_S:g} s")
        return cls(times_name, times, rounded_us.astype(np.int64))

    def signals(self, origin_s: float) -> SubflowSignals:
        """Return them as a subflow's signals, with times in nanoseconds since `origin_s`, which is no later.

        Returns
        -------
        SubflowSignals
            RTTs alone, in microseconds.

        Raises
        ------
        SamplesError
            If the last is more than 2^62 ns later, which is 146 years.
        """
        from smartsbd.features.series import SubflowSignals

        with np.errstate(over="ignore"):  # infinite is too late
            since_ns = np.rint((self.times_s - origin_s) * _NS_PER_S)
        late = since_ns > MAX_SPAN_NS
        _refuse(self.name, self.times_s, late, f"times are no more than {MAX_SPAN_NS / _NS_PER_S:.3g} s apart")
        return SubflowSignals.of_rtts(since_ns.astype(np.int64), self.rtt_us)


def origin_s(*paths: PathSamples) -> float:
    """Return the first time of all samples of some paths, 0 if there is none."""
    return min((float(path.times_s[0]) for path in paths if path.times_s.size), default=0.0)


def _numbers(values: npt.ArrayLike, name: str) -> Seconds:
    """Return finite numbers as an array of one dimension."""
    try:
        given = np.asanyarray(values)
    except (TypeError, ValueError) as error:
        raise SamplesError(f"{printable(name)} is no array of numbers: {error}") from error
    if given.dtype.kind not in "iuf":
        raise SamplesError(f"{printable(name)} is of type {given.dtype}: numbers of seconds are needed")
    if given.ndim != 1:
        raise SamplesError(f"{printable(name)} has {given.ndim} dimensions: one is needed")
    if np.ma.is_masked(given):
        raise SamplesError(f"{printable(name)} has masked values: leave those samples out of both arrays")
    numbers = np.asarray(given, dtype=np.float64)
    _refuse(name, numbers, ~np.isfinite(numbers), "every value is a finite number")
    return numbers


def _refuse(name: str, values: Seconds, wrong: npt.NDArray[np.bool_], why: str) -> None:
    """Raise an error that shows the first of the wrong values and counts the others."""
    (places,) = np.nonzero(wrong)
    if places.size:
        more = f", as are {places.size - 1} more" if places.size > 1 else ""
        raise SamplesError(printable(f"{name}[{places[0]}] is {values[places[0]]:.10g}{more}: {why}"))
