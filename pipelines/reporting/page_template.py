"""Templates of the pages: a missing value is an error, and foreign text is escaped."""

from __future__ import annotations

from pathlib import Path

import jinja2

_TEMPLATES = Path(__file__).parent / "templates"


def page_template(name: str, folder: Path = _TEMPLATES) -> jinja2.Template:
    """Return a template.

    Parameters
    ----------
    name : str
        Of its file.
    folder : Path
        Where it is.

    Returns
    -------
    jinja2.Template
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)
