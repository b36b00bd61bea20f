"""The card of a header: the model, what it was trained on, and its accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from smartsbd.detectors.lag_excess import Criterion
from smartsbd.detectors.verdict.common_lag import BAND_BLOCKS, CommonLagRule, band_q10
from smartsbd.detectors.verdict.default_detector import Default
from smartsbd.export.emit_c import Header, environment
from smartsbd.export.tree import Forest
from smartsbd.models.families.fitted import Setting


@dataclass(frozen=True)
class CardAccuracy:
    """Accuracy on one dataset, with its 95 % interval by connection.

    Attributes
    ----------
    dataset : str
        Tested on, and the rule of its windows.
    connections : int
    windows : int
    shared, not_shared, balanced : (float, float, float)
        Share of shared windows called shared, of the others called not shared, and their mean; each with the
        ends of its interval.
    """

    dataset: str
    connections: int
    windows: int
    shared: tuple[float, float, float]
    not_shared: tuple[float, float, float]
    balanced: tuple[float, float, float]


def render_card(
    forest: Forest,
    header: Header,
    setting: Setting,
    held_out: Sequence[CardAccuracy],
    elsewhere: Sequence[CardAccuracy],
    digests: Mapping[str, str],
) -> str:
    """Return a header's card, Markdown.

    Parameters
    ----------
    forest : Forest
    header : Header
    setting : Setting
        Hyperparameters, and how many of the most relevant features were offered.
    held_out : sequence of CardAccuracy
        Of models of this kind on connections held out of their training; settings chosen inside each split.
    elsewhere : sequence of CardAccuracy
        Of this model on other datasets.
    digests : mapping of str to str
        SHA-256 by file.

    Returns
    -------
    str
        The text.
    """
    splits, leaves, depth = forest.size()
    return (
        environment()
        .get_template("card.md.j2")
        .render(
            header=header,
            features=forest.features(),
            trees=len(forest.trees),
            splits=splits,
            leaves=leaves,
            depth=depth,
            setting=setting,
            hyperparameters=", ".join(f"{name} {value}" for name, value in setting.hyperparameters) or "none",
            held_out=held_out,
            elsewhere=elsewhere,
            digests=digests,
        )
    )


def render_detector_card(named: Default) -> str:
    """Return the card of the default detector, Markdown."""
    return (
        environment()
        .get_template("detector_card.md.j2")
        .render(
            named=named,
            rule=CommonLagRule(**named.parameters),
            first_q10=band_q10(1),
            last_q10=band_q10(BAND_BLOCKS),
            blocks=BAND_BLOCKS,
        )
    )


def render_lag_excess_card(header: str, digest: str) -> str:
    """Return the card of the lag excess, Markdown.

    Parameters
    ----------
    header : str
        Name of its header.
    digest : str
        SHA-256 of that.

    Returns
    -------
    str
        The text.
    """
    return (
        environment().get_template("lag_excess_card.md.j2").render(header=header, sha256=digest, criterion=Criterion())
    )
