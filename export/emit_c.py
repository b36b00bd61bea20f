"""Models as C that a kernel accepts: integers only, no allocation, no floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from smartsbd.export.fragment import COMPUTED, FRAGMENTS, VOTES, Fragment, fragments_of
from smartsbd.export.layout import Layout
from smartsbd.export.packed import packed
from smartsbd.export.tree import ALL_FOR, Forest, Leaf, Tree
from smartsbd.features.catalog import FEATURES
from smartsbd.features.fixed import CONGESTED_WEIGHT, FEATURE_LIMIT, POINTS_LIMIT, RTT_LIMIT_US
from smartsbd.features.window import WINDOW_RTTS

_TEMPLATES = Path(__file__).parent / "templates"
_PER_LINE = 4

#: Features that C computes, in the order of ``enum sbd_feature``.
EXPORTABLE = tuple(feature for feature in FEATURES if feature.name in COMPUTED)
NUMBERS = {feature.name: number for number, feature in enumerate(EXPORTABLE)}


@dataclass(frozen=True)
class Header:
    """The description that a header gives of itself.

    Attributes
    ----------
    name : str
        C identifier of the model, for instance ``sbd_tree_paper``.
    model_digest : str
        Digest of the stored model.
    trained_on : str
        Dataset and window rule.
    layout : str
        One of :data:`smartsbd.export.layout.LAYOUTS`.
    """

    name: str
    model_digest: str
    trained_on: str
    layout: Layout = "nested"


def macro(feature: str) -> str:
    """Return the C name of a feature.

    Returns
    -------
    str
        An enumerator of ``enum sbd_feature``.

    Examples
    --------
    >>> macro("rtt_ed_4us")
    'SBD_RTT_ED_4US'
    """
    return f"SBD_{feature.upper()}"


def _statements(tree: Tree, depth: int, alone: bool) -> list[str]:
    indent = "\t" * depth
    if isinstance(tree, Leaf):
        vote = ("SBD_SHARED" if tree.vote else "SBD_NOT_SHARED") if alone else str(tree.vote)
        return [f"{indent}return {vote};"]
    low = _statements(tree.low, depth + 1, alone)
    brace = len(low) > 1
    return [
        f"{indent}if (x[{macro(tree.feature)}] <= {tree.threshold}){' {' if brace else ''}",
        *low,
        *([f"{indent}}}"] if brace else []),
        *_statements(tree.high, depth, alone),
    ]


def _lines(entries: Sequence[str]) -> list[str]:
    places = range(0, len(entries), _PER_LINE)
    return ["\t" + ", ".join(entries[place : place + _PER_LINE]) + "," for place in places]


def environment() -> jinja2.Environment:
    """Return where templates are found, and how they are read."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is C, and every value in it is ours
    )


def render_runtime() -> str:
    """Return ``smartsbd.h``: what every model's header builds on."""
    return (
        environment()
        .get_template("smartsbd.h.j2")
        .render(
            features=[(macro(feature.name), feature.meaning) for feature in EXPORTABLE],
            window_rtts=WINDOW_RTTS,
            points=POINTS_LIMIT,
            rtt_limit_us=RTT_LIMIT_US,
            congested_us=CONGESTED_WEIGHT,
            feature_limit=FEATURE_LIMIT,
        )
    )


def parts_of(header: Header, used: Sequence[str], decides: Fragment | None = None) -> dict[str, Any]:
    """Return what the header of any model is rendered with.

    Parameters
    ----------
    header : Header
    used : sequence of str
        Features that the model takes.
    decides : Fragment, optional
        A piece that the model itself needs.

    Returns
    -------
    dict
        Names of the template ``model.h.j2``: of the header, its features, and pieces of C with their calls.

    Raises
    ------
    ExportError
        If no piece computes one of the features.
    """
    pieces = fragments_of(used)
    return {
        "header": header,
        "upper": header.name.upper(),
        "features": [(macro(feature.name), feature.meaning) for feature in EXPORTABLE if feature.name in used],
        "fragments": [*pieces, *([decides] if decides else [])],
        "calls": [piece.call for piece in pieces if piece.call],
        "wanted": any("wanted" in piece.call for piece in pieces),
    }


def render_model(forest: Forest, header: Header) -> str:
    """Return the header of a tree or forest: the features it takes, in C, and the model itself."""
    splits, leaves, depth = forest.size()
    table = packed(forest, NUMBERS) if header.layout == "packed" else None
    alone = len(forest.trees) == 1
    return (
        environment()
        .get_template("model.h.j2")
        .render(
            **parts_of(header, forest.features(), VOTES if table else None),
            trees=len(forest.trees),
            splits=splits,
            leaves=leaves,
            depth=depth,
            half=ALL_FOR // 2,
            alone=alone,
            nested=[] if table else [_statements(tree, 1, alone) for tree in forest.trees],
            words=_lines([f"0x{word:016x}" for word in table.words]) if table else [],
            roots=_lines([str(root) for root in table.roots]) if table else [],
        )
    )


def render_loaded() -> str:
    """Return ``sbd_loaded.h``: all features, and models that come from a file."""
    return (
        environment()
        .get_template("loaded.h.j2")
        .render(
            fragments=[*FRAGMENTS, VOTES],
            guarded=[
                (" | ".join(f"SBD_BIT({macro(name)})" for name in _computed_by(piece)), piece.call)
                for piece in FRAGMENTS
                if piece.call
            ],
            names=[feature.name for feature in EXPORTABLE],
        )
    )


def _computed_by(piece: Fragment) -> tuple[str, ...]:
    """Return the features a piece computes, or, if it prepares others, those."""
    return piece.features or tuple(name for user in FRAGMENTS if piece.name in user.needs for name in user.features)
