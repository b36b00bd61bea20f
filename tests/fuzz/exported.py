"""What the exported C includes, and inputs that it reads whole."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random


def headers(folder: Path) -> Path:
    """Write the headers that are exported into a folder; return it."""
    from smartsbd.export.emit_c import render_loaded, render_runtime

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "smartsbd.h").write_text(render_runtime())
    (folder / "sbd_loaded.h").write_text(render_loaded())
    return folder


def model_files() -> list[bytes]:
    """Return model files: of a leaf, of a few trees, and of more than are walked at one time."""
    from smartsbd.export.model_file import content
    from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, Forest, Leaf

    low = Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED)
    high = Branch("rtt_correlation_q10", -3, Leaf(5), Branch("rtt_ed_4us", 9, low, SHARED))
    return [content(Forest(trees)) for trees in ((SHARED,), (low, high), (low,) * 13, (high,))]


def calls() -> list[bytes]:
    """Return calls of senders: two and three subflows, samples every millisecond, congestion now and then."""
    random = Random(0)  # noqa: S311 - nothing secret
    found = []
    for subflows in (2, 3):
        for microseconds in (1, 1_000):
            records = [bytes([subflows])]
            for _ in range(300):
                subflow = random.randrange(subflows)
                what, value = random.choice([(0, microseconds), (4, 1_400), (7, random.choice([0, 3])), (12, 0)])
                step = min(65_535, random.choice([0, 1, 1, 3]) * microseconds)
                value += random.randrange(microseconds) if what == 0 else 0
                # A thousand nanoseconds are about 1 << 9.
                records.append(struct.pack("<BBHI", what | 3 << 4, subflow, step, value))
            found.append(b"".join(records))
    return found
