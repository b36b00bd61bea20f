"""One call that checks a feature of a window: its name, its docstring, and its values on generated grids."""

from __future__ import annotations

import doctest
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import get_type_hints

import numpy as np
import numpy.typing as npt

from smartsbd.contributions.finding import ContributionError, Finding, first_of_each
from smartsbd.contributions.generated_grids import generated_grids
from smartsbd.features import catalog, feature_set
from smartsbd.features.catalog import Feature
from smartsbd.features.fixed import FEATURE_LIMIT
from smartsbd.features.series import PairGrid

#: What is added to a base RTT, microseconds, and to the bytes acknowledged before the window.
_LONGER_US = 40_000
_EARLIER_BYTES = 1_000_000_007
#: How far a real value may lie from its twin's: the two add in different orders.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
#: Series that a grid derives from the others and keeps.
_DERIVED = ("above_a_us", "above_b_us", "queue_a_us", "queue_b_us")


def check_feature(feature: Feature, twin: Callable[[PairGrid], float] | None = None) -> None:
    """Check a feature of a window; nothing is returned where nothing is broken.

    The checks, by the names that the error gives them:

    - ``name``: it is lower-case, the function's in its module, and that of an integer ends in its unit.
    - ``returns``: the function says that it returns ``int`` or ``float``, and does.
    - ``group``: a set of the catalogue has it.
    - ``sentence``: the docstring's first line is one sentence; it becomes the column's meaning.
    - ``examples``: the docstring has examples, and they hold.
    - ``raises``: it has a value on every generated grid
      (:func:`~smartsbd.contributions.generated_grids.generated_grids`).
    - ``bounds``: values are finite and within ``low`` and ``high``; what is exported fits in 24 bits.
    - ``repeatable``: the same grid has the same value again, and so has a copy of it.
    - ``input``: it changes neither the grid's series nor what the grid derives from them.
    - ``byte_origin``: what was acknowledged before the window does not matter.
    - ``base_rtt``: a feature of the group ``invariant`` does not depend on the base RTT of either path, the grid
      held, as docs/features.md says.
    - ``twin``: it equals its twin on every grid, an integer exactly.

    Parameters
    ----------
    feature : Feature
        As in the catalogue; it need not be there yet.
    twin : callable, optional
        The same definition in plain loops, of a :class:`~smartsbd.features.series.PairGrid`.

    Raises
    ------
    ContributionError
        With the first finding of every check that fails.

    Examples
    --------
    >>> check_feature(catalog.feature("queue_mean_ratio_q10"))
    >>> def unstable(grid: PairGrid) -> float:
    ...     return float("nan")
    >>> try:
    ...     check_feature(Feature(unstable, "throughput"))
    ... except ContributionError as error:
    ...     print([finding.check for finding in error.findings])
    ['name', 'sentence', 'examples', 'bounds', 'repeatable', 'byte_origin']
    """
    findings = first_of_each([*_named(feature), *_documented(feature), *_valued(feature, twin)])
    if findings:
        raise ContributionError(feature.name, findings)


def _named(feature: Feature) -> Iterator[Finding]:
    """Yield what is wrong with the name, the type and the group."""
    name = feature.name
    if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) is None:
        yield Finding("name", f"{name!r} is not lower-case words joined by underscores")
    module = feature.compute.__module__
    if getattr(sys.modules[module], name, None) is not feature.compute:
        yield Finding("name", f"{module} does not call the function {name}, as its column would be called")
    returned = get_type_hints(feature.compute).get("return")
    if returned not in (int, float):
        yield Finding("returns", f"the function is declared to return {returned}, not int or float")
    elif feature.exportable and not ("_" in name and feature.column().unit):
        known = sorted({exact.name.rpartition("_")[2] for exact in catalog.FEATURES if exact.exportable})
        yield Finding("name", f"an integer's name ends in its unit, one of {known}")
    groups = {group for members in feature_set.SETS.values() for group in members}
    if feature.group not in groups:
        yield Finding("group", f"{feature.group!r} is none of {sorted(groups)}")
    if returned is int and not -FEATURE_LIMIT <= feature.low < feature.high <= FEATURE_LIMIT:
        yield Finding("bounds", f"{feature.low} to {feature.high} do not ascend within 24 bits")


