"""Whether two network paths share a bottleneck, from their RTTs alone: arrays, tables or files in, a verdict out.

What is named here stays as docs/python.md says. It judges by the default of ``sbd detect`` and says what that says.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smartsbd import datasets
    from smartsbd.classifier import SharedBottleneckClassifier
    from smartsbd.judging import JudgedSpan, PairVerdict, PathsVerdict, judge, judge_paths
    from smartsbd.recordings import Recordings, read
    from smartsbd.samples import SamplesError

    __version__: str

__all__ = [
    "JudgedSpan",
    "PairVerdict",
    "PathsVerdict",
    "Recordings",
    "SamplesError",
    "SharedBottleneckClassifier",
    "__version__",
    "datasets",
    "judge",
    "judge_paths",
    "read",
]
_MODULES = {
    "Recordings": "recordings",
    "SamplesError": "samples",
    "SharedBottleneckClassifier": "classifier",
    "read": "recordings",
}


def __getattr__(name: str) -> Any:
    # Whoever imports one room of the package does not wait for numpy and the detector.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version

        return version("smartsbd")
    if name == "datasets":
        return import_module("smartsbd.datasets")
    return getattr(import_module(f"smartsbd.{_MODULES.get(name, 'judging')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
