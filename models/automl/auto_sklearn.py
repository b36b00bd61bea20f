"""auto-sklearn 0.15: SmartSBD (AUTO), an ensemble of what its search has tried.

References
----------
SmartSBD, sections 3.4 and 4; Feurer et al., Efficient and robust automated machine learning, NIPS 2015.
"""

from __future__ import annotations

import pickle
from typing import Any

from smartsbd.models.automl.engine import FAILED, FINISHED, OUT_OF_MEMORY, TIMED_OUT, Engine, Evaluation, Found, Lesson

#: Settings that its knowledge of other datasets proposes before the search itself begins.
_INITIAL = 25
_STATUS = {"SUCCESS": FINISHED, "TIMEOUT": TIMED_OUT, "MEMOUT": OUT_OF_MEMORY}
_TREES = ("decision_tree", "extra_trees", "random_forest")


def _evaluation(value: Any, configuration: Any, weight: float) -> Evaluation:
    setting = configuration.get_dictionary()
    status = _STATUS.get(value.status.name, FAILED)
    kind = setting["classifier:__choice__"]
    untouched = (
        setting["feature_preprocessor:__choice__"] == "no_preprocessing"
        and setting["data_preprocessor:feature_type:numerical_transformer:rescaling:__choice__"] == "none"
    )
    return Evaluation(
        kind=kind,
        status=status,
        accuracy=1.0 - value.cost if status == FINISHED else None,
        time_s=value.time,
        setting={name: choice for name, choice in setting.items() if choice is not None},
        weight=weight,
        only_trees=kind in _TREES and untouched,
    )


def _search(lesson: Lesson) -> Found:
    import autosklearn
    import numpy as np
    import sklearn
    import smac
    from autosklearn.classification import AutoSklearnClassifier
    from autosklearn.metrics import accuracy
    from sklearn.model_selection import PredefinedSplit

    limits = lesson.limits
    classifier = AutoSklearnClassifier(
        time_left_for_this_task=limits.time_s,
        per_run_time_limit=limits.evaluation_time_s,
        initial_configurations_via_metalearning=_INITIAL,
        memory_limit=limits.memory_mb,
        n_jobs=limits.cores,
        seed=lesson.seed,
        metric=accuracy,
        # As by its default, a third is held out; one fold, since its own splits know nothing of connections. Below a
        # split that is given, the number of rows may not change.
        resampling_strategy=PredefinedSplit(np.where(lesson.fold == 0, 0, -1)),
        dataset_compression=False,
        tmp_folder=str(lesson.scratch / "auto-sklearn"),
        delete_tmp_folder_after_terminate=False,
        smac_scenario_args={} if limits.evaluations is None else {"runcount_limit": limits.evaluations},
    )
    classifier.fit(lesson.x, lesson.shared)
    classifier.refit(lesson.x, lesson.shared)
    weight_of = {number: member["ensemble_weight"] for number, member in classifier.show_models().items()}
    history = classifier.automl_.runhistory_
    evaluations = [
        _evaluation(
            value,
            history.ids_config[key.config_id],
            weight_of.get(value.additional_info.get("num_run") if value.additional_info else None, 0.0),
        )
        for key, value in history.data.items()
        if value.status.name != "STOP"  # what was proposed and not begun
    ]
    return Found(
        probability=lambda x: classifier.predict_proba(x)[:, 1],
        evaluations=evaluations,
        model_bytes=len(pickle.dumps(classifier)),
        versions={package.__name__: package.__version__ for package in (autosklearn, sklearn, smac)},
    )


AUTO_SKLEARN = Engine(
    name="auto-sklearn",
    search=_search,
    environment="auto-sklearn",
    python="3.9",
    least_evaluations=_INITIAL + 1,
)
