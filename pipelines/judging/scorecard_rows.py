"""From labelled connections and a foreign detector to a scorecard: its figures beside ours, and what went wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from smartsbd.models.assessment.input_diagnosis import InputFinding, diagnosis
from smartsbd.models.assessment.scorecard_figures import figures, rows_of
from smartsbd.models.labelled.labelled_connection import LabelledConnection, ramped, swapped_partners
from smartsbd.pipelines.judging.detector_opinions import Answers, Asked, opinions_of_ours, ours
from smartsbd.pipelines.params import Params

#: Name of a foreign detector beside ours.
JUDGED = "this detector"


@dataclass(frozen=True)
class Scorecard:
    """A detector's scorecard.

    Attributes
    ----------
    detector : str
    connections, swapped : int
        How many were recorded or simulated, and how many swapped partners were made; of these, as many ramps.
    answers : Answers
    figures : list of dict
        As :func:`~smartsbd.models.assessment.scorecard_figures.figures` returns them; the detector's come first.
    findings : list of InputFinding
        On the recordings.
    left_out : Counter of str
        Labels that do not count, by reason; connections on which a detector of ours is not asked.
    pairs : list of dict
        Each detector's verdicts on each pair.
    """

    detector: str
    connections: int
    swapped: int
    answers: Answers
    figures: list[dict[str, Any]]
    findings: list[InputFinding]
    left_out: Counter[str]
    pairs: list[dict[str, Any]]

    def content(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        answers = {
            name: dict(value) if isinstance(value, Counter) else value for name, value in vars(self.answers).items()
        }
        # asdict() cannot make a Counter anew.
        content = vars(self) | {
            "answers": answers,
            "findings": [asdict(finding) for finding in self.findings],
            "left_out": dict(self.left_out),
        }
        content["pairs"] = [
            {name: None if isinstance(cell, float) and cell != cell else cell for name, cell in row.items()}  # noqa: PLR0124 - nan
            for row in self.pairs
        ]
        return content


def scorecard(
    detector: str,
    asked: Asked,
    connections: list[LabelledConnection],
    backwards: int,
    left_out: Counter[str],
    params: Params,
) -> Scorecard:
    """Ask a detector and ours of all connections and of swapped partners made of them; return its scorecard.

    Parameters
    ----------
    detector : str
        Its name.
    asked : Asked
    connections : list of LabelledConnection
    backwards : int
        Records that were refused because their time runs backwards.
    left_out : Counter of str
        Labels that do not count, by reason; connections that are left out are added.
    params : Params
        Resamples and seed of the intervals.

    Returns
    -------
    Scorecard
    """
    swapped = list(swapped_partners(connections))
    known, answers = ours(), Answers()
    rows: list[dict[str, Any]] = []
    for connection in [*connections, *swapped, *(ramped(partner) for partner in swapped)]:
        answer = asked(connection)
        answers.add(answer)
        if not connection.made:
            answers.try_cut(connection, answer, asked)
        of_ours = opinions_of_ours(connection, known)
        left_out.update(f"connections without the signal of {name}" for name, _ in known if name not in of_ours)
        on_pairs = {JUDGED: answer.on_pairs, **of_ours}
        rows += rows_of(connection, on_pairs)
    options = params.evaluate
    figure_rows = figures(pd.DataFrame(rows), resamples=options.resamples, seed=options.seed)
    return Scorecard(
        detector,
        len(connections),
        len(swapped),
        answers,
        figure_rows,
        diagnosis(connections, backwards),
        left_out,
        rows,
    )
