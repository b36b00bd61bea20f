"""Runs of AutoML's engines and of their students."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.automl.distillation import TRUTH
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.tracking.experiment import COSTS
from smartsbd.pipelines.tracking.run_text import ACCURACIES, NO_NAME, in_order, percent_of, text_of
from smartsbd.pipelines.tracking.runs import CandidateRun

_JUDGED = (*ACCURACIES, "less_tree", "less_tree_low", "less_tree_high")


def _candidate_description(params: Mapping[str, str], metrics: Mapping[str, float]) -> str:
    judged = [name for name in metrics if name.endswith("/overall") and "/site_" not in name]
    return "\n".join(
        [
            f"**{params['model']}** over the features **{params['feature_set']}**, found on **{params['dataset']}**, "
            f"learnt from {params['learnt_from']}. No model is kept.",
            "",
            *(
                f"- accuracy on {name.removeprefix('on_').removesuffix('/overall')}: {percent_of(metrics, name)}"
                for name in judged
            ),
            f"- made of: {params['kinds']}",
        ]
    )


def candidate_runs(folder: Path, dataset: str, params: Params) -> Iterator[CandidateRun]:
    """Gather AutoML's results on one dataset, without engines that were not run and without families of the search.

    Parameters
    ----------
    folder : Path
        Reports of AutoML on this dataset.
    dataset : str
    params : Params
        With the profile, and AutoML's settings.

    Yields
    ------
    CandidateRun
        One for each model, the labels that it has learnt from, and set of features.
    """
    table = pd.read_csv(folder / "accuracy.csv", keep_default_na=False, na_values=[""])
    labels = ["model", "learnt_from", "feature_set"]
    files = tuple(folder / name for name in ("history.csv", "leaderboard.csv", "members.csv"))
    asked = params.automl.model_dump(exclude={"feature_sets", "evaluations"})
    for key, rows in table[table["test_set"].notna()].groupby(labels, sort=False):
        model, learnt_from, feature_set = map(str, key)
        names = dict(zip(labels, (model, learnt_from, feature_set), strict=True))
        if learnt_from == TRUTH and model not in params.automl.evaluations:
            continue
        first = rows.iloc[0]
        metrics = {name: float(first[name]) for name in COSTS if pd.notna(first[name])}
        for row in rows.to_dict("records"):
            place = f"on_{row['test_set']}"
            if row["site"] != ALL_SITES:
                place += f"/site_{NO_NAME.sub('_', str(row['site']))}"
            metrics |= {f"{place}/{name}": float(row[name]) for name in _JUDGED if pd.notna(row[name])}
        run_params = {
            "dataset": dataset,
            "profile": params.profile,
            **names,
            "kinds": str(first["kinds"]),
            "for_a_kernel": str(first["kernel"]),
            "note": "" if pd.isna(first["note"]) else str(first["note"]),
            **{f"asked_{name}": text_of(value) for name, value in asked.items()},
            "asked_evaluations": text_of(params.automl.evaluations.get(model)),
        }
        yield CandidateRun(
            name=" ".join([dataset, model if learnt_from == TRUTH else f"{model} of {learnt_from}", feature_set]),
            params=run_params,
            metrics=in_order(metrics),
            files=files,
            description=_candidate_description(run_params, metrics),
        )
