"""RTT samples of a path as arrays of seconds: checked, and as the integers that are judged.

Times may be dates, which are then seconds since 1970 in UTC, and RTTs may be durations. What is not a number (NaN, NaT,
pandas' NA, a masked value) is refused, or is left out and counted: the caller says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import InputFault, printable

if TYPE_CHECKING:
    from smartsbd.features.fixed import Int64Array
    from smartsbd.features.series import SubflowSignals

Seconds = npt.NDArray[np.float64]
#: What is done with a sample whose time or RTT is not a number.
NanPolicy = Literal["raise", "omit"]
NAN_POLICIES: tuple[NanPolicy, ...] = ("raise", "omit")
#: Dates without a time zone, which are taken as UTC, and dates with one.
NAIVE, AWARE = "dates without a time zone", "dates with a time zone"

_NS_PER_S = 1e9
_US_PER_S = 1e6
#: As for every input (traces/assembly.py): times are added to later on; an RTT is stored in 32 bits.
MAX_SPAN_NS = 2**62
#: What 64 bits of nanoseconds hold.
_MOST_DATE_S = 9_223_372_036
MIN_RTT_US, MAX_RTT_US = 1, 2**31 - 1


_FINITE = "every value is a finite number"


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
        Since 1970 in UTC where they were dates.
    rtt_us : (n,) int64, microseconds
    dates : str or None
        :data:`NAIVE` or :data:`AWARE` where the times were dates.
    omitted : int
        Samples that were left out, because their time or RTT is not a number.
    """

    name: str
    times_s: Seconds
    rtt_us: Int64Array
    dates: str | None = None
    omitted: int = 0

    @classmethod
    def of(
        cls,
        times_s: npt.ArrayLike,
        rtts_s: npt.ArrayLike,
        *,
        times_name: str = "times_s",
        rtts_name: str = "rtts_s",
        nan_policy: NanPolicy = "raise",
    ) -> PathSamples:
        """Check the samples of a caller; all are taken, or none.

        Parameters
        ----------
        times_s, rtts_s : (n,) array of numbers, seconds
            When each sample was taken, in order, and the RTT. It is rounded to microseconds. Times may be dates, and
            both may be durations.
        times_name, rtts_name : str
            What messages call them.
        nan_policy : str
            Whether a sample that is not a number is refused (``raise``) or left out and counted (``omit``).

        Returns
        -------
        PathSamples
            All n samples, except what was left out.

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
        >>> PathSamples.of([0, 0.5], [0.02, float("nan")], nan_policy="omit").omitted
        1
        """
        if nan_policy not in NAN_POLICIES:
            raise SamplesError(f"nan_policy is {printable(repr(nan_policy))}: it is one of {list(NAN_POLICIES)}")
        times, dates = _seconds(times_s, times_name, nan_policy)
        rtts, rtts_are = _seconds(rtts_s, rtts_name, nan_policy)
        if times.size != rtts.size:
            lengths = f"{times_name} has {times.size} values and {rtts_name} has {rtts.size}"
            raise SamplesError(f"{printable(lengths)}: every sample is one of each")
        taken = ~(np.isnan(times) | np.isnan(rtts)) if nan_policy == "omit" else np.ones(times.size, dtype=np.bool_)
        _refuse(times_name, times, taken & ~np.isfinite(times), _FINITE)
        if rtts_are is not None:
            raise SamplesError(f"{printable(rtts_name)} are {rtts_are}: numbers of seconds, or durations, are needed")
        _refuse(rtts_name, rtts, taken & ~np.isfinite(rtts), _FINITE)
        places = np.flatnonzero(taken)
        times, omitted = times[taken], int(times.size - places.size)
        rtts = rtts[taken]
        earlier = np.append(False, times[1:] < times[:-1])[: times.size]
        _refuse(times_name, times, earlier, "times ascend, and this one is before the last", places)
        with np.errstate(over="ignore"):  # infinite is too long
            rounded_us = np.rint(rtts * _US_PER_S)
        outside = (rounded_us < MIN_RTT_US) | (rounded_us > MAX_RTT_US)
        bounds = f"an RTT is from {MIN_RTT_US / _US_PER_S:g} to {MAX_RTT_US / _US_PER_S:g} s"
        _refuse(rtts_name, rtts, outside, bounds, places)
        return cls(times_name, times, rounded_us.astype(np.int64), dates, omitted)

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


