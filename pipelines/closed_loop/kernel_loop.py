"""What came of connections under controllers of the kernel, in the columns of the simulator's loop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop import comparison, run_outcome
from smartsbd.pipelines.params import Params
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun

_MBIT_PER_BYTE = 8e-6
_NS_PER_S = 1e9
#: The flow of a run that is no background.
_CONNECTION = "connection"
#: What a terminal shows of a comparison.
_SHOWN = ("variant", "control", "runs", "goodput_mbit_s", "rival_mbit_s", "over_lia", "over_reno", "right_share")


#: What the testbed puts behind a run's name.
SUFFIX = ".log.zst"
#: The value of ``by`` where no verdicts decide.
_ALWAYS = "always"


def of_run(decided: pd.DataFrame, token: str) -> pd.DataFrame:
    """Return the decisions about a connection that verdicts made; no rows if there were no verdicts.

    Parameters
    ----------
    decided : DataFrame
        As :func:`smartsbd.testbed.decided_groups.of_status` yields it.
    token : str
        Hexadecimal; the recorder writes no zeros in front.

    Returns
    -------
    DataFrame
        Rows of `decided`.
    """
    by_verdicts: pd.DataFrame = decided[decided["by"] != _ALWAYS]
    return by_verdicts[by_verdicts["token"].map(lambda text: int(text, 16) == int(token, 16)).astype(bool)]


def sent_s(received: pd.DataFrame) -> dict[str, float]:
    """Return for how long the connection of each run was to send, in s, by the run's name.

    Parameters
    ----------
    received : DataFrame
        ``received.csv`` of the testbed's folder.

    Returns
    -------
    dict of str to float
        Seconds.
    """
    of_connection = received[received["flow"] == _CONNECTION]
    return dict(zip(of_connection["run"].astype(str), of_connection["sent_s"].astype(float), strict=True))


def while_it_sent(decided: pd.DataFrame, seconds: float) -> pd.DataFrame:
    """Return the decisions about a connection while it sent.

    Sockets stay for minutes when the network is gone, and each of their timeouts is a signal. So decisions count from
    the first status on for as long as the connection was to send, or until its last signal if that is earlier.

    Returns
    -------
    DataFrame
        Rows of `decided`, in the order of time.
    """
    ordered = decided.sort_values("time_ns")
    last_ns = int(ordered.loc[ordered["signals"] == ordered["signals"].max(), "time_ns"].min())
    ended_ns = int(ordered["time_ns"].min() + seconds * _NS_PER_S)
    sent: pd.DataFrame = ordered[ordered["time_ns"] <= min(last_ns, ended_ns)]
    return sent


def _groups_beside_truth(decided: pd.DataFrame, shared: bool, seconds: float) -> dict[str, float]:
    """Return how long, and whether at the end, groups were as the truth; nan for a connection that has none."""
    if decided.empty:
        return dict.fromkeys(("apart_share", "right_share", "right_at_end"), math.nan)
    coupled = while_it_sent(decided, seconds)["coupled"].to_numpy(bool)
    right = coupled == shared
    return {
        "apart_share": float((~coupled).mean()),
        "right_share": float(right.mean()),
        "right_at_end": float(right[-1]),
    }


def outcomes(
    loops: Mapping[str, LoopRun], received: pd.DataFrame, truth: pd.DataFrame, decided: pd.DataFrame
) -> pd.DataFrame:
    """Return what came of each run, one row for each.

    Parameters
    ----------
    loops : mapping of str to LoopRun
        What each run is of the experiment, by its name; one that failed has no row.
    received, truth : DataFrame
        ``received.csv`` and ``truth.csv`` of the testbed's folder; tokens are text.
    decided : DataFrame
        As :func:`smartsbd.testbed.decided_groups.of_status` yields it.

    Returns
    -------
    DataFrame
        The network, ``control``, and what :class:`~smartsbd.pipelines.closed_loop.run_outcome.Outcome` has of a run in
        the simulator: ``rival_mbit_s`` is the mean over its bulk flows, ``jain`` is nan where nothing is shared or
        nothing is beside the connection. ``utilisation`` is that of the bottleneck that was used less.
    """
    rows = []
    lasted = sent_s(received)
    goodput = received.assign(mbit_s=received["bytes"] * _MBIT_PER_BYTE / received["sent_s"])
    for (name, token, shared), pairs in truth.groupby(["input", "token", "shared"], sort=False):
        run = str(name).removesuffix(SUFFIX)
        loop = loops[run]
        flows = goodput[goodput["run"] == run].set_index("flow")["mbit_s"]
        beside = flows.drop(_CONNECTION).dropna()
        fair = bool(shared) and len(beside) > 0
        rows.append(
            {"experiment": loop.experiment, "variant": loop.network.variant}
            | {"place": loop.network.place, "number": loop.network.number, "control": loop.control}
            | {"goodput_mbit_s": flows[_CONNECTION], "rival_mbit_s": beside.mean()}
            | {"jain": run_outcome.jain([flows[_CONNECTION], *beside]) if fair else math.nan}
            | _groups_beside_truth(of_run(decided, str(token)), bool(shared), lasted[run])
            | {"utilisation": pairs[["utilisation_a", "utilisation_b"]].min(axis=None)}
        )
    return pd.DataFrame(rows)


def judged(
    loops: Mapping[str, LoopRun], received: pd.DataFrame, truth: pd.DataFrame, decided: pd.DataFrame
) -> pd.DataFrame:
    """Return every verdict that was seen of a connection while it sent, one row for each.

    Status is read twice a second: of two verdicts in between, the last is seen.

    Parameters
    ----------
    loops : mapping of str to LoopRun
        What each run is of the experiment, by its name.
    received, truth : DataFrame
        ``received.csv`` and ``truth.csv`` of the testbed's folder; tokens are text.
    decided : DataFrame
        As :func:`smartsbd.testbed.decided_groups.of_status` yields it.

    Returns
    -------
    DataFrame
        As :func:`smartsbd.pipelines.closed_loop.comparison.accuracy_by_force` takes it: ``in_force`` is what was in
        force when status was last read before the verdict.
    """
    rows = []
    lasted = sent_s(received)
    for (name, token, shared), _ in truth.groupby(["input", "token", "shared"], sort=False):
        run = str(name).removesuffix(SUFFIX)
        loop = loops[run]
        of_connection = of_run(decided, str(token))
        if of_connection.empty:
            continue
        for _, pair in while_it_sent(of_connection, lasted[run]).groupby(["subflow_a", "subflow_b"], sort=False):
            before = pair["coupled"].shift()
            for place in pair.index[pair["verdicts"].diff() > 0]:
                rows.append(
                    {"experiment": loop.experiment, "judge": loop.control, "control": loop.control}
                    | {"shared": bool(shared), "said": pair.loc[place, "shared"]}
                    | {"in_force": run_outcome.COUPLED if before[place] else run_outcome.APART}
                )
    return pd.DataFrame(rows)


def compared(runs: pd.DataFrame, params: Params) -> Iterator[dict[str, Any]]:
    """Yield how controllers compare on the same networks, for a terminal.

    Parameters
    ----------
    runs : DataFrame
        As :func:`outcomes` returns it.
    params : Params

    Yields
    ------
    dict
        A row for each experiment, variant and control, over all places; numbers are text with three digits.
    """
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    for row in comparison.compared(runs, lambda _: "lia", **options):
        if row["place"] == comparison.ALL:
            shown = {name: row[name] for name in _SHOWN}
            yield {name: f"{value:.3f}" if isinstance(value, float) else value for name, value in shown.items()}