def _documented(feature: Feature) -> Iterator[Finding]:
    """Yield what is wrong with the docstring."""
    text = feature.compute.__doc__ or ""
    line = text.partition("\n")[0]
    if re.fullmatch(r"[A-Z].+\.", line) is None:
        yield Finding("sentence", f"the docstring begins {line!r}: not a sentence, from a capital to a full stop")
    if re.search(r"^ *Examples\n *-+$", text, re.MULTILINE) is None:
        yield Finding("examples", "the docstring has no section Examples")
    names = dict(vars(sys.modules[feature.compute.__module__]))
    test = doctest.DocTestParser().get_doctest(text, names, feature.name, feature.compute.__module__, 0)
    if not test.examples:
        yield Finding("examples", "the docstring has no example")
        return
    printed: list[str] = []
    if doctest.DocTestRunner(verbose=False).run(test, out=printed.append).failed:
        yield Finding("examples", "".join(printed).strip().replace("\n", "\n    "))


def _valued(feature: Feature, twin: Callable[[PairGrid], float] | None) -> Iterator[Finding]:
    """Yield what is wrong with the values."""
    whole = get_type_hints(feature.compute).get("return") is int
    for where, grid in generated_grids().items():
        try:
            value = feature.compute(_copied(grid))
            for check, defect in _typed(feature, value, whole=whole):
                yield Finding(check, f"on {where}, {defect}")
            for check, defect in _moved(feature, grid, value):
                yield Finding(check, f"on {where}, {defect}")
        except Exception as error:  # whatever a contribution raises is a finding
            yield Finding("raises", f"on {where}, {type(error).__name__}: {error}")
            continue
        if twin is not None:
            other = twin(grid)
            if value != other if whole else not math.isclose(value, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
                yield Finding("twin", f"on {where}, {value} is not the twin's {other}")


def _typed(feature: Feature, value: float, *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one value."""
    if type(value) is not int if whole else not isinstance(value, (int, float)):
        yield "returns", f"{value!r} is of the type {type(value).__name__}, not {'int' if whole else 'float'}"
    if not (math.isfinite(value) and feature.low <= value <= feature.high):
        yield "bounds", f"{value} is not within {feature.low} to {feature.high}"


def _moved(feature: Feature, grid: PairGrid, value: float) -> Iterator[tuple[str, str]]:
    """Yield where the value is another one though nothing that matters has changed, and what the function changes."""
    used = _copied(grid)
    again = [feature.compute(used), feature.compute(used), feature.compute(_copied(grid))]
    if any(other != value for other in again):
        yield "repeatable", f"the values are {value}, {', '.join(map(str, again))}"
    whole = _copied(grid)
    for name in (*(series.name for series in fields(PairGrid)), *_DERIVED):
        if not np.array_equal(getattr(used, name), getattr(whole, name)):
            yield "input", f"it changes {name}"
    a_bytes, b_bytes = grid.acked_a_bytes + _EARLIER_BYTES, grid.acked_b_bytes + _EARLIER_BYTES
    for later in (replace(grid, acked_a_bytes=a_bytes), replace(grid, acked_b_bytes=b_bytes)):
        if (other := feature.compute(_copied(later))) != value:
            yield "byte_origin", f"{_EARLIER_BYTES} bytes acknowledged before it make {other} of {value}"
    if feature.group == "invariant":
        for what, longer in _longer_paths(grid).items():
            if (other := feature.compute(longer)) != value:
                yield "base_rtt", f"{_LONGER_US} us more on {what} make {other} of {value}"


def _copied(grid: PairGrid) -> PairGrid:
    """Return a grid whose series are its own, with nothing derived from them yet."""
    series: dict[str, npt.NDArray[np.generic]] = {
        field.name: getattr(grid, field.name).copy()
        for field in fields(PairGrid)
        if isinstance(getattr(grid, field.name), np.ndarray)
    }
    return replace(grid, **series)  # type: ignore[arg-type]


def _longer_paths(grid: PairGrid) -> dict[str, PairGrid]:
    """Return the grid with longer base RTTs; its step, and the larger of the smallest RTTs, by which lags go, held."""
    a_us, b_us = grid.rtt_a_us + _LONGER_US, grid.rtt_b_us + _LONGER_US
    shorter = "min_rtt_a_us" if grid.min_rtt_a_us < grid.min_rtt_b_us else "min_rtt_b_us"
    # The smaller one may be as large as the larger one, and the grid's lags still are the same.
    held = {shorter: min(getattr(grid, shorter) + _LONGER_US, max(grid.min_rtt_a_us, grid.min_rtt_b_us))}
    return {
        "path a": replace(grid, rtt_a_us=a_us),
        "path b": replace(grid, rtt_b_us=b_us),
        "both paths": replace(grid, rtt_a_us=a_us, rtt_b_us=b_us),
        "the smallest RTT of the shorter path": replace(grid, **held),
    }
