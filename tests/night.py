"""Cases of a parametrised test of which every change waits for some, and the night for all."""

from __future__ import annotations

from collections.abc import Container, Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def few_now(cases: Iterable[object], now: Container[object]) -> list[ParameterSet]:
    """Return all cases; those that are not among `now` are slow.

    Parameters
    ----------
    cases : iterable of object
        Each the one argument of a test.
    now : container of object
    """
    return [pytest.param(case, marks=[] if case in now else pytest.mark.slow) for case in cases]
