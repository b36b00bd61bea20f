"""A rate over time, as the series of the simulator's truth has it: the mean of each interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any


@dataclass(frozen=True)
class RateSeries:
    """A rate in intervals that follow each other.

    Attributes
    ----------
    edges_s : tuple of float
        Where intervals begin, and where the last one ends.
    mbit_s : tuple of float
        Mean of each interval.
    """

    edges_s: tuple[float, ...]
    mbit_s: tuple[float, ...]

    def mean(self, from_s: float, to_s: float) -> float:
        """Return the mean of the intervals that lie within a time, nan if none does.

        Parameters
        ----------
        from_s, to_s : float

        Examples
        --------
        >>> RateSeries((0, 1, 2, 4), (9, 3, 6)).mean(1, 4)
        5.0
        """
        own = [
            (after - begin, rate)
            for begin, after, rate in zip(self.edges_s, self.edges_s[1:], self.mbit_s, strict=False)
            if begin >= from_s and after <= to_s
        ]
        lasted_s = sum(length for length, _ in own)
        return sum(length * rate for length, rate in own) / lasted_s if lasted_s else nan

    def windows(self, from_s: float, to_s: float, width_s: float) -> Iterator[tuple[float, float]]:
        """Yield when each window within a time begins, one with each interval, and its mean.

        Parameters
        ----------
        from_s, to_s : float
        width_s : float
            At least an interval.

        Examples
        --------
        >>> list(RateSeries((0, 1, 2, 3, 4), (9, 3, 5, 7)).windows(1, 4, 2))
        [(1, 4.0), (2, 6.0)]
        """
        for begin_s in self.edges_s[:-1]:
            if from_s <= begin_s and begin_s + width_s <= to_s:
                yield begin_s, self.mean(begin_s, begin_s + width_s)


def acknowledged(truth: Mapping[str, Any], subflow: int) -> RateSeries:
    """Return the rate at which a subflow's bytes are acknowledged.

    Parameters
    ----------
    truth : mapping
        The simulator's, with a series.
    subflow : int
    """
    intervals = truth["series"]["intervals"]
    edges_s = (*(one["from_ns"] / 1e9 for one in intervals), intervals[-1]["to_ns"] / 1e9)
    rates = tuple(one["subflows"][subflow]["acked_bytes"] * 8e3 / (one["to_ns"] - one["from_ns"]) for one in intervals)
    return RateSeries(edges_s, rates)
