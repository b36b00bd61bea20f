"""The checks of a feature find what is broken: one broken feature for each."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable

import pytest

from smartsbd.contributions import ContributionError, check_feature
from smartsbd.contributions.generated_grids import edge_grids, generated_grids
from smartsbd.features.catalog import Feature
from smartsbd.features.fixed import FEATURE_LIMIT, ONE_Q10, POINTS_LIMIT, ratio_q10
from smartsbd.features.series import PairGrid

CALLS = itertools.count()


def sound_q10(grid: PairGrid) -> int:
    """Share of the points at which both queues are longer than a millisecond.

    Examples
    --------
    >>> sound_q10(PairGrid.of(rtt_a_us=[50_000, 60_000], rtt_b_us=[70_000, 90_000]))
    512
    """
    return ratio_q10(int(((grid.queue_a_us > 1000) & (grid.queue_b_us > 1000)).sum()), grid.n)


def sound(grid: PairGrid) -> float:
    """Mean difference of the rates.

    Examples
    --------
    >>> sound(PairGrid.of(rate_a_mbit_s=[1.0, 2.0], rate_b_mbit_s=[1.0, 1.0]))
    0.5
    """
    return float(abs(grid.rate_a_mbit_s - grid.rate_b_mbit_s).mean())


def plainly(grid: PairGrid) -> float:
    """Return the first in plain loops."""
    lowest = min(grid.rtt_a_us.tolist()), min(grid.rtt_b_us.tolist())
    pairs = zip(grid.rtt_a_us.tolist(), grid.rtt_b_us.tolist(), strict=True)
    longer = [a - lowest[0] > 1000 and b - lowest[1] > 1000 for a, b in pairs]
    return longer.count(True) * 1024 // grid.n


def no_unit(grid: PairGrid) -> int:
    """Number of points.

    Examples
    --------
    >>> no_unit(PairGrid.of(rtt_a_us=[1, 1]))
    2
    """
    return grid.n


def nothing_returned(grid: PairGrid):  # type: ignore[no-untyped-def]
    """Number of points.

    Examples
    --------
    >>> nothing_returned(PairGrid.of(rtt_a_us=[1, 1]))
    2
    """
    return grid.n


def no_sentence_q10(grid: PairGrid) -> int:
    """zero

    Examples
    --------
    >>> no_sentence_q10(PairGrid.of(rtt_a_us=[1, 1]))
    0
    """
    return 0


def no_example_q10(grid: PairGrid) -> int:
    """Zero."""
    return 0


def of(compute: Callable[[PairGrid], float], group: str = "invariant", high: float = ONE_Q10) -> Feature:
    return Feature(compute, group, low=0, high=high)


def broken(value: Callable[[PairGrid], object], base: Callable[[PairGrid], float] = sound_q10) -> Feature:
    """A feature that has the value, with the name, docstring and types of a sound one."""

    def compute(grid: PairGrid) -> float:
        return value(grid)  # type: ignore[return-value]

    for name in ("__name__", "__doc__", "__annotations__", "__module__"):
        setattr(compute, name, getattr(base, name))
    return of(compute) if base is sound_q10 else of(compute, "throughput", FEATURE_LIMIT)


def sorted_in_place(grid: PairGrid) -> int:
    value = sound_q10(grid)
    grid.queue_a_us.sort()
    return value


def cleared(grid: PairGrid) -> int:
    value = sound_q10(grid)
    grid.congested_a[:] = False
    return value


def checks_of(feature: Feature, twin: Callable[[PairGrid], float] | None = None) -> set[str]:
    with pytest.raises(ContributionError) as raised:
        check_feature(feature, twin)
    for finding in raised.value.findings:
        assert f"{finding.check}: {finding.found}" in str(raised.value)
    return {finding.check for finding in raised.value.findings}


def test_what_is_sound_passes() -> None:
    check_feature(of(sound_q10), plainly)
    check_feature(of(sound, "throughput", 1e4), sound)


def test_names_types_and_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks_of(of(no_unit)) == {"name"}
    assert checks_of(of(nothing_returned)) == {"returns"}
    assert checks_of(of(no_sentence_q10)) == {"sentence"}
    assert checks_of(of(no_example_q10)) == {"examples"}
    assert checks_of(of(sound_q10, "novel")) == {"group"}
    assert checks_of(of(sound_q10, high=FEATURE_LIMIT + 1)) == {"bounds"}
    # The function of that name is another one.
    assert checks_of(broken(sound_q10)) == {"name"}
    monkeypatch.setattr(sound_q10, "__doc__", (sound_q10.__doc__ or "").replace("512", "511"))
    assert checks_of(of(sound_q10)) == {"examples"}


# A function made by `broken` is not the one that its module has under the name: `name` is always found.
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (lambda grid: 1 // (grid.n - 2), {"raises"}),
        (lambda grid: 0.5, {"returns"}),
        (lambda grid: int(grid.n < POINTS_LIMIT) * grid.n**2, {"bounds"}),
        (lambda grid: next(CALLS) % 7, {"repeatable", "byte_origin", "base_rtt"}),
        (sorted_in_place, {"input", "repeatable"}),
        (cleared, {"input"}),
        (lambda grid: int(grid.acked_a_bytes[0] > 10**9), {"byte_origin"}),
        (lambda grid: int(grid.rtt_a_us.min() > 200_000), {"base_rtt"}),
        (lambda grid: int(grid.min_rtt_b_us > 100_000), {"base_rtt"}),
    ],
)
def test_values(value: Callable[[PairGrid], object], found: set[str]) -> None:
    assert checks_of(broken(value)) == {"name"} | found


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_reals_are_finite(value: float) -> None:
    assert "bounds" in checks_of(broken(lambda grid: value, sound))


def test_a_twin_that_differs_on_one_grid() -> None:
    assert checks_of(of(sound_q10), lambda grid: plainly(grid) + (grid.n == 2)) == {"twin"}
    # A sum in another order is no other real value.
    check_feature(of(sound, "throughput", 1e4), lambda grid: sound(grid) * (1 + 1e-12))
    assert checks_of(of(sound, "throughput", 1e4), lambda grid: sound(grid) * (1 + 1e-6)) == {"twin"}


def test_a_feature_of_the_paper_may_depend_on_base_rtts() -> None:
    feature = dataclasses.replace(broken(lambda grid: int(grid.rtt_a_us.min() > 200_000)), group="paper")
    assert checks_of(feature) == {"name"}


def test_grids_are_at_the_edges_and_between_them() -> None:
    grids = [*generated_grids().values()]
    assert {grid.n for grid in edge_grids().values()} >= {2, POINTS_LIMIT}
    assert len({grid.n for grid in grids}) > 30
    assert sum(grid.saturated > 0 for grid in grids) > 10
    assert sum(not (grid.congested_a.any() or grid.congested_b.any()) for grid in grids) > 10
    assert sum(bool(grid.congested_a.all()) for grid in grids) > 10
    assert sum(grid.rtt_steps > 1 for grid in grids) > 10
