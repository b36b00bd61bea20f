"""What a paper says of an experiment, and whether runs of ours show it.

A claim has a bar, fixed before the runs (the experiments.md of its study).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from studies.transfers import repetitions
from studies.transfers.repetitions import NotRunError

HELD, NOT_HELD, NOT_RUN, NO_BAR = "yes", "no", repetitions.NOT_RUN, ""

#: What runs show, for people, and whether the bar is reached; None where there is no bar.
Judged = tuple[str, bool | None]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Claim(Generic[Found]):
    """A claim of a paper.

    Attributes
    ----------
    figure : str
        Where it is made.
    reported : str
        What it says, in short.
    must_show : str
        The bar.
    substitution : str
        What ours differs in.
    judge : callable
        Takes what runs came to; returns what it shows, and whether the bar is reached.
    """

    figure: str
    reported: str
    must_show: str
    substitution: str
    judge: Callable[[Found], Judged]


def beside_paper(claims: Iterable[Claim[Found]], found: Found) -> Iterator[dict[str, Any]]:
    """Yield a row for each claim: what the paper reports, and what runs came to.

    Parameters
    ----------
    claims : iterable of Claim
    found : object
        What the claims judge.

    Yields
    ------
    dict
        ``experiment``, ``paper``, ``ours``, ``must_show``, ``held`` and ``substitution``. ``held`` is one of
        :data:`HELD`, :data:`NOT_HELD`, :data:`NOT_RUN` (``ours`` is then what is missing) and :data:`NO_BAR`.
    """
    for claim in claims:
        try:
            ours, reached = claim.judge(found)
            held = NO_BAR if reached is None else HELD if reached else NOT_HELD
        except NotRunError as error:
            held, ours = NOT_RUN, str(error)
        yield {
            "experiment": claim.figure,
            "paper": claim.reported,
            "ours": ours,
            "must_show": claim.must_show,
            "held": held,
            "substitution": claim.substitution,
        }
