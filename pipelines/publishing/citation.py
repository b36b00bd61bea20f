"""How to cite the workbench: CITATION.cff, read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from smartsbd.contracts.fault import InputFault

FILE = Path("CITATION.cff")


class CitationError(InputFault):
    """CITATION.cff does not say what a deposit needs."""


@dataclass(frozen=True)
class Citation:
    """What CITATION.cff says.

    Attributes
    ----------
    title, author, version : str
    keywords : tuple of str
    """

    title: str
    author: str
    version: str
    keywords: tuple[str, ...]

    def bibtex(self) -> str:
        """Return it as an entry of BibTeX.

        Returns
        -------
        str

        Examples
        --------
        >>> Citation("Workbench", "its authors", "0.1.0", ()).bibtex()
        '@misc{smartsbd, title = {Workbench}, author = {{its authors}}, note = {version 0.1.0}}'
        """
        fields = f"title = {{{self.title}}}, author = {{{{{self.author}}}}}, note = {{version {self.version}}}"
        return f"@misc{{smartsbd, {fields}}}"


def read(path: Path) -> Citation:
    """Read a CITATION.cff of one author.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Citation

    Raises
    ------
    CitationError
        If a key is missing.
    """
    try:
        content = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
        (author,) = content["authors"]
        return Citation(content["title"], author["name"], content["version"], tuple(content["keywords"]))
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise CitationError(f"{path}: cannot be read: {error!r}") from error


def with_address(text: str, url: str | None) -> str:
    r"""Return the text of a CITATION.cff with the address of a deposit, if it has one.

    Parameters
    ----------
    text : str
    url : str or None

    Returns
    -------
    str

    Examples
    --------
    >>> with_address("title: Workbench", "https://example.org/data")
    'title: Workbench\nurl: https://example.org/data\n'
    """
    return text if url is None else f"{text.rstrip()}\nurl: {url}\n"
