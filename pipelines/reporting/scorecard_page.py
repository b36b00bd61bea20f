"""A scorecard as rows for a terminal, and as one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from smartsbd.models.assessment.scorecard_figures import STRATA
from smartsbd.models.labelled.labelled_connection import CLASSES, RAMPS, SWAPPED_PARTNERS
from smartsbd.pipelines.judging.detector_opinions import Answers
from smartsbd.pipelines.judging.scorecard_rows import Scorecard
from smartsbd.pipelines.reporting.page import Page
from smartsbd.pipelines.reporting.page_template import page_template
from smartsbd.pipelines.reporting.tables.cell import Rows
from smartsbd.pipelines.running.environment import version

_CONTROLS = ("not shared", SWAPPED_PARTNERS, RAMPS)


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def summary(card: Scorecard) -> Rows:
    """Return one row for each detector: accuracy, coverage, delay and false sharing."""
    rows = []
    for figure in card.figures:
        controls = figure["false_sharing"]
        rows.append(
            {
                "detector": figure["detector"],
                "right": _number(figure["right"]),
                "95 %": f"({_number(figure['right_low'])} to {_number(figure['right_high'])})",
                "of decided": _number(figure["decided"]),
                "coverage": _number(figure["coverage"]),
                "wrong": figure["wrong"],
                "none": figure["none"],
                "delay, s": _number(figure["delay_s"], 1),
                **{f"false: {name}": f"{controls[name]['shared']} of {controls[name]['of']}" for name in _CONTROLS},
            }
        )
    return rows


def _by(card: Scorecard, stratum: str) -> Rows:
    there = dict.fromkeys(value for figure in card.figures for value in figure["by"][stratum])
    classes = [value for value in CLASSES.get(stratum, there) if value in there]
    rows = []
    for figure in card.figures:
        row: dict[str, Any] = {"detector": figure["detector"]}
        for value in classes:
            part = figure["by"][stratum].get(value)
            row[value] = "" if part is None else f"{_number(part['right'])}, {_number(part['coverage'])}"
        rows.append(row)
    pairs: dict[str, Any] = {"detector": "pairs"}
    pairs |= {value: str(card.figures[0]["by"][stratum].get(value, {}).get("pairs", 0)) for value in classes}
    return [pairs, *rows]


def said_of_answers(answers: Answers) -> list[str]:
    """Return sentences on how a detector answered."""
    sentences = [f"It answered on {answers.asked - answers.failed.total()} of {answers.asked} connections."]
    sentences += [f"No answer on {count}: {why}." for why, count in sorted(answers.failed.items())]
    sentences += [f"It said: {remark}" for remark in answers.remarks]
    sentences += [f"Refused {count} of its lines: {why}." for why, count in sorted(answers.refused.items())]
    if answers.ahead:
        sentences.append(
            f"On {answers.ahead} of {answers.cut} connections, its verdicts up to the middle were others when it was"
            " told the first half alone: it dates verdicts before their evidence, and its delays mean nothing."
        )
    elif answers.cut:
        sentences.append(f"On {answers.cut} connections, the first half alone gave the same verdicts up to the middle.")
    return sentences


def left_out(card: Scorecard) -> list[str]:
    """Return sentences on labels that do not count."""
    return [f"Left out {count}: {why}." for why, count in sorted(card.left_out.items()) if count]


def render(card: Scorecard) -> str:
    """Return the page.

    Parameters
    ----------
    card : Scorecard

    Returns
    -------
    str
        HTML.
    """
    return page_template("scorecard.html.j2").render(
        card=card,
        page=Page(Path()),
        version=version(),
        summary=summary(card),
        answers=said_of_answers(card.answers),
        left_out=left_out(card),
        strata={name: _by(card, name) for name in STRATA},
    )
