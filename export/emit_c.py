"""Trees as C that a kernel accepts: integers only, no loops, no floats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import jinja2

from export.tree import Leaf, Tree, size
from features.catalog import FEATURES

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Header:
    """What a header says of itself.

    Attributes
    ----------
    name : str
        C identifier of the model, for instance ``sbd_tree_paper``.
    model_digest : str
        Digest of the stored model.
    trained_on : str
        Dataset and window rule.
    """

    name: str
    model_digest: str
    trained_on: str


def macro(feature: str) -> str:
    """Return the C name of a feature.

    Examples
    --------
    >>> macro("rtt_ed_4us")
    'SBD_RTT_ED_4US'
    """
    return f"SBD_{feature.upper()}"


def _statements(tree: Tree, depth: int) -> list[str]:
    indent = "\t" * depth
    if isinstance(tree, Leaf):
        return [f"{indent}return {'SBD_SHARED' if tree.shared else 'SBD_NOT_SHARED'};"]
    low = _statements(tree.low, depth + 1)
    brace = len(low) > 1
    return [
        f"{indent}if (x[{macro(tree.feature)}] <= {tree.threshold}){' {' if brace else ''}",
        *low,
        *([f"{indent}}}"] if brace else []),
        *_statements(tree.high, depth),
    ]


def _used(tree: Tree) -> set[str]:
    return set() if isinstance(tree, Leaf) else {tree.feature} | _used(tree.low) | _used(tree.high)


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is C, and every value in it is ours
    )


def render_tree(tree: Tree, header: Header) -> str:
    """Return the header's text."""
    used = _used(tree)
    features = [feature for feature in FEATURES if feature.name in used]
    splits, leaves, depth = size(tree)
    return (
        _environment()
        .get_template("tree.h.j2")
        .render(
            header=header,
            guard=f"{header.name.upper()}_H",
            features=[(macro(feature.name), feature.meaning) for feature in features],
            splits=splits,
            leaves=leaves,
            depth=depth,
            statements=_statements(tree, 1),
        )
    )


def render_replay(tree: Tree, header: Header) -> str:
    """Return a C program that reads rows of feature values and prints the header's decisions."""
    used = _used(tree)
    return (
        _environment()
        .get_template("replay.c.j2")
        .render(header=header, features=[macro(feature.name) for feature in FEATURES if feature.name in used])
    )


def input_names(tree: Tree) -> tuple[str, ...]:
    """Return the features the header takes, in the order of its enum."""
    used = _used(tree)
    return tuple(feature.name for feature in FEATURES if feature.name in used)