def one_clock(*paths: PathSamples) -> None:
    """Raise :class:`SamplesError` unless the times of all paths are of one kind.

    Raises
    ------
    SamplesError
        If some are dates and others numbers, or some dates have a time zone and others none.
    """
    kinds = {path.dates: path for path in paths if path.times_s.size}
    if len(kinds) > 1:
        (first, a), (second, b), *_ = kinds.items()
        words = f"{a.name} are {first or 'numbers'}, and {b.name} are {second or 'numbers'}"
        raise SamplesError(f"{printable(words)}: all paths have one clock")


def _dates_of(values: Any) -> tuple[Any, str | None]:
    """Return dates as an array of datetime64 and what kind of dates they are; other values as they are, and None."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "tz", None) is not None:
        return values.to_numpy(dtype="datetime64[ns]"), AWARE
    if getattr(dtype, "kind", None) == "M":
        return np.asarray(values), NAIVE
    is_listed = isinstance(values, list | tuple) or (dtype == np.object_ and getattr(values, "ndim", 0) == 1)
    if is_listed and len(values) and all(isinstance(value, datetime) for value in values):
        import pandas as pd

        aware = [value.tzinfo is not None for value in values]
        if all(aware) or not any(aware):
            dates = pd.to_datetime(list(values), utc=True)
            return dates.tz_localize(None).to_numpy(dtype="datetime64[ns]"), AWARE if all(aware) else NAIVE
    return values, None


def _array_of(values: Any, name: str, nan_policy: NanPolicy) -> npt.NDArray[Any]:
    """Return values as an array of one dimension of numbers, dates or durations."""
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "na_value") and getattr(dtype, "kind", "") in "iuf":
        # pandas' columns that may be NA.
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    try:
        given = np.asanyarray(values)
    except (TypeError, ValueError) as error:
        raise SamplesError(f"{printable(name)} is no array of numbers: {error}") from error
    if given.dtype.kind not in "iufmM":
        raise SamplesError(f"{printable(name)} is of type {given.dtype}: numbers of seconds are needed")
    if given.ndim != 1:
        raise SamplesError(f"{printable(name)} has {given.ndim} dimensions: one is needed")
    if np.ma.is_masked(given):
        if nan_policy == "raise":
            raise SamplesError(f"{printable(name)} has masked values: leave those samples out of both arrays")
        given = np.ma.filled(given.astype(np.float64), np.nan)
    return np.asarray(given)


def _seconds(values: Any, name: str, nan_policy: NanPolicy) -> tuple[Seconds, str | None]:
    """Return numbers, dates or durations in seconds, NaN where there is none, and the kind of dates."""
    dates, kind = _dates_of(values)
    given = _array_of(dates, name, nan_policy)
    if given.dtype.kind in "mM":
        unknown, kind_8 = np.isnat(given), given.dtype.kind + "8"
        whole_s = np.where(unknown, 0, given.astype(f"{kind_8}[s]").astype(np.int64))
        if np.abs(whole_s).max(initial=0) > _MOST_DATE_S:
            raise SamplesError(f"{printable(name)} has what is more than 292 years from 1970, or lasts as long")
        seconds = given.astype(f"{kind_8}[ns]").astype(np.int64) / _NS_PER_S
        seconds[unknown] = np.nan
        return seconds, kind
    return given.astype(np.float64), None


def _refuse(
    name: str,
    values: Seconds,
    wrong: npt.NDArray[np.bool_],
    why: str,
    places: npt.NDArray[np.int64] | None = None,
) -> None:
    """Raise an error that shows the first of the wrong values, with its place as the caller has it, and counts them."""
    (found,) = np.nonzero(wrong)
    if found.size:
        more = f", as are {found.size - 1} more" if found.size > 1 else ""
        place = found[0] if places is None else places[found[0]]
        raise SamplesError(printable(f"{name}[{place}] is {values[found[0]]:.10g}{more}: {why}"))
