"""Make a dataset from a folder of inputs and a file of labels, check it, and say in plain words what is missing.

The labels are a CSV file: `input` (a file's name) and `shared` (true or false); `token` where an input holds several
connections; `subflow_a` and `subflow_b` where a connection has more than two subflows; `from_s`, from when on the label
holds, by the input's clock; and any other column of truth.csv, for instance `site`.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import UsageFault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.labelling.labelled_inputs import check, inputs, refuse, remark_on_amounts
from smartsbd.pipelines.labelling.labels import read_labels
from smartsbd.pipelines.params import LOCKED, Params, read_params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.params.edited import Edit, edited
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_folder

log = logging.getLogger(__name__)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_RAW = Path("data/raw")
#: Other files of the pipeline have this name.
_RESERVED = {"transfer"}


class TargetError(UsageFault):
    """The dataset's name or place cannot be used."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder with the logs or captures, and nothing else")
    parser.add_argument("--labels", metavar="FILE", type=Path, required=True, help="CSV file with the labels")
    parser.add_argument("--name", help="name of the dataset (default: the folder's)")
    use = parser.add_mutually_exclusive_group()
    use.add_argument(
        "--evaluate",
        action="store_true",
        help="change params.yaml so that models are tested on it, and none is trained",
    )
    use.add_argument(
        "--train",
        action="store_true",
        help="change params.yaml so that models are searched, trained and exported on it; the rest of the file stays",
    )
    parser.add_argument("--raw", type=written_folder, default=_RAW, help="folder of datasets (default: %(default)s)")


def _target(arguments: argparse.Namespace, params: Params) -> Path:
    name = arguments.name or arguments.folder.resolve().name
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is no name for a dataset: use --name with a-z, 0-9 and _, a letter first")
    if name in {*params.simulate_, *params.samples, LOCKED, *_RESERVED}:
        raise TargetError(f"{name!r} is a dataset of the pipeline's own, or another file's name: use --name")
    target: Path = arguments.raw / name
    if target.exists():
        raise TargetError(f"{target} is there already: remove it, or use --name")
    return target


def _edits(arguments: argparse.Namespace, name: str) -> list[Edit]:
    """Return what params.yaml needs for the use that is asked for."""
    lists = {"evaluate": ["datasets", "evaluation_only", "transfer.tested"]} | {
        "train": ["datasets", "search.datasets", "automl.datasets", "rank.datasets", "export.dataset"]
    }
    use = "evaluate" if arguments.evaluate else "train" if arguments.train else None
    if use is None:
        return []
    if arguments.raw != _RAW:
        raise TargetError(f"--{use} is for a dataset in {_RAW}, whose parameters are those of the pipeline")
    return [*(Edit(key, name) for key in lists[use]), Edit(f"validate.method.{name}", "given")]


def _with_dataset(path: Path, edits: Sequence[Edit]) -> str:
    """Return params.yaml with a dataset in it, which is good as a whole."""
    text = edited(path.read_text("utf-8"), edits)
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        tried = Path(folder) / path.name
        tried.write_text(text, "utf-8")
        try:
            read_params(tried)
        except ParamsError as error:
            raise TargetError(f"{path} would be: {str(error).removeprefix(f'{tried}: ')}") from error
    return text


def _next_steps(name: str) -> str:
    return f"""To use it: --evaluate or --train makes these changes. By hand, in params.yaml:
  datasets: add {name}
  validate.method: add `{name}: given`, so that its labels are believed
  to train on it: search.datasets, automl.datasets, rank.datasets and export.dataset name it; so may
    generalise.trained and, in place of a dataset that search.datasets has no more, unseen.trained
  to test on it: transfer.tested names it, and evaluation_only, so that nothing is trained on it
then `dvc repro`."""


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    target = _target(arguments, params)
    edits = _edits(arguments, target.name)
    if edits:
        # Before the dataset is made: what the parameters refuse is said at once.
        _with_dataset(arguments.params, edits)
    labels = read_labels(arguments.labels)
    paths = inputs(arguments.folder, arguments.labels)
    # No half of a dataset is left, whatever ends this.
    with unfinished(target) as part:
        checked = check(arguments.folder, paths, labels, part / "truth.csv", params)
        remark_on_amounts(checked)
        for remark in checked.remarks:
            log.warning("%s", remark)
        refuse(arguments.folder, checked)
        (part / "inputs").mkdir()
        for name, path in paths.items():
            with regular_file.opened(path) as stream, (part / "inputs" / name).open("wb") as copy:
                shutil.copyfileobj(stream, copy)
    stage.say(
        f"{target}: {len(paths)} inputs; connections shared {checked.connections['shared']},"
        f" not shared {checked.connections['not shared']}; windows shared {checked.windows['shared']},"
        f" not shared {checked.windows['not shared']}"
    )
    if edits:
        write_whole(_with_dataset(arguments.params, edits).encode(), arguments.params)
        stage.say(f"{arguments.params}: {', '.join(edit.key for edit in edits)} have {target.name}: `dvc repro`")
        return stage.EXIT_OK
    stage.say(*_next_steps(target.name).splitlines())
    return stage.EXIT_OK
