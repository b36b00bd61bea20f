"""Words and order of what a run shows: values, settings, accuracies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

ACCURACIES = ("overall", "overall_low", "overall_high", "balanced", "recall_shared", "recall_not_shared")


NO_NAME = re.compile(r"[^\w.\- :]")  # what MLflow refuses in the name of a metric, and a slash, which groups


def text_of(value: Any) -> str:
    """Return a parameter as MLflow shows it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def setting_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return hyperparameters as text, ``top`` first, without those that are not the family's."""
    texts = {name: text_of(value) for name, value in values.items() if pd.notna(value)}
    return {name: texts[name] for name in sorted(texts, key=lambda name: (name != "top", name))}


def percent_of(metrics: Mapping[str, float], name: str) -> str:
    """Return an accuracy with its interval, where there is one."""
    if name not in metrics:
        return "not judged"
    low, high = (metrics.get(f"{name}_{end}") for end in ("low", "high"))
    between = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * metrics[name]:.1f} %{between}"


def in_order(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return metrics in the order in which a run's page has them: whole datasets before sites, the nested one first."""
    names = sorted(metrics, key=lambda name: ("/site_" in name, not name.startswith("nested/"), "/" not in name))
    return {name: metrics[name] for name in names}
