"""What the site holds: every document and notebook, under the question that it answers.

A new document needs an entry here; tests/site/test_site.py fails until it has one. Paths are from the project's folder.
"""

from __future__ import annotations

#: The site's first page.
FRONT = "README.md"

#: Documents by section, in the order in which the side bar lists them.
CONTENTS: dict[str, tuple[str, ...]] = {
    "Begin": (
        "docs/running.md",
        "docs/questions.md",
        "docs/doctor.md",
        "docs/own-traces.md",
        "docs/python.md",
    ),
    "The evidence": (
        "docs/results.md",
        "docs/results-detectors.md",
        "docs/results-models.md",
        "docs/results-elsewhere.md",
        "docs/benchmark.md",
        "docs/datasets.md",
        "docs/simulator-trust.md",
        "docs/experiments.md",
        "docs/ambiguities.md",
        "reports/full/README.md",
    ),
    "What is computed": (
        "docs/features.md",
        "docs/detectors.md",
        "docs/automl.md",
        "docs/agents.md",
    ),
    "What goes into a sender": (
        "docs/export.md",
        "export/generated/sbd_lag_excess.md",
        "export/generated/sbd_tree_paper.md",
        "export/generated/sbd_tree_invariant.md",
        "export/generated/sbd_forest_invariant.md",
        "kernel/README.md",
        "kernel/module/README.md",
    ),
    "How it is used": (
        "docs/dvc.md",
        "docs/mlflow.md",
        "docs/scorecard.md",
        "docs/publishing.md",
        "docs/testbed.md",
        "docs/scale-out.md",
        "docs/formats.md",
        "docs/performance.md",
        "docs/reliability.md",
    ),
    "Rooms": (
        "data/README.md",
        "data/samples/README.md",
        "simulator/README.md",
        "scenarios/capacity_traces/README.md",
        "packets/README.md",
        "logs/README.md",
        "windows/README.md",
        "warping/README.md",
        "tests/traces/samples/README.md",
    ),
    "Notebooks": (
        "notebooks/README.md",
        "notebooks/01_connection.ipynb",
        "notebooks/02_features.ipynb",
        "notebooks/03_model_selection.ipynb",
        "notebooks/04_comparison.ipynb",
        "notebooks/05_own_traces.ipynb",
        "notebooks/06_export.ipynb",
        "notebooks/07_verdict.ipynb",
        "notebooks/08_your_own_data.ipynb",
        "notebooks/09_closed_loop.ipynb",
    ),
    "How to add to it": (
        "CONTRIBUTING.md",
        "docs/walks.md",
        "docs/decisions.md",
        "CHANGELOG.md",
    ),
}
