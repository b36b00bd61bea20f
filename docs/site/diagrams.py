"""Mermaid diagrams drawn as SVG when the site is built: no script, no request when it is opened."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from merm import render_diagram
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Mermaid(SphinxDirective):
    """A block ```` ```mermaid ````: a picture that leads to itself in full size."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the picture."""
        text = "\n".join(self.content)
        name = f"diagrams/{hashlib.sha256(text.encode()).hexdigest()[:16]}.svg"
        place = Path(self.env.srcdir) / name
        if not place.is_file():
            place.parent.mkdir(exist_ok=True)
            place.write_text(render_diagram(text))
        # A picture with a width leads to itself in full size.
        alt = self.options.get("alt", "Diagram")
        return [nodes.image(uri=f"/{name}", alt=alt, width="100%", classes=["diagram"])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive to Sphinx."""
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
