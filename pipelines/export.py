"""Write the chosen tree as a C header, and prove that it decides as the model does.

With --check nothing is written: the header is rendered again, compiled and replayed, and any
difference from the file that stands there fails.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from export import emit_c, verify
from export.probe import probing_rows
from export.tree import from_fitted, size
from features.catalog import PAIR_WINDOW
from models import store
from pipelines import stage
from pipelines.params import Params
from pipelines.reports import write_json
from traces.contract import read_table
from traces.tables import WINDOW_KEY

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with the fitted models")
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table to replay")
    parser.add_argument("--headers", type=Path, required=True, help="folder for the header")
    parser.add_argument("--replayed", type=Path, required=True, help="parquet file: the header's verdicts")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: size and agreement")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if anything differs")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    model_name = f"{params.export.family}_{params.search.feature_set}"
    model_path = arguments.models / f"{model_name}.skops"
    fitted = store.load(model_path)
    tree = from_fitted(fitted)
    header = emit_c.Header(
        name=f"sbd_{model_name}",
        model_digest=store.digest(model_path),
        trained_on=f"{params.profile} profile, {params.search.rule} windows",
    )
    text = emit_c.render_tree(tree, header)
    code_bytes = verify.check_object(text, header.name)
    windows = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    generated = probing_rows(tree, rows=params.export.generated_rows, seed=params.export.seed)
    verdicts = verify.prove(fitted, header, windows)
    verify.prove(fitted, header, generated)
    rows = {"windows": len(windows), "generated": len(generated)}
    log.info("%s: %d bytes of code; all rows agree: %s", header.name, code_bytes, rows)
    header_path = arguments.headers / f"{header.name}.h"
    if arguments.check:
        if not header_path.exists() or header_path.read_text() != text:
            raise verify.VerifyError(
                f"{header_path} differs from what {model_path} gives: run `sbd export` and commit it"
            )
        return stage.EXIT_OK
    arguments.headers.mkdir(parents=True, exist_ok=True)
    header_path.write_text(text)
    replayed = windows[list(WINDOW_KEY)].assign(model=header.name, shared_pred=verdicts)
    arguments.replayed.parent.mkdir(parents=True, exist_ok=True)
    replayed.to_parquet(arguments.replayed, index=False)
    splits, leaves, depth = size(tree)
    write_json(
        {
            header.name: {
                "model": header.model_digest,
                "header_bytes": len(text.encode()),
                "splits": splits,
                "leaves": leaves,
                "depth": depth,
                "features": list(emit_c.input_names(tree)),
                "rows_agreeing_all": rows,
            }
        },
        arguments.report,
    )
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("export", __doc__ or "", add_arguments, run))
