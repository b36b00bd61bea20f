"""How Sphinx builds the site, of what :mod:`docs.site.sources` has laid out."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from docs.site.sources import API, CONTENT, PACKAGE  # noqa: E402 - Sphinx does not look in the project's folder

project = "SmartSBD workbench"
html_title = project
extensions = [
    *("autoapi.extension", "myst_nb", "sphinx.ext.napoleon"),
    *("docs.site.diagrams", "docs.site.links", "docs.site.references", "docs.site.side_bar"),
]
exclude_patterns = [f"{CONTENT}/**"]
nitpicky = True
# What documents say is code often, and is copied.
smartquotes = False

html_theme = "furo"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_extra_path = [str(ROOT / "build/docs/extra")]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False

myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
nb_execution_mode = "off"
# Widgets would fetch scripts; no notebook has one.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

toc_object_entries_show_parents = "hide"
autoapi_dirs = [str(ROOT / "build/docs/package" / PACKAGE)]
autoapi_root = API
autoapi_file_patterns = ["*.py"]
autoapi_options = ["members", "undoc-members", "imported-members", "show-module-summary"]
autoapi_add_toctree_entry = False
autoapi_member_order = "bysource"
autoapi_keep_files = True
# Types of parameters are English ("list of str"): as fields, their words would lead to whatever has such a name.
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_param = False
napoleon_use_rtype = False
# Names that one line assigns together (`SENDER, RECEIVER = ...`), which autoapi does not know.
suppress_warnings = ["autoapi.python_import_resolution"]
