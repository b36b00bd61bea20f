"""Score stored models, or somebody else's detector, on labelled logs or captures.

DIR with --labels scores every stored model; nothing is trained or chosen on them. With --detector, somebody else's
detector is judged in their place, beside our own detectors: on DIR, or on datasets. It is a command, as one argument:
a program that reads the event lines of one connection on standard input, and writes verdict lines on standard output.
It is run once for each connection, within limits of time, output and memory. Or it is a C header with a function on
windows, as `sbd detect --model` takes it. With --locked, every stored model is scored on the locked half of the
kernel's connections, once for each release.

The file of labels has the same format as for `sbd new-dataset`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.export.compiled_header import HEADER
from smartsbd.pipelines.commands.score import locked_half, scorecard, stored_models
from smartsbd.pipelines.judging.foreign_options import add_foreign_options
from smartsbd.pipelines.labelling.labelled_connections import DEFAULT
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running.written_path import written_file, written_folder


class ScoreUsageError(UsageFault):
    """What is scored, or on what, is not named, or options do not go together."""


_MODELS_ON_A_FOLDER, _DETECTOR, _LOCKED = "DIR", "--detector", "--locked"
#: The ways of scoring that take an option, or the folder.
_TAKEN_WITH = {
    "folder": (_MODELS_ON_A_FOLDER, _DETECTOR),
    "labels": (_MODELS_ON_A_FOLDER, _DETECTOR),
    "models": (_MODELS_ON_A_FOLDER, _LOCKED),
    "report": (_MODELS_ON_A_FOLDER,),
    "dataset": (_DETECTOR,),
    "seconds": (_DETECTOR,),
    "trust_header": (_DETECTOR,),
    "html": (_DETECTOR,),
    "json": (_DETECTOR,),
    "samples": (_LOCKED,),
    "reports": (_LOCKED,),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, nargs="?", help="folder with logs or captures")
    parser.add_argument("--labels", metavar="FILE", type=Path, help="CSV file with the labels of DIR")
    models = parser.add_argument_group("stored models")
    models.add_argument(
        "--models",
        metavar="DIR",
        type=Path,
        help=f"folder of stored models (default: {stored_models.MODELS}); of a folder that is named here, those that no"
        " run recorded are scored on DIR too, and called so",
    )
    models.add_argument("--report", metavar="FILE", type=written_file, help="CSV file to write: one row for each model")
    detector = parser.add_argument_group("somebody else's detector")
    detector.add_argument(
        _DETECTOR, metavar="DETECTOR", help=f"a command in one argument, or a path that ends with {HEADER}"
    )
    detector.add_argument(
        "--dataset",
        metavar="NAME",
        action="append",
        help="in place of DIR: a dataset whose tables the pipeline has made, or a folder of data/samples; may be given"
        f" several times (default: {' and '.join(DEFAULT)})",
    )
    detector.add_argument("--html", metavar="FILE", type=written_file, help="page to write: one self-contained file")
    detector.add_argument(
        "--json", metavar="FILE", type=written_file, help="JSON file to write: figures, findings and every pair"
    )
    add_foreign_options(parser)
    locked = parser.add_argument_group("the locked half")
    locked.add_argument(_LOCKED, action="store_true", help="score the stored models on it, once for each release")
    locked.add_argument(
        "--samples",
        metavar="DIR",
        type=Path,
        help=f"folder of the locked recordings (default: {locked_half.SAMPLES})",
    )
    locked.add_argument(
        "--reports", metavar="DIR", type=written_folder, help=f"folder for reports (default: {locked_half.REPORTS})"
    )


def _way(arguments: argparse.Namespace) -> str:
    """Return the way of scoring that is asked for, after a look at what goes with it."""
    if arguments.locked and arguments.detector is not None:
        raise ScoreUsageError(f"either {_LOCKED} or {_DETECTOR}")
    way = _LOCKED if arguments.locked else _MODELS_ON_A_FOLDER if arguments.detector is None else _DETECTOR
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for name, ways in _TAKEN_WITH.items():
        if way not in ways and getattr(arguments, name) != parser.get_default(name):
            option = "DIR" if name == "folder" else f"--{name.replace('_', '-')}"
            raise ScoreUsageError(f"{option} goes with {' or '.join(ways)}, and not with {way}")
    if way == _MODELS_ON_A_FOLDER and (arguments.folder is None or arguments.labels is None):
        raise ScoreUsageError(f"name what is scored: DIR and --labels, or {_DETECTOR}, or {_LOCKED}")
    if (arguments.folder is None) != (arguments.labels is None):
        raise ScoreUsageError("DIR and --labels belong together")
    if arguments.folder is not None and arguments.dataset:
        raise ScoreUsageError("either DIR with --labels, or --dataset")
    return way


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    of_way = {_MODELS_ON_A_FOLDER: stored_models.run, _DETECTOR: scorecard.run, _LOCKED: locked_half.run}
    return of_way[_way(arguments)](arguments, params)
