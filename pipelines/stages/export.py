"""Write the chosen models as C headers and model files, and prove that they decide as the models do.

With --check nothing is written: everything is rendered again, compiled and replayed, and any difference from the
files that stand there fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from contracts.contract import read_table
from contracts.tables import PREDICTION, WINDOW_KEY
from export import compilers, default_detector, emit_c, model_file, replay, shipped, verify
from export.card import CardAccuracy, render_card, render_detector_card
from export.compilers import Compiler
from export.probe import probing_rows
from export.tree import ExportError, Forest, from_fitted
from features.catalog import PAIR_WINDOW
from features.reading import DEFAULT
from models import store
from models.accuracy import ALL_SITES
from models.fitted import Fitted
from models.stored_model import StoredModel
from models.window_set import WindowSet
from pipelines.params import Params
from pipelines.reporting.report_files import read_json, write_json
from pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_SUMS = "SHA256SUMS"
_INTERVALS = ("recall_shared", "recall_not_shared", "balanced")


@dataclass(frozen=True)
class Model:
    """A model to export: its name, what was fitted, and what becomes of it."""

    stored: StoredModel
    fitted: Fitted
    forest: Forest
    header: emit_c.Header
    text: str
    file: bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models for each dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with all datasets' features, to replay")
    parser.add_argument("--predictions", type=Path, required=True, help="predictions of the stored models, to replay")
    parser.add_argument("--accuracy", type=Path, required=True, help="CSV file: accuracies, for the cards")
    parser.add_argument("--detector", type=Path, required=True, help="JSON file: which of them is the best")
    parser.add_argument("--headers", type=Path, required=True, help="folder for headers, cards and checksums")
    parser.add_argument("--model-files", type=Path, required=True, help="folder for model files")
    parser.add_argument("--replayed", type=Path, required=True, help="parquet file: the headers' verdicts")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: size and agreement")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything differs")
    parser.add_argument("--all-compilers", action="store_true", help="fail if gcc or clang is not installed")
    parser.add_argument("--publish", type=Path, help="folder to put headers, cards, model files and programs into")


def _model(stored: StoredModel, arguments: argparse.Namespace, params: Params) -> Model:
    fitted = store.load(stored.path(arguments.models))
    forest = from_fitted(fitted)
    header = emit_c.Header(
        name=f"sbd_{stored.name}",
        model_digest=store.digest(stored.path(arguments.models)),
        trained_on=f"{stored.dataset}, {params.search.rule} windows, {params.profile} profile",
        layout=params.export.layouts[stored.family],
    )
    text = emit_c.render_model(forest, header)
    return Model(stored, fitted, forest, header, text, model_file.content(forest))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _accuracies(rows: pd.DataFrame) -> list[CardAccuracy]:
    records: list[dict[str, Any]] = rows.to_dict("records")  # type: ignore[assignment]
    return [
        CardAccuracy(
            row["test_set"],
            row["connections"],
            row["windows"],
            *((row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in _INTERVALS),
        )
        for row in records
    ]


def _card(model: Model, accuracy: pd.DataFrame, params: Params) -> str:
    own = str(WindowSet.of(model.stored.dataset, params.search.rule))
    rows = accuracy[
        (accuracy["train_set"] == own)
        & (accuracy["model"] == model.stored.family)
        & (accuracy["feature_set"] == model.stored.feature_set)
        & (accuracy["site"] == ALL_SITES)
    ]
    held_out = pd.Series([WindowSet.parse(name).dataset == model.stored.dataset for name in rows["test_set"]])
    held_out.index = rows.index
    return render_card(
        model.forest,
        model.header,
        model.fitted.setting,
        _accuracies(rows[held_out]),
        _accuracies(rows[~held_out]),
        {f"{model.header.name}.h": _sha256(model.text.encode()), f"{model.stored.name}.sbd": _sha256(model.file)},
    )


def _default() -> dict[str, bytes]:
    """Return the files of the default detector, by name."""
    content = default_detector.described()
    card = render_detector_card(default_detector.Default(**json.loads(content)))
    return {
        default_detector.NAMED: content,
        default_detector.HEADER: default_detector.SOURCE.read_bytes(),
        default_detector.CARD: card.encode(),
    }


def _shipped(models: Sequence[Model], chosen: str) -> dict[str, bytes]:
    """Return the files of the model that is shipped, by name."""
    (model,) = (one for one in models if str(one.stored) == chosen)
    file = f"{model.stored.name}.sbd"
    named = shipped.Named(chosen, file, f"{model.header.name}.md", _sha256(model.file))
    return {shipped.NAMED: shipped.described(named), file: model.file}


def _files(models: Sequence[Model], accuracy: pd.DataFrame, chosen: str, params: Params) -> dict[str, bytes]:
    """Return the files that stand in git, by name."""
    texts = {"smartsbd.h": emit_c.render_runtime(), "sbd_loaded.h": emit_c.render_loaded()}
    for model in models:
        texts[f"{model.header.name}.h"] = model.text
        texts[f"{model.header.name}.md"] = _card(model, accuracy, params)
    files = {name: text.encode() for name, text in texts.items()} | _shipped(models, chosen) | _default()
    sums = "".join(f"{_sha256(content)}  {name}\n" for name, content in sorted(files.items()))
    return files | {_SUMS: sums.encode()}


def _compare(files: dict[str, bytes], folder: Path) -> None:
    """Fail if a file is not what it would be written as, or is one more."""
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            raise verify.VerifyError(f"{path} differs from what is trained: run `sbd export` and commit it")
    more = sorted(path.name for path in folder.iterdir() if path.name not in files)
    if more:
        raise verify.VerifyError(f"{folder / more[0]} is not of any model in params.yaml: run `sbd export`")


def _predicted(model: Model, windows: pd.DataFrame, predictions: pd.DataFrame, params: Params) -> pd.DataFrame:
    """Return the rows of the stored model's predictions, with their windows' features."""
    own = predictions[
        (predictions["train_set"] == str(WindowSet.of(model.stored.dataset, params.search.rule)))
        & (predictions["model"] == model.stored.family)
        & (predictions["feature_set"] == model.stored.feature_set)
    ]
    key = list(WINDOW_KEY)
    found = own[[*key, "shared_pred"]].merge(windows, on=key, how="left", validate="one_to_one", indicator=True)
    if (found["_merge"] != "both").any():
        raise verify.VerifyError(f"{model.stored.name}: predictions of windows that are in no table of features")
    return found


def _prove(
    model: Model,
    windows: pd.DataFrame,
    predictions: pd.DataFrame,
    headers: Path,
    loaded: Path,
    gcc: Compiler,
    params: Params,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Compile a model's header, and have `loaded` read its file; both must agree with it on all rows."""
    generated = probing_rows(model.forest, rows=params.export.generated_rows, seed=params.export.seed)
    predicted = _predicted(model, windows, predictions, params)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        file = place / f"{model.stored.name}.sbd"
        file.write_bytes(model.file)
        programs = [
            (f"{model.header.name}.h", replay.build(place, headers, model.header.name, gcc), None),
            (file.name, loaded, file),
        ]
        verdicts = verify.prove(model.fitted, programs, windows)
        verify.prove(model.fitted, programs, generated)
        said = verify.prove(model.fitted, programs, predicted)
    different = int((said != predicted["shared_pred"]).sum())
    if different:
        raise verify.VerifyError(f"{model.header.name} differs from its predictions in {different} rows")
    rows = {"windows": len(windows), "generated": len(generated), "predictions": len(predicted)}
    log.info("%s: all rows agree: %s", model.header.name, rows)
    return windows[list(WINDOW_KEY)].assign(model=model.header.name, shared_pred=verdicts), rows


