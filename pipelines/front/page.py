"""The first page of help: the commands in their groups."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import TextIO

_MOST_COLUMNS, _LEAST_TEXT_COLUMNS = 100, 24
_BOLD, _PLAIN = "\033[1m", "\033[0m"

OPTIONS = (
    ("-h, --help", "show this page; after a command, its arguments and examples"),
    ("-V, --version", "show the version"),
    ("--completion SHELL", "print a completion script for bash, zsh or fish"),
)


def takes_colours(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether headings may be bold: on a terminal that can, unless ``NO_COLOR`` is set (no-color.org).

    Parameters
    ----------
    stream : TextIO
        Where the page goes.
    environment : mapping of str to str

    Returns
    -------
    bool
    """
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") not in (None, "dumb")


def entry_lines(entries: Sequence[tuple[str, str]], columns: int) -> list[str]:
    r"""Return names and what each is for, wrapped beside the names.

    Parameters
    ----------
    entries : sequence of (str, str)
        Names and sentences.
    columns : int
        Of the terminal.

    Returns
    -------
    list of str

    Examples
    --------
    >>> print(*entry_lines([("ui", "Serve MLflow's page."), ("detect", "Say whether.")], 80), sep="\n")
      ui      Serve MLflow's page.
      detect  Say whether.
    """
    names = max(len(name) for name, _ in entries)
    indent = " " * (names + 4)
    width = max(min(columns, _MOST_COLUMNS), len(indent) + _LEAST_TEXT_COLUMNS)
    return [
        line
        for name, sentence in entries
        for line in textwrap.wrap(
            sentence, width, initial_indent=f"  {name:<{names}}  ", subsequent_indent=indent, break_on_hyphens=False
        )
    ]


def page_lines(
    groups: Mapping[str, Sequence[tuple[str, str]]], about: str, ending: Sequence[str], *, columns: int, bold: bool
) -> list[str]:
    """Return the first page.

    Parameters
    ----------
    groups : mapping of str to sequence of (str, str)
        Names of commands and what each does, by their heading; one without commands is left out.
    about : str
        What the program is for.
    ending : sequence of str
        Paragraphs at the end.
    columns : int
        Of the terminal.
    bold : bool
        Whether headings are bold.

    Returns
    -------
    list of str
    """

    def heading(text: str) -> str:
        return f"{_BOLD}{text}{_PLAIN}" if bold else text

    width = min(columns, _MOST_COLUMNS)
    lines = ["usage: sbd COMMAND ...", "", *textwrap.wrap(about, width)]
    for title, group in groups.items():
        lines += ["", heading(title), *entry_lines(group, columns)] if group else []
    lines += ["", heading("Options"), *entry_lines(OPTIONS, columns)]
    for paragraph in ending:
        lines += ["", *textwrap.wrap(paragraph, width)]
    return lines
