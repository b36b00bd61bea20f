"""Whether two network paths share a bottleneck, from their RTTs alone: arrays in, a verdict out.

What is named here stays as docs/python.md says. It judges by the default of ``sbd detect`` and says what that says.
"""

from smartsbd.judging import JudgedSpan, PairVerdict, PathsVerdict, judge, judge_paths
from smartsbd.samples import SamplesError

__all__ = ["JudgedSpan", "PairVerdict", "PathsVerdict", "SamplesError", "judge", "judge_paths"]
