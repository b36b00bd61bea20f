"""Tables and figures as HTML, numbered in the order in which they are asked for."""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path

from markupsafe import Markup

from smartsbd.pipelines.reporting.tables.cell import Rows

#: Rows above which a table is folded on the screen, and may be cut between rows in print.
LONG = 24
#: Characters in a line above which a table is set smaller in print, so that its lines do not wrap.
_WIDE = 118
#: What the space between two columns takes, characters.
_GAP = 2
#: What columns of the paper's numbers begin with, and how the name of a row of them ends.
_PAPERS = ("paper: ", "Table ")
_PAPERS_ROW = "(the paper's)"
#: Names of sets of features, where they head the columns.
_HEADS = {"paper": "the paper's nine", "invariant": "invariant (ours)", "both": "both"}
_NUMBER = re.compile(r"[-+~]?\d")
#: An interval, without its brackets, or text in backquotes, without them: each the part of a split at its place.
_PIECES = re.compile(r"\(([-+]?[\d.]+ to [-+]?[\d.]+)\)|`([^`]+)`")


class Page:
    """The page made so far.

    Parameters
    ----------
    reports : Path
        Folder of the reports; figures are in ``figures/``.
    """

    def __init__(self, reports: Path) -> None:
        self._reports = reports
        self._tables = 0
        self._figures: list[str] = []

    def table(self, rows: Rows, caption: str, paper: str = "", *, unfolded: bool = False) -> Markup:
        """Return a table under its number and caption; in place of one without rows, a note that it is missing.

        Parameters
        ----------
        rows : list of dict
            Cells by column, as text; a missing cell is empty.
        caption : str
            What it shows.
        paper : str
            What it is in the paper.
        unfolded : bool
            Whether it is open on the screen, however long.

        Returns
        -------
        Markup
        """
        if not rows:
            return _missing(caption)
        self._tables += 1
        name = f"table-{self._tables}"
        title = _title(f"Table {self._tables}", caption, paper)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        form = "table wide" if _width(rows, columns) > _WIDE else "table"
        table = Markup(
            '<div class="scroll" role="region" tabindex="0" aria-labelledby="{}">'
            '<table aria-labelledby="{}">{}</table></div>'
        ).format(name, name, _cells(rows, columns))
        if len(rows) <= LONG:
            figure = Markup('<figure class="{}"><figcaption id="{}">{}</figcaption>{}</figure>')
            return figure.format(form, name, title, table)
        summary = Markup('<summary id="{}">{} <span class="rows">({} rows)</span></summary>').format(
            name, title, len(rows)
        )
        if unfolded:
            return Markup('<details class="{}" open>{}{}</details>').format(form, summary, table)
        return Markup('<details class="{}">{}{}</details>').format(form, summary, table)

    def whole(self, rows: Rows, caption: str, file: str) -> Markup:
        """Return the whole content of a file, folded on the screen; in print, its name instead.

        Parameters
        ----------
        rows : list of dict
            Cells by column.
        caption : str
            What it is.
        file : str
            Where it is.

        Returns
        -------
        Markup
        """
        if not rows:
            return _missing(caption)
        size = f"{len(rows)} rows of {file}"
        return Markup(
            '<details class="whole"><summary>Also: {caption} <span class="rows">({size})</span></summary>'
            '<div class="scroll" role="region" tabindex="0" aria-label="{caption}">'
            '<table aria-label="{caption}">{cells}</table></div></details>'
            '<p class="printed">Left out in print: {caption}, {size}.</p>'
        ).format(caption=caption, size=size, cells=_cells(rows, list(rows[0])))

    def figure(self, name: str, caption: str, paper: str = "", *, folder: Path | None = None) -> Markup:
        """Return a figure under its number and caption; if the run has none, a note that it is missing.

        Parameters
        ----------
        name : str
            Of its file below the folder, without the suffix.
        caption : str
            What it shows.
        paper : str
            What it is in the paper.
        folder : Path, optional
            ``figures/`` of the reports unless given.

        Returns
        -------
        Markup
        """
        path = (folder or self._reports / "figures") / f"{name}.png"
        if not path.is_file():
            return _missing(caption)
        self._figures.append(name if folder is None else str(path))
        content = path.read_bytes()
        # A PNG's first chunk, IHDR, begins with width and height.
        width, height = struct.unpack(">II", content[16:24])
        return Markup(
            '<figure class="image" id="figure-{number}"><img src="data:image/png;base64,{image}" width="{width}" '
            'height="{height}" style="--width: {width}px" alt="{caption}"><figcaption>{title}</figcaption></figure>'
        ).format(
            number=len(self._figures),
            image=base64.b64encode(content).decode("ascii"),
            width=width,
            height=height,
            caption=caption,
            title=_title(f"Figure {len(self._figures)}", caption, paper),
        )

    def remaining(self) -> list[str]:
        """Return the names of figures of the run that are not on the page yet."""
        folder = self._reports / "figures"
        names = [str(path.relative_to(folder).with_suffix("")) for path in sorted(folder.rglob("*.png"))]
        return [name for name in names if name not in self._figures]


