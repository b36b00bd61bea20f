"""Between LIA and Reno by the odds that subflows share, beside a switch between both.

By the common lag's verdict, subflows are under LIA or under Reno; by its score, under a mix of both
(:mod:`smartsbd.detectors.verdict.coupling`). Epsilon, what a rival may be expected to lose, is chosen on networks for
design; those of another seed are scored. What is run and how it is chosen was written down before (experiments.md).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.features.fixed import ONE_Q10
from smartsbd.pipelines.closed_loop import run_outcome
from smartsbd.pipelines.closed_loop.comparison import NETWORK, beside_control, by_place, mean_with_interval
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS, Control
from smartsbd.scenarios.closed_loop.unkept_run import run_once
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.sites import SITES

COUPLED, UNCOUPLED, SWITCHED, MIXED = "lia", "reno", "common_lag", "common_lag odds"
#: Behind a control that is run once more, with a number.
AGAIN = " again "
#: What is tried on the networks for design.
EPSILONS = (0.05, 0.1, 0.2, 0.3)
#: In each further run on a shared bottleneck the rival starts so much later.
LATER_S = 0.001
#: A run counts as having gained from where on it has so many times what LIA has had.
GAINED = 1.05
#: A run on a shared bottleneck that has more than this of LIA's goodput has too much.
TOO_MUCH = 1.25
_SEPARATE, _SHARED, _HARM, _BULK = "loop_nsb", "loop_sb", "loop_harm", "bulk"


def _mixed(epsilon: float) -> Control:
    return replace(CONTROLS[MIXED], verdict_parameters={**CONTROLS[MIXED].verdict_parameters, "epsilon": epsilon})


@dataclass(frozen=True)
class OddsNetworks:
    """Networks, and what each of them is run under.

    Attributes
    ----------
    seed : int
    of_site : int
        Networks of each site.
    of_setting : int
        Networks of each setting of ``loop_harm``.
    limited_of_site : int
        How many of them have rate limited rivals too, if their links are separate.
    controls : mapping of str to Control
    repeats : mapping of str to int
        How many further runs a control has where the bottleneck is shared with one flow.
    """

    seed: int
    of_site: int
    of_setting: int
    limited_of_site: int
    controls: Mapping[str, Control]
    repeats: Mapping[str, int]

    def drawn(self) -> Iterator[tuple[str, LoopNetwork]]:
        """Yield each network with the name of its experiment."""
        for name in (_SEPARATE, _SHARED):
            for network in EXPERIMENTS[name].draw(sites=list(SITES), runs=self.of_site, seed=self.seed):
                if name == _SHARED or network.variant == _BULK or network.number < self.limited_of_site:
                    yield name, network
        if self.of_setting:
            for network in EXPERIMENTS[_HARM].draw(runs=self.of_setting, duration_s=60.0, seed=self.seed):
                yield _HARM, network


_PLAIN = {name: CONTROLS[name] for name in (COUPLED, UNCOUPLED, SWITCHED)}
DRAWN: Mapping[str, OddsNetworks] = {
    "design": OddsNetworks(
        seed=20261201,
        of_site=5,
        of_setting=0,
        limited_of_site=0,
        controls=_PLAIN | {f"odds {epsilon}": _mixed(epsilon) for epsilon in EPSILONS},
        repeats={COUPLED: 4},
    ),
    "scored": OddsNetworks(
        seed=20261202,
        of_site=10,
        of_setting=2,
        limited_of_site=5,
        controls=_PLAIN | {name: CONTROLS[name] for name in ("oracle", MIXED)},
        repeats={COUPLED: 4, SWITCHED: 2, MIXED: 2},
    ),
}


def mean_theta(truth: Mapping[str, Any], record: Mapping[str, Any] | None) -> float:
    """Return the share of Reno's increase that the subflows have, the mean over them and over time.

    Parameters
    ----------
    truth : mapping
        What the simulator measured.
    record : mapping, optional
        Groups and shares over time.

    Returns
    -------
    float
        From 0 to 1; nan where it is not told.

    Examples
    --------
    >>> truth = {"subflows": [{"established_ns": 0}], "duration_s": 1.0}
    >>> changes = [{"from_ns": 0, "theta_q10": [0, 0]}, {"from_ns": 750_000_000, "theta_q10": [1024, 512]}]
    >>> mean_theta(truth, {"thetas": changes})
    0.1875
    """
    if record is None or "thetas" not in record:
        return math.nan
    first, last = run_outcome.begin_ns(truth), run_outcome.end_ns(truth)
    changes = record["thetas"]
    ends = [*(change["from_ns"] for change in changes[1:]), last]
    weighed = sum(
        max(0, until - max(change["from_ns"], first)) * sum(change["theta_q10"]) / len(change["theta_q10"])
        for change, until in zip(changes, ends, strict=True)
    )
    return float(weighed / (last - first) / ONE_Q10)


def gained_from_s(delivered: Sequence[float], coupled: Sequence[float]) -> float:
    """Return from which second on a connection has had :data:`GAINED` times what it has had under LIA.

    Parameters
    ----------
    delivered, coupled : sequence of float
        What arrived in each second, under a control and under LIA.

    Returns
    -------
    float, seconds
        Infinite if it has not at the end.

    Examples
    --------
    >>> gained_from_s([1, 1, 3, 3], [1, 1, 1, 1]), gained_from_s([9, 1, 1, 1], [1, 1, 5, 9])
    (2.0, inf)
    """
    gained = math.inf
    sums = [0.0, 0.0]
    for second, rates in enumerate(zip(delivered, coupled, strict=True)):
        sums = [before + rate for before, rate in zip(sums, rates, strict=True)]
        if sums[0] < GAINED * sums[1]:
            gained = math.inf
        elif gained == math.inf:
            gained = float(second)
    return gained


def came_to(
    drawn: tuple[str, LoopNetwork], plan: OddsNetworks, program: Path
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what a network came to under each control, and the scores of its switched run.

    Parameters
    ----------
    drawn : tuple of str and LoopNetwork
        The experiment's name and the network.
    plan : OddsNetworks
        What it is run under, LIA first.
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    list of dict
        A row for each control: :class:`run_outcome.Outcome`, ``rivals_mbit_s`` of all bulk rivals together, ``theta``
        and ``gained_from_s``.
    list of dict
        A row for each judgement with enough samples: ``number_of``, which of the pair's it is, ``score_q10`` and
        whether the pair shares.

    Raises
    ------
    SimulatorError
        If a run failed.
    """
    name, network = drawn
    identity: dict[str, Any] = {"experiment": name, "variant": network.variant, "place": network.place}
    identity |= {"number": network.number}
    rows, scores = [], []
    beside: list[float] = []
    for control, scenario in _scenarios(name, network, plan):
        looped = run_once(scenario, program)
        delivered = [second["goodput_mbit_s"] for second in run_outcome.seconds(looped.truth, None)]
        beside = beside or delivered
        rivals = [
            run_outcome.outcome(looped.truth, None, rival).rival_mbit_s
            for rival, flow in enumerate(network.scenario.background)
            if flow.rate_mbit_s is None
        ]
        outcome = run_outcome.outcome(looped.truth, looped.verdicts, network.rival)
        row = identity | {"control": control, "goodput_mbit_s": outcome.goodput_mbit_s}
        row |= {"rivals_mbit_s": sum(rivals) if rivals else math.nan, "apart_share": outcome.apart_share}
        row |= {"first_apart_s": outcome.first_apart_s, "theta": mean_theta(looped.truth, looped.verdicts)}
        rows.append(row | {"gained_from_s": gained_from_s(delivered, beside)})
        if control == SWITCHED and looped.verdicts is not None:
            scores += [identity | score for score in _scores(looped.truth, looped.verdicts)]
    return rows, scores


