"""A model to export: what was fitted, and the header, the model file and the card that it becomes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.export import emit_c, model_file
from smartsbd.export.card import CardAccuracy, render_card
from smartsbd.export.layout import Layout
from smartsbd.export.tree import Forest, from_fitted
from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel

_INTERVALS = ("recall_shared", "recall_not_shared", "balanced")


@dataclass(frozen=True)
class ExportedModel:
    """A model to export.

    Attributes
    ----------
    stored : StoredModel
        Its name.
    fitted : Fitted
        What was fitted.
    rule : str
        How the windows that it was trained on are placed.
    forest : Forest
        Its trees in integers.
    header : Header
        What its header says of it.
    text : str
        The header, C.
    file : bytes
        The model file.
    """

    stored: StoredModel
    fitted: Fitted
    rule: str
    forest: Forest
    header: emit_c.Header
    text: str
    file: bytes

    def header_name(self) -> str:
        """Return the name of its header."""
        return f"{self.header.name}.h"

    def card_name(self) -> str:
        """Return the name of its card."""
        return f"{self.header.name}.md"

    def file_name(self) -> str:
        """Return the name of its model file."""
        return f"{self.stored.name}.sbd"

    def rows_of(self, judged: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table of predictions or accuracies that are of this model, trained as it was."""
        return judged[
            (judged["train_set"] == str(WindowSet.of(self.stored.dataset, self.rule)))
            & (judged["model"] == self.stored.family)
            & (judged["feature_set"] == self.stored.feature_set)
        ]

    def card(self, accuracy: pd.DataFrame) -> str:
        """Return its card, Markdown; of the accuracies of all models it takes its own, of all sites together."""
        rows = self.rows_of(accuracy)
        rows = rows[rows["site"] == ALL_SITES]
        held_out = pd.Series([WindowSet.parse(name).dataset == self.stored.dataset for name in rows["test_set"]])
        held_out.index = rows.index
        return render_card(
            self.forest,
            self.header,
            self.fitted.setting,
            _accuracies(rows[held_out]),
            _accuracies(rows[~held_out]),
            {self.header_name(): sha256(self.text.encode()), self.file_name(): sha256(self.file)},
        )

    def report(self) -> dict[str, Any]:
        """Return its size and what it takes."""
        splits, leaves, depth = self.forest.size()
        return {
            "model": self.header.model_digest,
            "layout": self.header.layout,
            "header_bytes": len(self.text.encode()),
            "file_bytes": len(self.file),
            "trees": len(self.forest.trees),
            "splits": splits,
            "leaves": leaves,
            "depth": depth,
            "features": list(self.forest.features()),
        }


def sha256(content: bytes) -> str:
    """Return the SHA-256 in hex digits."""
    return hashlib.sha256(content).hexdigest()


def _accuracies(rows: pd.DataFrame) -> list[CardAccuracy]:
    records: list[dict[str, Any]] = rows.to_dict("records")  # type: ignore[assignment]
    return [
        CardAccuracy(
            row["test_set"],
            row["connections"],
            row["windows"],
            *((row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in _INTERVALS),
        )
        for row in records
    ]


def load(stored: StoredModel, models: Path, rule: str, profile: str, layout: Layout) -> ExportedModel:
    """Return a stored model with what it becomes.

    Parameters
    ----------
    stored : StoredModel
    models : Path
        Folder with one folder of models for each dataset.
    rule : str
        How the windows that it was trained on are placed.
    profile : str
        Of the parameters that it was trained with; the header says so.
    layout : str
        How its trees are written in C.

    Returns
    -------
    ExportedModel
        With its trees, its header and its model file.

    Raises
    ------
    ModelError
        If its file cannot be used.
    ExportError
        If it cannot be exported.
    """
    path = stored.path(models)
    fitted = store.load(path)
    forest = from_fitted(fitted)
    header = emit_c.Header(
        name=f"sbd_{stored.name}",
        model_digest=store.digest(path),
        trained_on=f"{stored.dataset}, {rule} windows, {profile} profile",
        layout=layout,
    )
    text = emit_c.render_model(forest, header)
    return ExportedModel(stored, fitted, rule, forest, header, text, model_file.content(forest))
