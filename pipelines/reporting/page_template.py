"""Templates of the pages: what is missing is an error, and what is foreign is escaped."""

from __future__ import annotations

from pathlib import Path

import jinja2


def page_template(name: str) -> jinja2.Template:
    """Return a template.

    Parameters
    ----------
    name : str
        Of its file in ``templates/``.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)
