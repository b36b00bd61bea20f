"""The pieces of C that compute features. A new feature is one piece in `fragments/` and one line here.

A header carries the pieces its model needs and no others; each computes, of its features, those that are wanted.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from smartsbd.export.tree import ExportError

_FOLDER = Path(__file__).parent / "fragments"


@dataclass(frozen=True)
class Fragment:
    """One piece of C.

    Attributes
    ----------
    name : str
        Of its file, without suffix.
    features : tuple of str
        What it computes; empty if others only build on it.
    needs : tuple of str
        Pieces that come before it.
    prepares : bool
        It is called, before those that compute features, though it computes none itself.
    """

    name: str
    features: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    prepares: bool = False

    @property
    def text(self) -> str:
        """The C."""
        return (_FOLDER / f"{self.name}.h").read_text()

    @property
    def guard(self) -> str:
        """The macro that is defined where a file has it already: two headers may be included in one file."""
        return f"SBD_HAS_{self.name.upper()}"

    @property
    def call(self) -> str:
        """The statement that computes what is wanted of it; empty if it is not called."""
        if self.prepares or len(self.features) == 1:
            return f"sbd_{self.name}(window, scratch);"
        return f"sbd_{self.name}(window, wanted, scratch);" if self.features else ""


#: In order: a piece comes after those that it needs.
FRAGMENTS: tuple[Fragment, ...] = (
    Fragment("above", prepares=True),
    Fragment("queue", prepares=True),
    Fragment("warping"),
    Fragment("deviation"),
    Fragment("moments"),
    Fragment("rank"),
    Fragment(
        "distance",
        ("rtt_ed_4us", "cstate_ed_4us", "rtt_cstate_ed_4us", "rtt_dtwd_4us", "cstate_dtwd_4us", "rtt_cstate_dtwd_4us"),
        needs=("above", "warping"),
    ),
    Fragment("sd_ratio", ("rtt_sd_ratio_q10", "cstate_sd_ratio_q10"), needs=("above", "deviation")),
    Fragment("min_rtt_ratio", ("min_rtt_ratio_q10",)),
    Fragment("queue_distance", ("queue_ed_4us", "queue_dtwd_4us", "queue_ed_ratio_q10"), needs=("queue", "warping")),
    Fragment("queue_ratio", ("queue_mean_ratio_q10", "queue_sd_ratio_q10"), needs=("queue", "deviation")),
    Fragment(
        "correlation",
        (
            "rtt_correlation_q10",
            "rtt_rank_correlation_q10",
            "rtt_lagged_correlation_q10",
            "rtt_change_correlation_q10",
        ),
        needs=("queue", "moments", "rank"),
    ),
    Fragment("coincidence", ("cstate_near_jaccard_excess_q10",)),
    Fragment("rate", ("rate_correlation_q10",), needs=("moments",)),
)

#: Every feature that C computes.
COMPUTED = frozenset(name for piece in FRAGMENTS for name in piece.features)

#: The piece that walks packed trees; it computes no feature.
VOTES = Fragment("votes")

#: The piece that computes kernel values of an SVM; it computes no feature.
RBF = Fragment("rbf")


def fragments_of(features: Collection[str]) -> tuple[Fragment, ...]:
    """Return the pieces that compute some features, in order, with what they need.

    Returns
    -------
    tuple of Fragment
        In the order of :data:`FRAGMENTS`.

    Examples
    --------
    >>> [piece.name for piece in fragments_of(["rtt_sd_ratio_q10"])]
    ['above', 'deviation', 'sd_ratio']

    Raises
    ------
    ExportError
        If no piece computes one of them.
    """
    unknown = sorted(set(features) - COMPUTED)
    if unknown:
        raise ExportError(f"{', '.join(unknown)}: no fragment computes it (export/fragment.py)")
    direct = [piece for piece in FRAGMENTS if set(piece.features) & set(features)]
    needed = {name for piece in direct for name in piece.needs}
    return tuple(piece for piece in FRAGMENTS if piece in direct or piece.name in needed)
