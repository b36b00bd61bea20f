"""FLAML: cost-frugal search over boosted trees, forests and logistic regression; one model, no ensemble.

References
----------
Wang et al., FLAML: a fast and lightweight AutoML library, MLSys 2021.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

from smartsbd.models.automl.engine import FINISHED, Engine, Evaluation, Found, Lesson

_LEARNERS = ["lgbm", "xgboost", "xgb_limitdepth", "histgb", "rf", "extra_tree", "lrl1"]
_TREES = ("rf", "extra_tree")


def _evaluations(log: Path, best: dict[str, Any]) -> list[Evaluation]:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    # The last line says again which record was the best.
    records = [line for line in lines if "learner" in line]
    chosen = next(
        place
        for place, record in enumerate(records)
        if (record["learner"], record["config"]) == (best["learner"], best["config"])
    )
    return [
        Evaluation(
            kind=record["learner"],
            status=FINISHED,
            accuracy=1.0 - record["validation_loss"],
            time_s=record["trial_time"],
            setting=record["config"],
            weight=float(place == chosen),
            only_trees=record["learner"] in _TREES,
        )
        for place, record in enumerate(records)
    ]


def _search(lesson: Lesson) -> Found:
    import flaml
    import lightgbm
    import sklearn
    import xgboost
    from flaml import AutoML

    limits = lesson.limits
    log = lesson.scratch / "flaml.jsonl"
    search = AutoML()
    search.fit(
        lesson.x,
        lesson.shared,
        task="classification",
        metric="accuracy",
        estimator_list=_LEARNERS,
        # With a budget of time, or learners chosen by their speed, two searches of one seed would differ.
        max_iter=limits.evaluations,
        time_budget=limits.time_s if limits.evaluations is None else -1,
        learner_selector="roundrobin",
        sample=False,
        eval_method="cv",
        # GroupKFold with as many groups as folds: these very folds.
        split_type="group",
        groups=lesson.fold,
        n_splits=int(lesson.fold.max()) + 1,
        seed=lesson.seed,
        n_jobs=limits.cores,
        log_file_name=str(log),
        log_type="all",
        verbose=0,
    )
    best = {"learner": search.best_estimator, "config": search.best_config}
    return Found(
        probability=lambda x: search.predict_proba(x)[:, 1],
        evaluations=_evaluations(log, best),
        model_bytes=len(pickle.dumps(search.model)),
        versions={package.__name__: package.__version__ for package in (flaml, lightgbm, sklearn, xgboost)},
    )


FLAML = Engine(name="flaml", search=_search)
