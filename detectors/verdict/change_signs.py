"""Signs of a subflow's changes of delay in a band: a bit each, with those that count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Steps of a block, and those before it that its first changes reach back to.
BLOCK_STEPS = 256
LEAD_STEPS = 255
BANDS = 8
#: Changes of earlier blocks that are kept.
EARLIER_BITS = 64


def span_of(band: int) -> int:
    """Return the steps that a change spans: the mean of its second half less that of its first."""
    return 2 << band


def stride_of(band: int) -> int:
    """Return the steps from one change to the next."""
    return max(1, span_of(band) // 4)


def changes_of(band: int) -> int:
    """Return the number of changes that end in a block."""
    return BLOCK_STEPS // stride_of(band)


@dataclass(frozen=True)
class ChangeSigns:
    """Signs of changes, a bit each: those of earlier blocks in the 64 lowest bits, then those of the block.

    Attributes
    ----------
    above : int
        Whether a change is above the mean of those that count, over this block and the two before.
    counted : int
        Whether it counts: at most half of its steps lie in silences.
    """

    above: int
    counted: int


@dataclass(frozen=True)
class EarlierChanges:
    """What is kept of a band's earlier changes.

    Attributes
    ----------
    signs : ChangeSigns
        The last 64.
    totals_us, points : tuple of int
        Sum, and number, of the changes that count, of the block before the last and of the last.
    """

    signs: ChangeSigns = ChangeSigns(0, 0)
    totals_us: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)


def is_silent(level: int, band: int) -> bool:
    """Tell whether a step lies in a silence that is too long for a band: longer than 8 steps, and than two spans.

    Parameters
    ----------
    level : int
        How many of 8, 16, ..., 512 steps the silence exceeds.
    band : int

    Returns
    -------
    bool
        Whether the step counts as silent in that band.
    """
    return level >= max(1, band)


def signs_of(
    delay_us: Sequence[int], level: Sequence[int], band: int, number: int, earlier: EarlierChanges
) -> tuple[ChangeSigns, EarlierChanges]:
    """Return the signs of a block's changes in a band, and what the next block needs to know of them.

    Parameters
    ----------
    delay_us, level : sequence of int
        Of the 255 steps before the block, and of the block's 256.
    band : int
        From 0, changes over 2 steps, to 7, over 256.
    number : int
        Of the block, from the lattice's start: in the first one no change begins before the start.
    earlier : EarlierChanges

    Returns
    -------
    (ChangeSigns, EarlierChanges)
        The signs hold those of the last 64 earlier changes too.
    """
    span, stride = span_of(band), stride_of(band)
    sums, silent = [0], [0]
    for delay, own_level in zip(delay_us, level, strict=True):
        sums.append(sums[-1] + delay)
        silent.append(silent[-1] + is_silent(own_level, band))
    changes = []
    for step in range(0, BLOCK_STEPS, stride):
        end = LEAD_STEPS + step + 1
        counts = silent[end] - silent[end - span] <= span // 2 and (number > 0 or step + 1 >= span)
        changes.append(sums[end] - 2 * sums[end - span // 2] + sums[end - span] if counts else None)
    counted = [change for change in changes if change is not None]
    total_us, points = sum(earlier.totals_us) + sum(counted), sum(earlier.points) + len(counted)
    above_bits = counted_bits = 0
    for place, change_us in enumerate(changes):
        if change_us is not None:
            counted_bits |= 1 << place
            above_bits |= (change_us * points > total_us) << place
    signs = ChangeSigns(
        earlier.signs.above | above_bits << EARLIER_BITS, earlier.signs.counted | counted_bits << EARLIER_BITS
    )
    kept = ChangeSigns(signs.above >> len(changes), signs.counted >> len(changes))
    return signs, EarlierChanges(kept, (earlier.totals_us[1], sum(counted)), (earlier.points[1], len(counted)))
