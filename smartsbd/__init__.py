"""Whether two network paths share a bottleneck, from their RTTs alone: arrays in, a verdict out.

What is named here stays as docs/python.md says. It judges by the default of ``sbd detect`` and says what that says.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smartsbd.judging import JudgedSpan, PairVerdict, PathsVerdict, judge, judge_paths
    from smartsbd.samples import SamplesError

__all__ = ["JudgedSpan", "PairVerdict", "PathsVerdict", "SamplesError", "judge", "judge_paths"]


def __getattr__(name: str) -> Any:
    # Whoever imports one room of the package does not wait for numpy and the detector.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("smartsbd.samples" if name == "SamplesError" else "smartsbd.judging"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
