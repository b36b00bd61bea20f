"""Sums over samples themselves: adjacent ones of a subflow, and the comparison test's probes."""

from __future__ import annotations

from dataclasses import dataclass, field

from smartsbd.detectors.verdict.levels import deviation_us

#: Pairs of adjacent samples that count in a block.
MOST_ADJACENT = 8_192
#: How far from the delay at the start a sample counts.
SPREAD_US = (1 << 22) - 1


@dataclass
class AdjacentSums:
    """Sums of the delays of two samples of a subflow, one after the other, with one of the other's between.

    Attributes
    ----------
    count : int
    before, after, before_squares, after_squares, products : int
        Delays less that at the lattice's start, us and us squared.
    """

    count: int = 0
    before: int = 0
    after: int = 0
    before_squares: int = 0
    after_squares: int = 0
    products: int = 0

    def add(self, before_us: int, after_us: int, reference_us: int, by: int = 1) -> None:
        """Count two samples, or take them away again.

        Parameters
        ----------
        before_us, after_us : int, us
        reference_us : int, us
            The delay at the lattice's start.
        by : int
            1, or -1 to take them away.
        """
        if by > 0 and self.count == MOST_ADJACENT:
            return
        before, after = (min(max(delay_us - reference_us, -SPREAD_US), SPREAD_US) for delay_us in (before_us, after_us))
        self.count += by
        self.before += by * before
        self.after += by * after
        self.before_squares += by * before**2
        self.after_squares += by * after**2
        self.products += by * before * after

    def about(self, mean_us: int, reference_us: int) -> list[int]:
        """Return count, squares before and after, and products, of deviations from a mean.

        Returns
        -------
        list of int
            Four numbers; all except the count in microseconds squared.

        Examples
        --------
        >>> sums = AdjacentSums()
        >>> sums.add(30, 10, reference_us=5)
        >>> sums.about(20, reference_us=5)
        [1, 100, 100, -100]
        """
        by = mean_us - reference_us
        return [
            self.count,
            self.before_squares - 2 * by * self.before + self.count * by**2,
            self.after_squares - 2 * by * self.after + self.count * by**2,
            self.products - by * (self.before + self.after) + self.count * by**2,
        ]


@dataclass
class ProbeSums:
    """Sums of the comparison test: a probe, the other subflow's next sample, the next probe.

    Attributes
    ----------
    count : int
    totals, squares, products : list of int
        Of the three delays, less those at the lattice's start; products with the probe's.
    """

    count: int = 0
    totals: list[int] = field(default_factory=lambda: [0, 0, 0])
    squares: list[int] = field(default_factory=lambda: [0, 0, 0])
    products: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, delays_us: tuple[int, int, int], references_us: tuple[int, int, int], by: int = 1) -> None:
        """Count a probe, or take it away again.

        Parameters
        ----------
        delays_us : (int, int, int), us
            Of the probe, of the other subflow's next sample, of the next probe.
        references_us : (int, int, int), us
            What is taken off each: the delay of its subflow at the lattice's start.
        by : int
            1, or -1 to take it away.
        """
        deviations = [deviation_us(*pair) for pair in zip(delays_us, references_us, strict=True)]
        self.count += by
        for place, deviation in enumerate(deviations):
            self.totals[place] += by * deviation
            self.squares[place] += by * deviation**2
            self.products[place] += by * deviations[0] * deviation


@dataclass
class SampleSums:
    """Sums of adjacent samples and of probes, of each subflow, in a block."""

    adjacent: tuple[AdjacentSums, AdjacentSums] = field(default_factory=lambda: (AdjacentSums(), AdjacentSums()))
    probes: tuple[ProbeSums, ProbeSums] = field(default_factory=lambda: (ProbeSums(), ProbeSums()))

    def any(self) -> bool:
        """Tell whether anything was counted."""
        return any(sums.count for sums in (*self.adjacent, *self.probes))
