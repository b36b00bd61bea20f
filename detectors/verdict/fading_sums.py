"""Sums over blocks that fade: at each block they lose one or three eighths."""

from __future__ import annotations

from dataclasses import dataclass, field

from smartsbd.detectors.verdict.change_signs import BANDS, EarlierChanges, signs_of
from smartsbd.detectors.verdict.lag_agreement import LAGS, agreements
from smartsbd.detectors.verdict.lattice_blocks import LatticeBlock
from smartsbd.detectors.verdict.levels import LEVEL_LAGS, BlockDelays, levels_of
from smartsbd.detectors.verdict.sample_sums import SampleSums

#: Parts of one in which changes and delays are counted, and those in which samples are, so that small counts fade too.
PARTS = 16
SAMPLE_PARTS = 256


@dataclass
class FadingSums:
    """Sums over blocks, in the order of the lags of all bands.

    Attributes
    ----------
    agreement, counted : list of int
        At each lag of each band, in sixteenths.
    level_products, level_counted, level_squares : list of int
    level_both : int
        See :class:`smartsbd.detectors.verdict.levels.LevelSums`; counts in sixteenths.
    adjacent : list of list of int
        Of each subflow: count, in parts of 256; squares before and after, products.
    probes : list of list of int
        Of each subflow: count, in parts of 256; three totals, three squares, three products.
    """

    agreement: list[int] = field(default_factory=lambda: [0] * LAGS)
    counted: list[int] = field(default_factory=lambda: [0] * LAGS)
    level_products: list[int] = field(default_factory=lambda: [0] * (2 * LEVEL_LAGS + 1))
    level_counted: list[int] = field(default_factory=lambda: [0] * (2 * LEVEL_LAGS + 1))
    level_squares: list[int] = field(default_factory=lambda: [0, 0])
    level_both: int = 0
    adjacent: list[list[int]] = field(default_factory=lambda: [[0] * 4, [0] * 4])
    probes: list[list[int]] = field(default_factory=lambda: [[0] * 10, [0] * 10])

    def _lists(self) -> list[list[int]]:
        return [
            *(self.agreement, self.counted, self.level_products, self.level_counted, self.level_squares),
            *(*self.adjacent, *self.probes),
        ]

    def fade(self, eighths: int) -> None:
        """Let every sum lose so many eighths of itself, rounded down.

        Examples
        --------
        >>> sums = FadingSums(level_squares=[80, -7])
        >>> sums.fade(1)
        >>> sums.level_squares
        [70, -7]
        """
        for values in self._lists():
            values[:] = [_faded(value, eighths) for value in values]
        self.level_both = _faded(self.level_both, eighths)

    def add(self, block: FadingSums) -> None:
        """Add the sums of a block."""
        for values, others in zip(self._lists(), block._lists(), strict=True):
            values[:] = [value + other for value, other in zip(values, others, strict=True)]
        self.level_both += block.level_both

    def copy(self) -> FadingSums:
        """Return a copy that changes independently."""
        same = FadingSums()
        same.add(self)
        return same

    def any(self) -> bool:
        """Tell whether anything was counted."""
        counts = [sums[0] for sums in (*self.adjacent, *self.probes)]
        return any(self.counted) or any(self.level_counted) or any(counts)


def _faded(value: int, eighths: int) -> int:
    return value - (value * eighths >> 3) if value >= 0 else value + (-value * eighths >> 3)


@dataclass
class EarlierBlocks:
    """What is kept of a lattice's earlier blocks, for each subflow: sums of delays, means, and changes of each band."""

    totals_us: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0), (0, 0)])
    means_us: list[int] = field(default_factory=lambda: [0, 0])
    changes: list[list[EarlierChanges]] = field(
        default_factory=lambda: [[EarlierChanges()] * BANDS, [EarlierChanges()] * BANDS]
    )


def sums_of(block: LatticeBlock, before: EarlierBlocks) -> FadingSums:
    """Return the sums of a block.

    Parameters
    ----------
    block : LatticeBlock
    before : EarlierBlocks
        Of the blocks before it; updated with this one.

    Returns
    -------
    FadingSums
        Of this block alone; nothing has faded.
    """
    delays = []
    for which in range(2):
        delay_us, level = block.delay_us[which], block.level[which]
        total_us = sum(delay_us[-256:])
        blocks = min(block.number + 1, 3)
        mean_us = (total_us + sum(before.totals_us[which])) // (256 * blocks)
        delays.append(BlockDelays(delay_us, level, mean_us, before.means_us[which]))
        before.totals_us[which] = (before.totals_us[which][1], total_us)
        before.means_us[which] = mean_us
    sums = FadingSums()
    place = 0
    for band in range(BANDS):
        signs = []
        for which in range(2):
            subflow_signs, before.changes[which][band] = signs_of(
                block.delay_us[which], block.level[which], band, block.number, before.changes[which][band]
            )
            signs.append(subflow_signs)
        for agreement, counted in agreements(signs[0], signs[1], band):
            sums.agreement[place], sums.counted[place] = PARTS * agreement, PARTS * counted
            place += 1
    levels = levels_of(delays[0], delays[1], block.number)
    sums.level_products, sums.level_squares = levels.products, levels.squares
    sums.level_counted = [PARTS * counted for counted in levels.counted]
    sums.level_both = PARTS * levels.both
    _add_samples(sums, block.samples, before.means_us, block.reference_us)
    return sums


def _add_samples(sums: FadingSums, samples: SampleSums, means_us: list[int], references_us: tuple[int, int]) -> None:
    for which in range(2):
        count, *rest = samples.adjacent[which].about(means_us[which], references_us[which])
        sums.adjacent[which] = [SAMPLE_PARTS * count, *rest]
        probes = samples.probes[which]
        sums.probes[which] = [SAMPLE_PARTS * probes.count, *probes.totals, *probes.squares, *probes.products]