def _scenarios(name: str, network: LoopNetwork, plan: OddsNetworks) -> Iterator[tuple[str, Scenario]]:
    """Yield what a network is run as, with the name of the control."""
    for control, applied in plan.controls.items():
        yield control, applied.applied(network.scenario)
    if name != _SHARED or network.rival is None:
        return
    for control, repeats in plan.repeats.items():
        for repeat in range(1, repeats + 1):
            flows = list(network.scenario.background)
            rival = flows[network.rival]
            flows[network.rival] = rival.model_copy(update={"start_s": round(rival.start_s + repeat * LATER_S, 6)})
            later = network.scenario.model_copy(update={"background": tuple(flows)})
            yield f"{control}{AGAIN}{repeat}", plan.controls[control].applied(later)


def _scores(truth: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    labels = {(pair["subflow_a"], pair["subflow_b"]): pair["shared"] for pair in truth["pairs"]}
    told = dict.fromkeys(labels, 0)
    for judgement in record["judgements"]:
        pair = (judgement["subflow_a"], judgement["subflow_b"])
        if judgement["speaks"]:
            told[pair] += 1
            score = {"number_of": told[pair], "said": judgement["said"], "score_q10": judgement["score_q10"]}
            yield score | {"shared": labels[pair]}


def compared(runs: pd.DataFrame, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield how each control does beside LIA on the same networks, by place and of all.

    Parameters
    ----------
    runs : DataFrame
        Rows of :func:`came_to`.
    resamples, seed : int
        Of the intervals.

    Yields
    ------
    dict
        ``networks``; ``over_lia``, the mean over them of its goodput over LIA's, each the mean of its runs on the
        network; ``most_over_lia`` and ``too_much``, how many are above :data:`TOO_MUCH`; ``rivals_over_lia``, what bulk
        rivals had over what they had beside LIA; ``gain``, the part of what Reno gains over LIA, of the means;
        ``gained_from_s``, the median over the networks, and ``gained``, the share of them that has gained at the end;
        ``single`` runs, and ``single_too_much``, how many of them are above :data:`TOO_MUCH` of LIA's first run.
        Intervals end in ``_low`` and ``_high``.
    """
    runs = beside_control(runs, COUPLED, "goodput_mbit_s")
    runs["too_much"] = runs["goodput_mbit_s"] > TOO_MUCH * runs.pop(COUPLED)
    runs["control"] = runs["control"].str.replace(rf"{AGAIN}\d+$", "", regex=True)
    by_network = runs.groupby([*NETWORK, "control"], sort=False)
    whole = by_network.mean().assign(single=by_network.size(), single_too_much=by_network["too_much"].sum())
    whole = whole.reset_index()
    for column, name in (("goodput_mbit_s", "over_lia"), ("rivals_mbit_s", "rivals_over_lia")):
        whole = beside_control(whole, COUPLED, column)
        whole[name] = whole[column] / whole.pop(COUPLED)
    uncoupled: dict[tuple[str, str, str], float] = {
        (experiment, variant, place): group["over_lia"].mean()
        for (experiment, variant, place, control), group in by_place(whole)
        if control == UNCOUPLED
    }
    for (experiment, variant, place, control), group in by_place(whole):
        row: dict[str, Any] = {"experiment": experiment, "variant": variant, "place": place, "control": control}
        row |= {"networks": len(group), "single": int(group["single"].sum())}
        for column in ("over_lia", "rivals_over_lia"):
            row |= mean_with_interval(column, group[column], resamples=resamples, seed=seed)
        gains = uncoupled[experiment, variant, place] - 1
        row |= {"most_over_lia": group["over_lia"].max(), "too_much": int((group["over_lia"] > TOO_MUCH).sum())}
        row["single_too_much"] = int(group["single_too_much"].sum())
        row |= {"gain": (row["over_lia"] - 1) / gains if gains else math.nan}
        row |= {"apart_share": group["apart_share"].mean(), "theta": group["theta"].mean()}
        row |= {"first_apart_s": group["first_apart_s"].median(), "gained_from_s": group["gained_from_s"].median()}
        yield row | {"gained": float((group["gained_from_s"] < math.inf).mean())}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--networks", choices=list(DRAWN), required=True, help="which networks are run")
    parser.add_argument("--runs", type=Path, required=True, help="CSV to write: a row for each run")
    parser.add_argument("--scores", type=Path, required=True, help="CSV to write: a row for each judgement")
    parser.add_argument("--table", type=Path, required=True, help="CSV to write: controls beside LIA")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the networks under each control."""
    plan = DRAWN[arguments.networks]
    work = partial(came_to, plan=plan, program=loop_program.build())
    rows: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    drawn = list(plan.drawn())
    for of_runs, of_scores in parallel.mapped(work, drawn, params, what="loop by_odds", threads=True, here=True):
        rows += of_runs
        scores += of_scores
        # What is there can be looked at, if the rest is not waited for.
        write_csv(pd.DataFrame(rows), arguments.runs)
        write_csv(pd.DataFrame(scores), arguments.scores)
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    write_csv(pd.DataFrame(compared(pd.DataFrame(rows), **options)), arguments.table)
    return stage.EXIT_OK
