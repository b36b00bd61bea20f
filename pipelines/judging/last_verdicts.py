"""The default detector's last verdict on each labelled pair of a folder, and how many are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag_judge import CommonLagJudge
from smartsbd.models.last_verdict.final_verdict import latest_rows
from smartsbd.pipelines.judging.judge import opinions
from smartsbd.pipelines.params import Params
from smartsbd.traces import recording
from smartsbd.traces.quarantine import UnreadableInputError


@dataclass(frozen=True)
class LastVerdict:
    """The last verdict on a pair, beside its label.

    Attributes
    ----------
    input : str
        Name of the file.
    setting : str or None
    subflow_a, subflow_b : int
    shared : bool
        The label.
    filled : bool
        Both bottlenecks were used as much as ``validate.min_utilisation`` asks, so the label holds.
    verdict : bool or None
        Whether they share, as judged; None if there is no verdict.
    score : float or None
    reason : str or None
        Why there is none.
    """

    input: str
    setting: str | None
    subflow_a: int
    subflow_b: int
    shared: bool
    filled: bool
    verdict: bool | None
    score: float | None
    reason: str | None


def _filled(row: Mapping[str, Any], least: float) -> bool:
    return all(row[f"utilisation_{side}"] is not None and row[f"utilisation_{side}"] >= least for side in "ab")


def last_verdicts(folder: Path, truth: Sequence[Mapping[str, Any]], params: Params) -> Iterator[LastVerdict]:
    """Yield the last verdict on each pair that has a label, input by input.

    Parameters
    ----------
    folder : Path
        With the inputs.
    truth : sequence of mapping
        Rows of truth.csv; a pair's last label counts.
    params : Params

    Yields
    ------
    LastVerdict

    Raises
    ------
    UnreadableInputError
        If an input cannot be read.
    """
    named, default = default_detector.load()
    judge = CommonLagJudge(default.rule, params.extract.reading)
    last = latest_rows(truth, ("input", "subflow_a", "subflow_b"))
    paths = sorted(folder / name for name in {name for name, _, _ in last})
    for recorded in recording.read_all(paths, params.parse.dialect(), params.parse.bounds()):
        if isinstance(recorded, UnreadableInputError):
            raise recorded
        by_pair = {
            (opinion.subflow_a, opinion.subflow_b): opinion for opinion in opinions(recorded, judge, named.detector)
        }
        name = recorded.path.name
        for (_, a, b), row in ((key, row) for key, row in last.items() if key[0] == name):
            opinion = by_pair.get((a, b))
            yield LastVerdict(
                input=name,
                setting=row["scenario"],
                subflow_a=a,
                subflow_b=b,
                shared=row["shared"],
                filled=_filled(row, params.validate_.min_utilisation),
                verdict=None if opinion is None else opinion.shared,
                score=None if opinion is None else opinion.score,
                reason="not seen" if opinion is None else opinion.reason,
            )


def counted(verdicts: Sequence[LastVerdict]) -> list[dict[str, Any]]:
    """Return the rows of a table: for each label, how many verdicts are right; only pairs whose label holds count.

    Parameters
    ----------
    verdicts : sequence of LastVerdict

    Returns
    -------
    list of dict
        A row for shared, then one for not shared; all numbers are pairs.

    Examples
    --------
    >>> def pair(shared, verdict, filled=True):
    ...     return LastVerdict("a.log", None, 1, 2, shared, filled, verdict, None, None)
    >>> counted([pair(True, True), pair(True, None), pair(False, True), pair(False, False, filled=False)])
    [{'label': 'shared', 'pairs': 2, 'right': 1, 'wrong': 0, 'no verdict': 1, 'not filled': 0}, \
{'label': 'not shared', 'pairs': 1, 'right': 0, 'wrong': 1, 'no verdict': 0, 'not filled': 1}]
    """
    rows = []
    for label, shared in (("shared", True), ("not shared", False)):
        of_label = [last for last in verdicts if last.shared is shared]
        filled = [last.verdict for last in of_label if last.filled]
        rows.append(
            {
                "label": label,
                "pairs": len(filled),
                "right": sum(verdict is shared for verdict in filled),
                "wrong": sum(verdict is (not shared) for verdict in filled),
                "no verdict": sum(verdict is None for verdict in filled),
                "not filled": len(of_label) - len(filled),
            }
        )
    return rows
