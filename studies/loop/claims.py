"""What sections 5.2 and 5.3 of the SmartSBD paper report of its running implementation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedLoop:
    """What sections 5.2 and 5.3 report of the running implementation, and which of our means stand beside it."""

    where: str
    value: str
    #: Experiment, variant and control of each.
    ours: tuple[tuple[str, str, str], ...]
    column: str


#: Experiment and variant.
_RATE_LIMITED, _BULK, _BESIDE = ("loop_nsb", "rate limited"), ("loop_nsb", "bulk"), ("loop_sb", "one flow beside")
#: Sites and settings for which values stand in figures alone are not here.
CLAIMS = (
    PublishedLoop(
        "Section 5.3.1, Fig. 8: SmartSBD over coupled controllers, not shared",
        "1.153 to 2.237",
        tuple((*one, control) for one in (_RATE_LIMITED, _BULK) for control in ("tree_paper", "lag_excess", "reno")),
        "over_lia",
    ),
    PublishedLoop(
        "The same, over LIA that counts ACKs as the paper's kernel does",
        "1.153 to 2.237",
        tuple((*one, control) for one in (_RATE_LIMITED, _BULK) for control in ("tree_paper acks", "lag_excess acks")),
        "over_twin",
    ),
    PublishedLoop(
        "Section 5.3.2, Fig. 9: SmartSBD over LIA, shared with one flow",
        "1.081",
        tuple((*_BESIDE, control) for control in ("tree_paper", "tree_paper acks", "lag_excess", "lag_excess acks")),
        "over_twin",
    ),
    PublishedLoop(
        "Section 5.3.2, Fig. 9: MPCC over other coupled controllers, shared with one flow",
        "1.181 to 1.202",
        ((*_BESIDE, "mpcc"),),
        "over_lia",
    ),
)