def _report(model: Model, rows: dict[str, int]) -> dict[str, Any]:
    splits, leaves, depth = model.forest.size()
    return {
        "model": model.header.model_digest,
        "layout": model.header.layout,
        "header_bytes": len(model.text.encode()),
        "file_bytes": len(model.file),
        "trees": len(model.forest.trees),
        "splits": splits,
        "leaves": leaves,
        "depth": depth,
        "features": list(model.forest.features()),
        "rows_agreeing_all": rows,
    }


def _write(models: Sequence[Model], files: dict[str, bytes], headers: Path, model_files: Path) -> None:
    for folder in (headers, model_files):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for name, content in files.items():
        (headers / name).write_bytes(content)
    for model in models:
        (model_files / f"{model.stored.name}.sbd").write_bytes(model.file)


def _publish(models: Sequence[Model], headers: Path, folder: Path) -> None:
    """Put together what a sender needs, with checksums of all."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(headers, folder)
    shutil.copy(replay.SOURCE, folder)
    for model in models:
        (folder / f"{model.stored.name}.sbd").write_bytes(model.file)
    (folder / _SUMS).unlink()
    sums = [f"{_sha256(path.read_bytes())}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / _SUMS).write_text("".join(sums))


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    if params.extract.reading != DEFAULT:
        raise ExportError("extract.reading is not the default: a header's features are defined by the default reading")
    found = compilers.installed(all_of_them=arguments.all_compilers)
    windows = pd.concat(
        [
            read_table(PAIR_WINDOW, arguments.features / dataset / "pair_window.parquet").to_pandas()
            for dataset in params.datasets
        ],
        ignore_index=True,
    )
    predictions = read_table(PREDICTION, arguments.predictions).to_pandas()
    models = [_model(one, arguments, params) for one in params.export.stored()]
    best = read_json(arguments.detector)["exported"]
    if best is None:
        raise ExportError(f"{arguments.detector}: none of the models to export was evaluated: there is no default")
    files = _files(models, pd.read_csv(arguments.accuracy), best["model"], params)
    if arguments.check:
        _compare(files, arguments.headers)
    replayed, report = [], {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
        headers = Path(folder)
        for name, content in files.items():
            (headers / name).write_bytes(content)
        of_models = [None, *(model.header.name for model in models)]
        build = partial(verify.build_everywhere, headers, compilers=found)
        # Programs and headers stand in folders of this machine.
        built = parallel.mapped(build, of_models, params, what="compile", threads=True, here=True)
        for own, every in zip(of_models, built, strict=True):
            for one in every:
                log.info("%s: %s", own or "sbd_loaded", one)
        loaded = replay.build(Path(programs), headers, None, found[0])
        proved = parallel.mapped(
            lambda model: _prove(model, windows, predictions, headers, loaded, found[0], params),
            models,
            params,
            what="verify",
            here=True,
        )
        for model, (verdicts, rows) in zip(models, proved, strict=True):
            replayed.append(verdicts)
            report[model.header.name] = _report(model, rows)
    if not arguments.check:
        _write(models, files, arguments.headers, arguments.model_files)
        arguments.replayed.parent.mkdir(parents=True, exist_ok=True)
        pd.concat(replayed).to_parquet(arguments.replayed, index=False)
        write_json(report, arguments.report)
    if arguments.publish:
        _publish(models, arguments.headers, arguments.publish)
    return stage.EXIT_OK
