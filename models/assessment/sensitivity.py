"""The accuracy of stored models where one factor differs from training; windows without a verdict count as wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.features.reading import Reading
from smartsbd.models.assessment.accuracy import WindowAccuracy, accuracy_of_windows
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.labelled.extraction import AS_TRAINED, Variation, extracted, read_truths
from smartsbd.models.stored.stored_model import StoredModel

_COUNTS = ("predictions", "windows", "connections", "none")


@dataclass(frozen=True)
class SimulatedLevel:
    """A level of a factor that a dataset was simulated with.

    Attributes
    ----------
    factor, level : str
    base : bool
        Whether it is the base setting's.
    scenario : str
        Name of its setting in the truth table.
    """

    factor: str
    level: str
    base: bool
    scenario: str


@dataclass(frozen=True)
class FactorLevel:
    """One level of a factor: its windows, those without a verdict, and its pairs.

    Attributes
    ----------
    factor, level : str
    base : bool
        Whether it is the base setting's, as in training.
    pairs, valid_pairs : int
        How many pairs there are, and how many have a valid label.
    windows : DataFrame of the ``pair_window`` table
        Labelled, of one rule.
    without_verdict : DataFrame of the ``rejected`` table
        Labelled, of one rule.
    """

    factor: str
    level: str
    base: bool
    pairs: int
    valid_pairs: int
    windows: pd.DataFrame
    without_verdict: pd.DataFrame

    @classmethod
    def of(
        cls,
        factor: str,
        level: str,
        *,
        base: bool,
        truth: pd.DataFrame,
        windows: pd.DataFrame,
        rejected: pd.DataFrame,
        rule: str,
    ) -> FactorLevel:
        """Return the level of some connections.

        Parameters
        ----------
        factor, level, base
            The attributes of these names.
        truth : DataFrame of the ``truth`` table
            Of the level's connections.
        windows : DataFrame of the ``pair_window`` table
            Of these connections, and maybe of others.
        rejected : DataFrame of the ``rejected`` table
            Likewise.
        rule : str

        Returns
        -------
        FactorLevel
            Its rows are the labelled ones of this rule and of these connections.
        """

        def labelled(rows: pd.DataFrame) -> pd.DataFrame:
            of_level = rows["connection_id"].isin(truth["connection_id"])
            return rows[(rows["rule"] == rule) & rows["shared"].notna() & of_level]

        return cls(
            factor=factor,
            level=level,
            base=base,
            pairs=len(truth),
            valid_pairs=int(truth["valid"].sum()),
            windows=labelled(windows),
            without_verdict=labelled(rejected),
        )

    def row(self, model: StoredModel, accuracy: WindowAccuracy | None) -> Mapping[str, Any]:
        """Return a row of the table: the accuracy of a model at this level; nan and counts of 0 where there is none."""
        known = {
            "factor": self.factor,
            "level": self.level,
            "base": self.base,
            "trained_on": model.dataset,
            "model": model.family,
            "feature_set": model.feature_set,
            "pairs": self.pairs,
            "valid_pairs": self.valid_pairs,
        }
        if accuracy is not None:
            return known | asdict(accuracy)
        unknown = dict.fromkeys((field.name for field in fields(WindowAccuracy)), float("nan"))
        return known | unknown | dict.fromkeys(_COUNTS, 0)


def simulated(
    levels: Iterable[SimulatedLevel], truth: pd.DataFrame, windows: pd.DataFrame, rejected: pd.DataFrame, rule: str
) -> Iterator[FactorLevel]:
    """Yield the levels that were simulated.

    Parameters
    ----------
    levels : iterable of SimulatedLevel
    truth, windows, rejected : DataFrame of the ``truth``, ``pair_window`` and ``rejected`` tables
        Of the dataset.
    rule : str
        Of the windows.

    Yields
    ------
    FactorLevel
        One for each simulated level, in their order.
    """
    for level in levels:
        level_truth = truth[truth["scenario"] == level.scenario]
        of_level = {"truth": level_truth, "windows": windows, "rejected": rejected}
        yield FactorLevel.of(level.factor, level.level, base=level.base, rule=rule, **of_level)


def variations(
    window_rtts: Sequence[int], missing_shares: Sequence[float], seed: int
) -> Iterator[tuple[str, str, Variation]]:
    """Yield factor, level and variation of each factor that is varied after the simulation.

    Parameters
    ----------
    window_rtts : sequence of int
        Lengths of a window in units of the larger minimum RTT.
    missing_shares : sequence of float
        Probabilities that an RTT sample is missing.
    seed : int
        Decides which samples are missing.

    Yields
    ------
    (str, str, Variation)
        One for each length, then one for each share.

    Examples
    --------
    >>> [(factor, level) for factor, level, _ in variations([50, 100], [0, 0.25], 1)]
    [('window_rtts', '50'), ('window_rtts', '100'), ('missing_share', '0'), ('missing_share', '0.25')]
    """
    for length in window_rtts:
        yield "window_rtts", str(length), Variation(window_rtts=length)
    for share in missing_shares:
        # Where no sample is missing, the seed decides nothing.
        own_seed = seed if share else AS_TRAINED.seed
        yield "missing_share", f"{share:g}", Variation(missing_share=share, seed=own_seed)


def varied(
    every: Iterable[tuple[str, str, Variation]],
    base: pd.DataFrame,
    tables_folder: Path,
    truth: Path,
    dataset: str,
    rule: str,
    reading: Reading,
) -> Iterator[FactorLevel]:
    """Yield the levels of the factors that are varied after the simulation: windows are extracted anew.

    Parameters
    ----------
    every : iterable of (str, str, Variation)
        Of :func:`variations`.
    base : DataFrame of the ``truth`` table
        Of the connections of the base setting.
    tables_folder : Path
        With the dataset's tables.
    truth : Path
        The dataset's truth table.
    dataset, rule, reading
        As :func:`~smartsbd.models.labelled.extraction.extracted` takes them.

    Yields
    ------
    FactorLevel
        One for each variation, in their order.
    """
    truths = read_truths(truth)
    connections = read_table(tables.CONNECTION, tables_folder / "connection.parquet").to_pylist()
    at_base = [row for row in connections if row["connection_id"] in set(base["connection_id"])]
    for factor, level, variation in every:
        extraction = extracted(at_base, tables_folder, truths, dataset, [rule], reading, variation)
        of_level = {
            "truth": base,
            "windows": extraction.pair_window.to_pandas(),
            "rejected": extraction.rejected.to_pandas(),
        }
        yield FactorLevel.of(factor, level, base=variation == AS_TRAINED, rule=rule, **of_level)


def judged(
    fitted: Fitted, windows: pd.DataFrame, without_verdict: pd.DataFrame, *, resamples: int, seed: int
) -> WindowAccuracy | None:
    """Judge a model on some windows.

    Parameters
    ----------
    fitted : Fitted
    windows : DataFrame of the ``pair_window`` table
        Labelled.
    without_verdict : DataFrame of the ``rejected`` table
        Labelled windows that could not be made: each counts as wrong.
    resamples, seed : int
        As :func:`smartsbd.models.assessment.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    WindowAccuracy or None
        None where there is no window of either kind.
    """
    if not len(windows) and not len(without_verdict):
        return None
    verdicts = fitted.judge(windows[list(fitted.feature_names)].to_numpy(dtype=np.float64))
    predictions = windows[[*WINDOW_KEY, "shared"]].assign(shared_pred=verdicts.shared_pred)
    return accuracy_of_windows(predictions, resamples=resamples, seed=seed, none=without_verdict)
