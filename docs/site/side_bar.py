"""The side bar opens the part of the site that a page is in; with every page in it, it would be most of each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

#: Before the theme asks for the tree.
_EARLY = 400


def _collapse(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None) -> None:
    if "toctree" in context:
        whole = context["toctree"]
        context["toctree"] = lambda **options: whole(**options | {"collapse": True})


def setup(app: Sphinx) -> dict[str, Any]:
    """Have pages made with the collapsed tree."""
    app.connect("html-page-context", _collapse, priority=_EARLY)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
