"""The trees of the generated headers as tables in Rust, for the crate in ``rust/``.

``python -m smartsbd.export.emit_rust`` writes ``rust/src/trees.rs``; with ``--check`` it compares alone. It reads the
headers, which are in git, and not the fitted models, which are not.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2

from smartsbd.contracts.whole_file import write_whole
from smartsbd.export.emit_c import EXPORTABLE, Header, macro
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, ExportError, Forest, Leaf, Tree

HEADERS = Path(__file__).parent / "generated"
TREES = ("sbd_tree_invariant", "sbd_tree_paper")
WRITTEN = Path(__file__).resolve().parents[1] / "rust/src/trees.rs"

_TEMPLATES = Path(__file__).parent / "crate"
_ORIGIN = re.compile(r"^ \* Generated from model (\w+), trained on (.+)$", re.MULTILINE)
_SPLIT = re.compile(r"if \(x\[(\w+)\] <= (-?\d+)\)( \{)?")
_LEAVES = {"return SBD_SHARED;": SHARED, "return SBD_NOT_SHARED;": NOT_SHARED}
_FEATURES = {macro(feature.name): feature.name for feature in EXPORTABLE}


def read_header(text: str, name: str) -> tuple[Forest, Header]:
    """Read the tree of a header, as :func:`smartsbd.export.emit_c.render_model` writes it.

    Parameters
    ----------
    text : str
        The header.
    name : str
        C identifier of the model.

    Returns
    -------
    forest : Forest
        Its one tree.
    header : Header
        What it says of itself.

    Raises
    ------
    ExportError
        If it is no header of one nested tree.
    """
    origin = _ORIGIN.search(text)
    body = re.search(rf"^static inline enum sbd_verdict {name}\([^\n]*\n\{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    if not origin or not body:
        raise ExportError(f"{name}.h is no header of a tree")
    statements = iter(body[1].split("\n"))
    try:
        tree = _read_tree(line.strip() for line in statements)
    except StopIteration:
        raise ExportError(f"{name}.h: its tree breaks off") from None
    return Forest((tree,)), Header(name, origin[1], origin[2])


def _read_tree(statements: Iterator[str]) -> Tree:
    statement = next(statements)
    if leaf := _LEAVES.get(statement):
        return leaf
    split = _SPLIT.fullmatch(statement)
    if not split or split[1] not in _FEATURES:
        raise ExportError(f"{statement!r} is no statement of a nested tree")
    low = _read_tree(statements)
    if split[3] and next(statements) != "}":
        raise ExportError(f"{statement!r} is not closed")
    return Branch(_FEATURES[split[1]], int(split[2]), low, _read_tree(statements))


def variant(feature: str) -> str:
    """Return the Rust name of a feature.

    Returns
    -------
    str
        A variant of ``Feature``.

    Examples
    --------
    >>> variant("rtt_ed_4us")
    'RttEd4us'
    """
    return "".join(part.capitalize() for part in feature.split("_"))


def nodes_of(tree: Tree, first: int = 0) -> list[str]:
    """Return the nodes of a tree as Rust, each before those of its lower side, which come before the others.

    Parameters
    ----------
    tree : Tree
    first : int
        Number of its first node.

    Returns
    -------
    list of str
        One expression for each node.

    Examples
    --------
    >>> nodes_of(Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED))
    ['Node::Split(Feature::RttEd4us, 7, 2)', 'Node::Leaf(Verdict::Apart)', 'Node::Leaf(Verdict::Shared)']
    """
    if isinstance(tree, Leaf):
        return [f"Node::Leaf(Verdict::{'Shared' if tree.vote else 'Apart'})"]
    low = nodes_of(tree.low, first + 1)
    high = first + 1 + len(low)
    return [
        f"Node::Split(Feature::{variant(tree.feature)}, {tree.threshold}, {high})",
        *low,
        *nodes_of(tree.high, high),
    ]


def _sentence(meaning: str) -> str:
    return f"{meaning[0].upper()}{meaning[1:]}."


def _described(forest: Forest, header: Header) -> dict[str, Any]:
    return {
        "name": header.name.removeprefix("sbd_").upper(),
        "header": f"{header.name}.h",
        "origin": f"model {header.model_digest}, trained on {header.trained_on}",
        "splits": forest.size()[0],
        "variants": [variant(name) for name in forest.features()],
        "nodes": nodes_of(forest.trees[0]),
    }


def features_of_trees(headers: Path = HEADERS) -> tuple[str, ...]:
    """Return the features that the trees take, in the catalogue's order: that of ``Feature``.

    Parameters
    ----------
    headers : Path
        Folder with the headers of :data:`TREES`.

    Returns
    -------
    tuple of str
        Their names.
    """
    return Forest(tuple(forest.trees[0] for forest, _ in _read_all(headers))).features()


def _read_all(headers: Path) -> list[tuple[Forest, Header]]:
    return [read_header((headers / f"{name}.h").read_text(), name) for name in TREES]


def render(headers: Path = HEADERS) -> str:
    """Return ``trees.rs``: the features that the trees take, and the trees.

    Parameters
    ----------
    headers : Path
        Folder with the headers of :data:`TREES`.

    Returns
    -------
    str
        Rust, in the form of rustfmt.

    Raises
    ------
    ExportError
        If a header is not of a tree.
    """
    used = features_of_trees(headers)
    template = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Rust, and every value in it is ours
    ).get_template("trees.rs.j2")
    return template.render(
        features=[
            {"name": feature.name, "variant": variant(feature.name), "meaning": _sentence(feature.meaning)}
            for feature in EXPORTABLE
            if feature.name in used
        ],
        trees=[_described(forest, header) for forest, header in _read_all(headers)],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or compare it.

    Parameters
    ----------
    arguments : sequence of str, optional
        In place of the command's.

    Returns
    -------
    int
        1 if it is to be the same and is not.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    text = render()
    if not parser.parse_args(arguments).check:
        write_whole(text.encode(), WRITTEN)
    elif WRITTEN.read_text() != text:
        print(f"{WRITTEN} differs from the headers: run python -m smartsbd.export.emit_rust", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
