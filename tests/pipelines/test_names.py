"""One name, one thing: no class is called as another, and modules share a name only for a reason."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.pipelines import imports

ROOT = Path(__file__).parents[2]
#: Modules of one name, and why.
SHARED_MODULES = {
    "automl": "the stage, its parameters, its tables",
    "export": "the stage and its parameters",
    "extract": "the stage and its parameters",
    "simulate": "the stage and its parameters",
    "parse": "the stage, its parameters, and the command that does the same for any folder",
    "search": "the stage and what it does, for the grids and for AutoML",
    "sensitivity": "the dataset, the stage, and what it judges",
    "unseen": "the dataset and the stage that judges it",
    "transfer": "the stage and its tables",
    "datasets": "the list of simulated ones; their tables",
    "correlation": "of two series; as a model; as a detector",
    "comparison": "of detectors and models; its figures; the comparison test on a tile",
    "page": "its tables and figures; that with the studies' sections",
    "series": "of two subflows; their figures",
    "excerpts": "the command and what it does; those of studies",
    "stage": "what is around every one; the command that runs one",
    "environment": "of a run; of an AutoML engine",
}


#: Modules that studies have, each its own.
OF_STUDIES = {"claims", "experiments", "figure", "figures", "run", "section", "track"}


def modules() -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in imports.modules(ROOT):
        if path.stem not in ("__init__", "__main__"):
            found[path.stem].append(path)
    return found


def test_no_two_classes_have_one_name() -> None:
    places = defaultdict(list)
    for paths in modules().values():
        for path in paths:
            for node in ast.parse((ROOT / path).read_text()).body:
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(path)
    assert len(places) > 200
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_modules_of_one_name_have_a_reason() -> None:
    others = {
        name: [path for path in paths if path.parts[0] != "studies" or name not in OF_STUDIES]
        for name, paths in modules().items()
    }
    shared = {name for name, paths in others.items() if len(paths) > 1}
    assert shared == SHARED_MODULES.keys()
