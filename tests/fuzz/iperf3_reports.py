"""What iperf3 writes of a test, with what a server has a part in: a table of what came, or one short line."""

from __future__ import annotations

from itertools import pairwise

from smartsbd.doctor.iperf3_report import Iperf3Report
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.received import MOST_OCTETS

_STARTED_S = 1.7e9
_MOST_LETTERS = 400


def check(content: bytes) -> bool:
    """Read a report, and what came by it."""
    try:
        table = Iperf3Report.parsed(content).received(_STARTED_S)
    except LoadError as error:
        text = str(error)
        assert text.isprintable() and len(text) < _MOST_LETTERS, text
        return True
    assert len(table.times_s) == len(table.octets)
    assert all(before < after for before, after in pairwise(table.times_s))
    assert all(before <= after for before, after in pairwise([0, *table.octets, MOST_OCTETS]))
    return True
