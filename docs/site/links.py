"""After a build, looks every page through: what it loads and where its links lead must be in the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_TAG = re.compile(r"<([a-z][a-z0-9]*)((?:\s+[\w:.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*)\s*/?>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_SKIPPED = re.compile(r"<!--.*?-->|(<script[^>]*>).*?</script>|(<style[^>]*>).*?</style>", re.DOTALL)
_IN_STYLE = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")
#: What a browser fetches without a click; of `link`, by its `rel`.
_LOADED = ("src", "srcset", "poster", "data", "xlink:href")
_RELATIONS = ("stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "manifest")
_SCHEMES_OF_ITSELF = ("data", "blob")
_SCHEMES_ELSEWHERE = ("http", "https", "mailto")
#: After other extensions have put their files into the site.
_LATE = 900


@dataclass
class Page:
    """What a page of HTML refers to.

    Attributes
    ----------
    anchors : set of str
    loaded : list of str
        Addresses that a browser fetches when it shows the page.
    linked : list of str
        Addresses that a click leads to.
    """

    anchors: set[str] = field(default_factory=set)
    loaded: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)


def read(text: str) -> Page:
    """Return what a page refers to; scripts are not read, for a browser's test sees what they do."""
    page = Page()
    for style in re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL):
        page.loaded += [one or other for one, other in _IN_STYLE.findall(style)]
    text = _SKIPPED.sub(lambda match: match[1] or match[2] or "", text)
    for name, attributes in _TAG.findall(text):
        values = {key.lower(): unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(attributes)}
        page.anchors.update(values[key] for key in ("id", "name") if key in values)
        page.loaded += [values[key] for key in _LOADED if key in values and name not in ("a", "param")]
        page.loaded += [one or other for one, other in _IN_STYLE.findall(values.get("style", ""))]
        if name == "link" and any(one in _RELATIONS for one in values.get("rel", "").split()):
            page.loaded.append(values["href"])
        if name == "a" and "href" in values:
            page.linked.append(values["href"])
    return page


def style_sheet(text: str) -> Page:
    """Return what a style sheet loads."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return Page(loaded=[one or other for one, other in _IN_STYLE.findall(text)])


def _read_file(path: Path) -> Page:
    text = path.read_text()
    return style_sheet(text) if path.suffix == ".css" else read(text)


def faults(site: Path) -> Iterator[str]:
    """Yield a line for each thing that a page loads from elsewhere, and for each link that leads nowhere.

    Parameters
    ----------
    site : Path
        A folder of HTML.
    """
    paths = sorted(path for path in site.rglob("*") if path.suffix in (".html", ".css", ".svg"))
    with Pool() as pool:
        pages = dict(zip(paths, pool.map(_read_file, paths, chunksize=16), strict=True))
    for path, page in pages.items():
        fault = partial("{}: {}: {}".format, path.relative_to(site))
        for address in page.loaded:
            parts = urlsplit(address)
            if parts.scheme in _SCHEMES_OF_ITSELF or not (parts.scheme or parts.netloc or parts.path):
                continue
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                yield fault(address, "is loaded from elsewhere")
            elif not (path.parent / unquote(parts.path)).is_file():
                yield fault(address, "is loaded and is not there")
        for address in page.linked:
            parts = urlsplit(address)
            if parts.scheme in _SCHEMES_ELSEWHERE or parts.scheme in _SCHEMES_OF_ITSELF:
                continue
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                yield fault(address, "leads out of the site")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield fault(address, "leads nowhere")
            elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].anchors:
                yield fault(address, "has no such place on that page")


def _check(app: Sphinx, error: Exception | None) -> None:
    from sphinx.util import logging

    logger = logging.getLogger(__name__)
    if error is None and app.builder.name == "html":
        for line in faults(Path(app.outdir).resolve()):
            logger.warning("%s", line, type="site", subtype="link")


def setup(app: Sphinx) -> dict[str, Any]:
    """Have every build end with the check."""
    app.connect("build-finished", _check, priority=_LATE)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
