"""Last verdicts by what chooses at the sender, its controller and its scheduler: whether a detector holds under each.

The same networks are run under each choice, so a choice is compared with another one network by network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.models.assessment.comparison import RIGHT, accuracy_of
from smartsbd.models.last_verdict.final_verdict import PAIR, SAID, latest_rows
from smartsbd.models.last_verdict.simulated_twins import DETECTOR, SIGNALS

#: Columns that identify a pair of subflows under every choice. Networks of one base scenario differ in their label.
NETWORK = ("base", "shared", "subflow_a", "subflow_b")

#: Columns that identify a detector: what kind of one, its name and its parameters.
_JUDGE = ("judge", *DETECTOR)
_UNDER_REFERENCE = "right_under_reference"

#: Splits a setting of the truth table into its base scenario and its choice.
PartsOf = Callable[[str], tuple[str, str]]


class NoValidPairError(Fault):
    """No pair has a valid label under any choice."""


def drawn_pairs(truth: Iterable[Mapping[str, Any]], parts_of: PartsOf) -> pd.DataFrame:
    """Return every pair with its base scenario and its choice, whether its label is valid or not.

    Parameters
    ----------
    truth : rows of the ``truth`` table
    parts_of : callable

    Returns
    -------
    DataFrame
        Columns of :data:`~smartsbd.models.last_verdict.final_verdict.PAIR`, ``base``, ``choice``, ``valid``,
        ``utilisation_a`` and ``utilisation_b``.
    """
    kept = [*PAIR, "valid", "utilisation_a", "utilisation_b"]
    rows = []
    for row in latest_rows(truth, PAIR).values():
        base, choice = parts_of(row["scenario"])
        rows.append({name: row[name] for name in kept} | {"base": base, "choice": choice})
    return pd.DataFrame(rows, columns=[*kept, "base", "choice"])


def by_choice(verdicts: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Return last verdicts with the base scenario and the choice of each.

    Parameters
    ----------
    verdicts : DataFrame
        As :func:`~smartsbd.models.last_verdict.final_verdict.judged` returns them, of all detectors, and ``judge``, the
        kind of each.
    drawn : DataFrame
        As :func:`drawn_pairs` returns it.

    Raises
    ------
    NoValidPairError
        If there is no verdict.
    ValueError
        If a pair of one detector occurs twice under a choice: these are not one network under each.
    """
    if verdicts.empty:
        raise NoValidPairError("no pair has a valid label under any choice")
    rows = verdicts.merge(drawn[[*PAIR, "base", "choice"]], on=list(PAIR), validate="many_to_one")
    again = rows.duplicated([*NETWORK, *_JUDGE, "choice"])
    if again.any():
        raise ValueError(f"{rows.loc[again, 'connection_id'].iloc[0]}: another run has its network and its choice")
    return rows


def compared(
    rows: pd.DataFrame, drawn: pd.DataFrame, references: Mapping[str, str], *, resamples: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield how right each detector is under each choice, and how much less than under the choice's reference.

    Parameters
    ----------
    rows : DataFrame
        As :func:`by_choice` returns them: pairs with a valid label.
    drawn : DataFrame
        As :func:`drawn_pairs` returns it.
    references : mapping of str to str
        The choices in the order of the result, each with the choice that it is compared with.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them; what is resampled are base scenarios.

    Yields
    ------
    dict
        ``judge``, ``detector``, ``parameters``, ``choice`` and ``reference``; ``drawn``: pairs that were run;
        ``pairs``: those with a valid label; ``right``: share of these, no verdict being wrong; ``none_share``: share
        without a verdict; ``decided``: share right of those with one; ``wrong``: pairs decided wrongly; ``both``: pairs
        with a valid label under this choice and its reference, of ``bases`` base scenarios; ``right_on_both`` and
        ``reference_on_both``: share right of these, under either; ``less``: the former less the latter, paired.
        Intervals are of 95 %, and end in ``_low`` and ``_high``. Shares of nothing are nan.

    Raises
    ------
    ValueError
        If a pair was run under none of the choices.
    """
    counts = drawn["choice"].value_counts()
    if not set(counts.index) <= set(references):
        raise ValueError(f"choices of no row: {sorted(set(counts.index) - set(references))}")
    for name, own in _beside_reference(rows, references).groupby(list(_JUDGE), sort=False):
        for choice, reference in references.items():
            of = own[own["choice"] == choice]
            decided, both = of[of[SAID].notna()], of[of[_UNDER_REFERENCE].notna()]
            row: dict[str, Any] = dict(zip(("judge", "detector", "parameters"), name, strict=True))
            row |= {"choice": choice, "reference": reference}
            row |= {"drawn": int(counts.get(choice, 0)), "pairs": len(of), "shared": int(of["shared"].sum())}
            row |= _share(of, "right", resamples, seed)
            row["none_share"] = 1 - len(decided) / len(of) if len(of) else np.nan
            row |= _share(decided, "decided", resamples, seed)
            row["wrong"] = int((decided[RIGHT] == 0).sum())
            row |= {"both": len(both), "bases": both["base"].nunique()}
            row |= {"right_on_both": both[RIGHT].mean(), "reference_on_both": both[_UNDER_REFERENCE].mean()}
            row |= _share(both.assign(**{RIGHT: both[RIGHT] - both[_UNDER_REFERENCE]}), "less", resamples, seed)
            yield row


def _beside_reference(rows: pd.DataFrame, references: Mapping[str, str]) -> pd.DataFrame:
    """Return rows with how right the same detector is of the same network under its reference; nan for no label."""
    key = [*NETWORK, *_JUDGE, "reference"]
    own = rows.rename(columns={"choice": "reference", RIGHT: _UNDER_REFERENCE})[[*key, _UNDER_REFERENCE]]
    beside = rows.assign(reference=rows["choice"].map(references))
    return beside.merge(own, on=key, how="left", validate="many_to_one")


def _share(rows: pd.DataFrame, name: str, resamples: int, seed: int) -> dict[str, float]:
    found = accuracy_of(rows.assign(connection_id=rows["base"]), resamples=resamples, seed=seed)
    return {f"{name}{end}": getattr(found, f"overall{end}") for end in ("", "_low", "_high")}


def compared_signals(signals: pd.DataFrame, drawn: pd.DataFrame, choices: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield for each choice what senders saw of a subflow, the median over all networks.

    Parameters
    ----------
    signals : DataFrame
        One row for each subflow: ``connection_id``, and :data:`~smartsbd.models.last_verdict.simulated_twins.SIGNALS`.
    drawn : DataFrame
        As :func:`drawn_pairs` returns it.
    choices : iterable of str

    Yields
    ------
    dict
        ``drawn`` and ``valid``: pairs that were run, and those with a valid label; ``utilisation``: of a bottleneck;
        ``subflows`` and the signals.
    """
    names = drawn.drop_duplicates("connection_id").set_index("connection_id")["choice"]
    choice_of = signals["connection_id"].map(names)
    for choice in choices:
        pairs, own = drawn[drawn["choice"] == choice], signals[choice_of == choice]
        used = pd.concat([pairs["utilisation_a"], pairs["utilisation_b"]])
        row = {"choice": choice, "drawn": len(pairs), "valid": int(pairs["valid"].sum()), "utilisation": used.median()}
        yield row | {"subflows": len(own)} | {name: own[name].median() for name in SIGNALS}
