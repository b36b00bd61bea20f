"""What figures have in common: colours, legend, and how they become PNG."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from smartsbd.contracts.whole_file import write_whole

_DPI = 120
BLUE, GREY, ORANGE = "#2b6cb0", "#a0aec0", "#dd8833"
#: Of subflows; those beyond them all have the last.
SUBFLOWS = (BLUE, ORANGE, "#2f855a", "#805ad5", "#718096")
COLOURS = {"shared": ORANGE, "not shared": BLUE}
#: Sets of features, and the views of the series that are their counterparts.
SETS = {
    "paper, RTT series": (("paper", "rtt_series"), BLUE),
    "invariant, queue series, plain correlation": (("invariant", "queue_series", "plain"), ORANGE),
    "both": (("both",), GREY),
}
mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def png(figure: Figure) -> bytes:
    """Return a figure as PNG without dates or versions."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
    return stream.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG without dates or versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(png(figure), path)


def label_legend(figure: Figure) -> None:
    """Say below a figure what the colours of the labels are."""
    patches = [Patch(facecolor=colour, edgecolor="black", label=label) for label, colour in COLOURS.items()]
    figure.legend(handles=patches, loc="outside lower center", fontsize=7, ncols=2, frameon=False)
