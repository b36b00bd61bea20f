"""Runs of the controls of a sender: what each came to, with the loop closed, beside the fixed ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from models.closed_loop.comparison import ALL
from pipelines.params import Params
from pipelines.tracking.run_text import NO_NAME, in_order
from pipelines.tracking.runs import CandidateRun

_COMPARED = (
    *("runs", "goodput_mbit_s", "rival_mbit_s", "jain", "apart_share", "right_share", "right_at_end"),
    *("over_twin", "over_twin_low", "over_twin_high", "over_twin_most", "over_lia", "over_lia_low", "over_lia_high"),
    *("over_reno", "over_reno_low", "over_reno_high", "off_closed_form", "off_closed_form_low", "off_closed_form_high"),
)
_HARM = ("rival_share", "rival_share_low", "rival_share_high")


def _metrics(table: pd.DataFrame, keys: tuple[str, ...], names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return the metrics of each control; the place is not named where all are taken together."""
    metrics: dict[str, dict[str, float]] = {}
    for row in table.to_dict("records"):
        place = [NO_NAME.sub("_", str(row[key])) for key in keys if row[key] != ALL]
        own = metrics.setdefault(row["control"], {})
        own |= {"/".join([*place, name]): float(row[name]) for name in names if pd.notna(row.get(name))}
    return metrics


def loop_runs(folder: Path, params: Params) -> Iterator[CandidateRun]:
    """Gather what each control came to; nothing if no experiment was run.

    Parameters
    ----------
    folder : Path
        What the stage ``loop`` wrote.
    params : Params

    Yields
    ------
    CandidateRun
        One for each control.
    """
    if not (folder / "compared.csv").exists():
        return
    compared = _metrics(pd.read_csv(folder / "compared.csv"), ("experiment", "variant", "place"), _COMPARED)
    harm = pd.read_csv(folder / "harm.csv").assign(experiment="loop_harm")
    beside = _metrics(harm, ("experiment", "place"), _HARM)
    for name, own in compared.items():
        yield CandidateRun(
            name=f"loop {name}",
            params={"control": name, "profile": params.profile},
            metrics=in_order(own | beside.get(name, {})),
            files=(),
            description=f"**{name}** controls a sender in the simulator; a detector's verdicts decide what is coupled."
            " `over_lia` is goodput over that of LIA on the same network, `rival_share` what one TCP flow has beside it"
            " over what it has beside a connection of one path.",
            kind="loop",
        )
