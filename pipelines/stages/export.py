"""Write the chosen models as C headers and model files, and verify that they decide as the models do.

With --check nothing is written: everything is rendered again, compiled and replayed, and any difference from the
existing files is an error.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from functools import partial
from pathlib import Path

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.export import compilers, exported_model, header_folder, header_program, verify
from smartsbd.export.exported_model import ExportedModel
from smartsbd.export.model_agreement import AgreementRows, agreeing
from smartsbd.export.probe import probing_rows
from smartsbd.export.tree import ExportError
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.features.reading import DEFAULT
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import read_json, write_json, write_parquet
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models for each dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with all datasets' features, to replay")
    parser.add_argument("--predictions", type=Path, required=True, help="predictions of the stored models, to replay")
    parser.add_argument("--accuracy", type=Path, required=True, help="CSV file: accuracies, for the cards")
    parser.add_argument("--detector", type=Path, required=True, help="JSON file: which model is the best")
    parser.add_argument("--headers", type=Path, required=True, help="folder for headers, cards and checksums")
    parser.add_argument("--model-files", type=Path, required=True, help="folder for model files")
    parser.add_argument("--replayed", type=Path, required=True, help="parquet file: the headers' verdicts")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: size and agreement")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything differs")
    parser.add_argument("--all-compilers", action="store_true", help="fail if gcc or clang is not installed")
    parser.add_argument("--publish", type=Path, help="folder to put headers, cards, model files and programs into")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    if params.extract.reading != DEFAULT:
        raise ExportError("extract.reading is not the default: a header's features are defined by the default reading")
    installed = compilers.installed(all_of_them=arguments.all_compilers)
    windows = pd.concat(
        [
            read_table(PAIR_WINDOW, arguments.features / dataset / "pair_window.parquet").to_pandas()
            for dataset in params.datasets
        ],
        ignore_index=True,
    )
    predictions = read_table(PREDICTION, arguments.predictions).to_pandas()
    rule, layouts = params.search.rule, params.export.layouts
    models = [
        exported_model.load(stored, arguments.models, rule, params.profile, layouts[stored.family])
        for stored in params.export.stored()
    ]
    best = read_json(arguments.detector)["exported"]
    if best is None:
        raise ExportError(f"{arguments.detector}: none of the models to export was evaluated: there is no default")
    files = header_folder.contents(models, pd.read_csv(arguments.accuracy), best["model"])
    if arguments.check:
        header_folder.check_same(files, arguments.headers)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
        headers = Path(folder) / "headers"
        header_folder.write(files, headers)
        of_models = [None, *(model.header.name for model in models)]
        build = partial(verify.build_everywhere, headers, compilers=installed)
        # Programs and headers are in folders of this machine.
        built = parallel.mapped(build, of_models, params, what="compile", threads=True, here=True)
        for name, every in zip(of_models, built, strict=True):
            for program in every:
                log.info("%s: %s", name or "sbd_loaded", program)
        loaded = header_program.build(Path(programs), headers, None, installed[0])

        def verified(model: ExportedModel) -> tuple[pd.DataFrame, dict[str, int]]:
            generated = probing_rows(model.forest, rows=params.export.generated_rows, seed=params.export.seed)
            rows = AgreementRows.of(model, windows, predictions, generated)
            return agreeing(model, rows, headers, loaded, installed[0]), rows.counts()

        done = list(parallel.mapped(verified, models, params, what="verify", here=True))
    if not arguments.check:
        header_folder.write(files, arguments.headers)
        header_folder.write({model.file_name(): model.file for model in models}, arguments.model_files)
        write_parquet(pd.concat([verdicts for verdicts, _ in done]), arguments.replayed)
        report = {
            model.header.name: {**model.report(), "rows_agreeing_all": counts}
            for model, (_, counts) in zip(models, done, strict=True)
        }
        write_json(report, arguments.report)
    if arguments.publish:
        header_folder.put_together(models, arguments.headers, arguments.publish)
    return stage.EXIT_OK
