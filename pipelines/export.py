"""Write the chosen trees as C headers, and prove that they decide as the models do.

With --check nothing is written: each header is rendered again, compiled and replayed, and any
difference from the file that stands there fails.
"""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from export import emit_c, verify
from export.probe import probing_rows
from export.tree import ExportError, from_fitted, size
from features.catalog import PAIR_WINDOW
from features.reading import DEFAULT
from models import store
from pipelines import stage
from pipelines.params import Params
from pipelines.reports import write_json
from traces.contract import read_table
from traces.tables import WINDOW_KEY

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Exported:
    """A proved header: its name, its verdict on every window, and what the report says of it."""

    name: str
    verdicts: pd.DataFrame
    report: dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with the fitted models")
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table to replay")
    parser.add_argument("--headers", type=Path, required=True, help="folder for the header")
    parser.add_argument("--replayed", type=Path, required=True, help="parquet file: the header's verdicts")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: size and agreement")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything differs")


def _export(model_name: str, windows: pd.DataFrame, where: argparse.Namespace, params: Params) -> Exported:
    """Render, compile and prove one header; write it unless it is only to be checked."""
    model_path = where.models / f"{model_name}.skops"
    fitted = store.load(model_path)
    tree = from_fitted(fitted)
    header = emit_c.Header(
        name=f"sbd_{model_name}",
        model_digest=store.digest(model_path),
        trained_on=f"{params.profile} profile, {params.search.rule} windows",
    )
    text = emit_c.render_tree(tree, header)
    code_bytes = verify.check_object(text, header.name)
    generated = probing_rows(tree, rows=params.export.generated_rows, seed=params.export.seed)
    verdicts = verify.prove(fitted, header, windows)
    verify.prove(fitted, header, generated)
    rows = {"windows": len(windows), "generated": len(generated)}
    log.info("%s: %d bytes of code; all rows agree: %s", header.name, code_bytes, rows)
    header_path = where.headers / f"{header.name}.h"
    if where.check:
        if not header_path.exists() or header_path.read_text() != text:
            raise verify.VerifyError(
                f"{header_path} differs from what {model_path} gives: run `sbd export` and commit it"
            )
    else:
        header_path.write_text(text)
    splits, leaves, depth = size(tree)
    return Exported(
        name=header.name,
        verdicts=windows[list(WINDOW_KEY)].assign(model=header.name, shared_pred=verdicts),
        report={
            "model": header.model_digest,
            "header_bytes": len(text.encode()),
            "splits": splits,
            "leaves": leaves,
            "depth": depth,
            "features": list(emit_c.input_names(tree)),
            "rows_agreeing_all": rows,
        },
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    if params.extract.reading != DEFAULT:
        raise ExportError("extract.reading is not the default: a header's features are defined by the default reading")
    windows = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    if not arguments.check:
        arguments.headers.mkdir(parents=True, exist_ok=True)
    exported = [
        _export(f"{params.export.family}_{feature_set}", windows, arguments, params)
        for feature_set in params.export.feature_sets
    ]
    if arguments.check:
        return stage.EXIT_OK
    arguments.replayed.parent.mkdir(parents=True, exist_ok=True)
    pd.concat([one.verdicts for one in exported]).to_parquet(arguments.replayed, index=False)
    write_json({one.name: one.report for one in exported}, arguments.report)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("export", __doc__ or "", add_arguments, run))
