"""Trials: training windows and test windows. No connection is on both sides of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from smartsbd.models.labelled.partners import rows_of_partners
from smartsbd.models.labelled.split import Split, shuffle_splits
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.windows import SWAPPED, LabelledWindows, Positions


@dataclass(frozen=True)
class Drawing:
    """How random splits are drawn (:func:`~smartsbd.models.labelled.split.shuffle_splits`)."""

    splits: int
    test_share: float
    seed: int
    block: int = 1


@dataclass(frozen=True)
class Trial:
    """One training and its tests.

    Attributes
    ----------
    train_set : str
        What is trained on, as tables name it.
    fold : int
    train : (rows,) int64
        Positions of the training windows.
    tests : dict of str to (rows,) int64
        Positions of the test windows, by the name of the set they stand for.
    """

    train_set: str
    fold: int
    train: Positions
    tests: dict[str, Positions]


def random_splits(windows: LabelledWindows, drawing: Drawing) -> list[Split]:
    """Draw the random splits over all connections with a labelled window; rows of swapped partners take no part.

    Returns
    -------
    list of Split
        Positions among all windows.

    References
    ----------
    SmartSBD, section 5.1.
    """
    labelled = np.flatnonzero(windows.kind != SWAPPED)
    splits = shuffle_splits(
        windows.connections[labelled],
        windows.stratum[labelled],
        splits=drawing.splits,
        test_share=drawing.test_share,
        seed=drawing.seed,
        block=drawing.block,
    )
    return [Split(labelled[split.train], labelled[split.test]) for split in splits]


def of_kind(windows: LabelledWindows, rows: Positions, kind: str) -> Positions:
    """Return those of some rows that are of a kind.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (rows,) int64
        Positions.
    kind : str
        A rule, or :data:`smartsbd.models.labelled.windows.SWAPPED`.

    Returns
    -------
    (n,) int64
        Positions, in the same order.
    """
    chosen: Positions = rows[windows.kind[rows] == kind]
    return chosen


def random_trials(windows: LabelledWindows, dataset: str, rule: str, drawing: Drawing) -> list[Trial]:
    """Train on windows of one rule by random splits; test on those of every rule, and on swapped partners.

    Parameters
    ----------
    windows : LabelledWindows
        Of all kinds.
    dataset : str
        Its name.
    rule : str
    drawing : Drawing

    Returns
    -------
    list of Trial
        One for each split.
    """
    rules = [kind for kind in np.unique(windows.kind).tolist() if kind != SWAPPED]
    drawn_trials = []
    for fold, split in enumerate(random_splits(windows, drawing)):
        tests = {str(WindowSet.of(dataset, kind)): of_kind(windows, split.test, kind) for kind in rules}
        tests[str(WindowSet.of(dataset, SWAPPED))] = rows_of_partners(windows, split.test)
        drawn_trials.append(Trial(str(WindowSet.of(dataset, rule)), fold, of_kind(windows, split.train, rule), tests))
    return drawn_trials


def _leave_one_site_out(windows: LabelledWindows, dataset: str, rule: str) -> Iterator[Trial]:
    rows = windows.rows(rule)
    sites = np.unique(windows.site[rows])
    for fold, site in enumerate(sites):
        here = windows.site[rows] == site
        if len(np.unique(windows.shared[rows[~here]])) <= 1:
            continue  # nothing, or one label only, is left to learn from
        window_set = WindowSet.of(dataset, rule)
        yield Trial(str(replace(window_set, but_a_site=True)), fold, rows[~here], {str(window_set): rows[here]})


def trials(windows: LabelledWindows, dataset: str, rules: Sequence[str], drawing: Drawing) -> list[Trial]:
    """Return every trial of a dataset.

    Parameters
    ----------
    windows, dataset, drawing
        As :func:`random_trials` takes them.
    rules : sequence of str
        Rules of windows to train on by random splits. The first one's also leave one site out, where the others hold
        both labels.

    Returns
    -------
    list of Trial
        By rule those of random splits, then those that leave one site out.

    Notes
    -----
    Training on windows of one rule and testing on those of each compares the paper's training windows (triggered)
    with those a sender meets (tiled).
    """
    of_splits = [trial for rule in rules for trial in random_trials(windows, dataset, rule, drawing)]
    return [*of_splits, *_leave_one_site_out(windows, dataset, rules[0])]
