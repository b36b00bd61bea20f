"""Compare SVMs in floats and integers with the tree; write headers, and show that the C decides as the integers do."""

from __future__ import annotations

import argparse
import logging
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.export import compilers, emit_c, header_program, svm, verify
from smartsbd.export.probe import border_rows
from smartsbd.export.verify import VerifyError
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.labelled.trial import random_splits
from smartsbd.models.labelled.windows import LabelledWindows, windows_of_kinds
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv, write_json
from smartsbd.pipelines.running import parallel, plan, stage
from studies.svm import nested
from studies.svm.nested import Fold

log = logging.getLogger(__name__)

#: Sets of features, and the models of each that become headers.
FEATURE_SETS = ("paper", "invariant")
EXPORTED = (nested.bounded_name(64), nested.LINEAR)
DRAWN_ROWS = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset that is learnt from")
    parser.add_argument("--features", type=Path, required=True, help="folder with its windows")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: accuracies, headers, proof")


def _prove(integer: svm.IntegerSVM, name: str, headers: Path, windows: pd.DataFrame, seed: int) -> dict[str, Any]:
    """Compare the C with the integers on all windows and on drawn rows; return what was compared, and the sizes."""
    near = windows[list(integer.features)].to_numpy(dtype=np.int64)
    drawn = border_rows(integer.features, near, rows=DRAWN_ROWS, seed=seed)
    compared = {"windows": near, "drawn_rows": drawn}
    said = {what: integer.decisions(x) for what, x in compared.items()}
    for compiler in compilers.installed(all_of_them=True):
        with tempfile.TemporaryDirectory() as folder:
            program = header_program.build(Path(folder), headers, name, compiler)
            for what, x in compared.items():
                rows = verify.row_values(pd.DataFrame(x, columns=list(integer.features)))
                different = int((header_program.verdicts(program, rows) != said[what]).sum())
                if different:
                    raise VerifyError(f"{name} by {compiler.name} differs on {different} of {len(x)} {what}")
    return {
        "vectors": len(integer.vectors) if isinstance(integer, svm.IntegerRBF) else 0,
        "features": list(integer.features),
        "largest_sum_bits": svm.largest_sum(integer).bit_length(),
        **{what: len(x) for what, x in compared.items()},
        **{f"{what}_shared": int(said[what].sum()) for what in compared},
        "built": [asdict(built) for built in verify.build_everywhere(headers, name, compilers.installed())],
    }


def _headers(
    windows: dict[str, LabelledWindows], pair_window: pd.DataFrame, dataset: str, reports: Path, params: Params
) -> dict[str, dict[str, Any]]:
    """Write the headers of the SVMs that are chosen on all windows of a dataset; return the proof of each."""
    families = nested.candidates(params.search.families, params.search.top)
    families = {name: families[name] for name in EXPORTED}
    tiled = pair_window[pair_window["rule"] == nested.RULE]
    proofs = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "smartsbd.h").write_text(emit_c.render_runtime())
        (place / "sbd_loaded.h").write_text(emit_c.render_loaded())
        for feature_set, of_set in windows.items():
            rows = of_set.rows(nested.RULE)
            for name, fitted in nested.chosen_models(of_set, rows, families, plan.method(params.search)):
                integer = svm.from_fitted(fitted)
                header = emit_c.Header(
                    name=f"sbd_{name}_{feature_set}",
                    model_digest=svm.digest(integer),
                    trained_on=f"{dataset}, {nested.RULE} windows, {params.profile} profile",
                )
                text = svm.render(integer, header)
                for written in (place, reports):
                    (written / f"{header.name}.h").write_text(text)
                setting = dict(fitted.setting.hyperparameters) | {"top": fitted.setting.top}
                proof = _prove(integer, header.name, place, tiled, params.export.seed)
                x = tiled[list(fitted.feature_names)].to_numpy(dtype=np.int64)
                equal = integer.decisions(x) == fitted.judge(x.astype(np.float64)).shared_pred
                proofs[header.name] = {"setting": setting, "equal_to_floats": int(equal.sum()), **proof}
                log.info("%s: C and integers agree on %d windows", header.name, proof["windows"])
    return proofs


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the study."""
    params.check_learnable(arguments.dataset)
    options = params.search
    pair_window = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()
    windows = {
        name: windows_of_kinds(pair_window, options.rules, pair_window.iloc[:0], feature_names(name))
        for name in FEATURE_SETS
    }
    folds = [
        Fold(name, number, of_set, split)
        for name, of_set in windows.items()
        for number, split in enumerate(random_splits(of_set, plan.drawing(options)))
    ]
    work = partial(Fold.judged, families=nested.candidates(options.families, options.top), method=plan.method(options))
    judged = pd.concat(parallel.mapped(work, folds, params, what="svm"), ignore_index=True)
    table = nested.accuracies(judged, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    arguments.reports.mkdir(parents=True, exist_ok=True)
    write_csv(table, arguments.reports / "accuracy.csv")
    proofs = _headers(windows, pair_window, arguments.dataset, arguments.reports, params)
    write_json(proofs, arguments.reports / "proof.json")
    return stage.EXIT_OK