def text(content: str) -> Markup:
    """Return text as HTML: text in backquotes as code, an interval in one piece."""
    pieces = _PIECES.split(content)
    # Before each interval or code there is other text; one of the two is None.
    parts = [Markup("{}").format(pieces[0])]
    for interval, code, after in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if interval is not None:
            parts.append(Markup('<span class="interval">({})</span>').format(interval))
        else:
            parts.append(Markup("<code>{}</code>").format(code))
        parts.append(Markup("{}").format(after))
    return Markup("").join(parts)


def _missing(caption: str) -> Markup:
    return Markup('<p class="missing">Not in this run: {}.</p>').format(caption)


def _title(number: str, caption: str, paper: str) -> Markup:
    place = f" (paper: {paper})" if paper else ""
    return Markup("<b>{}{}.</b> {}.").format(number, place, caption[:1].upper() + caption[1:])


def _width(rows: Rows, columns: list[str]) -> int:
    """Return how many characters a line takes if no cell wraps; heads wrap between words."""
    return sum(
        _GAP + max(*(len(str(row.get(column, ""))) for row in rows), *(len(word) for word in column.split()))
        for column in columns
    )


def _cells(rows: Rows, columns: list[str]) -> Markup:
    lines = [[str(row.get(column, "")) for column in columns] for row in rows]
    kinds = [_kind(column, [line[place] for line in lines]) for place, column in enumerate(columns)]
    heads = _HEADS if set(_HEADS) <= set(columns) else {}
    head = Markup("").join(
        Markup('<th scope="col" class="{}">{}</th>').format(kind, text(heads.get(column, column)))
        for column, kind in zip(columns, kinds, strict=True)
    )
    body = Markup("").join(_line(line, kinds) for line in lines)
    return Markup("<thead><tr>{}</tr></thead><tbody>{}</tbody>").format(head, body)


def _line(line: list[str], kinds: list[str]) -> Markup:
    first = Markup('<th scope="row" class="{}">{}</th>').format(kinds[0], text(line[0]))
    others = Markup("").join(
        Markup('<td class="{}">{}</td>').format(kind, text(cell))
        for cell, kind in zip(line[1:], kinds[1:], strict=True)
    )
    if line[0].endswith(_PAPERS_ROW):
        return Markup('<tr class="papers">{}{}</tr>').format(first, others)
    return Markup("<tr>{}{}</tr>").format(first, others)


def _kind(column: str, cells: list[str]) -> str:
    filled = [cell for cell in cells if cell]
    kind = "number" if filled and all(_NUMBER.match(cell) for cell in filled) else "text"
    return f"{kind} papers" if column.startswith(_PAPERS) else kind
