"""What a verdict costs a sender in the kernel, of one processor and of a window: the question of SmartSBD's Table 7."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from smartsbd.features.window import WINDOW_RTTS
from smartsbd.pipelines.closed_loop import detector_cost, kernel_loop
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun

#: What an ACK runs.
_HOOKS = ("smart_pkts_acked", "any_cong_avoid")
_NS_PER_MS = 1e6
_GROWING = ("time_ns", "signals", "works", "work_ns")
_KEYS = ("experiment", "variant", "place", "number", "control")


def hook_ns(programs: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean time that an ACK takes in sbd_smart, in ns; nan unless the kernel counted.

    Parameters
    ----------
    programs : sequence of mapping
        As :meth:`smartsbd.testbed.decided_groups.DecidedGroups.programs` returns them.

    Returns
    -------
    float
        Nanoseconds.

    Examples
    --------
    >>> counted = [{"name": "smart_pkts_acked", "runs": 2, "run_ns": 200}]
    >>> hook_ns([*counted, {"name": "any_cong_avoid", "runs": 1, "run_ns": 50}]), hook_ns(counted)
    (150.0, nan)
    """
    runs = {program["name"]: program for program in programs if program["runs"]}
    if not set(_HOOKS) <= runs.keys():
        return math.nan
    return float(sum(runs[name]["run_ns"] / runs[name]["runs"] for name in _HOOKS))


def costs(
    loops: Mapping[str, LoopRun], received: pd.DataFrame, truth: pd.DataFrame, decided: pd.DataFrame, ack_ns: float
) -> pd.DataFrame:
    """Return what each run under sbd_smart took, one row for each.

    Parameters
    ----------
    loops : mapping of str to LoopRun
        What each run is of the experiment, by its name.
    received, truth : DataFrame
        ``received.csv`` and ``truth.csv`` of the testbed's folder; tokens are text.
    decided : DataFrame
        As :func:`smartsbd.testbed.decided_groups.of_status` yields it.
    ack_ns : float, ns
        As :func:`hook_ns` returns it.

    Returns
    -------
    DataFrame
        The network, ``control``; ``seconds`` that were watched; ``signals`` and ``works`` in them; shares of one
        processor, in percent: ``hook_percent`` of what ACKs run, ``work_percent`` of the work that takes signals and
        asks for verdicts, by its own clock, ``percent`` of both; ``window_ms``, T; ``ms_per_window`` of both; and
        ``work_most_ms``, the longest work. A figure that was not counted is nan.
    """
    rows = []
    lasted = kernel_loop.sent_s(received)
    for (name, token), _ in truth.groupby(["input", "token"], sort=False):
        run = str(name).removesuffix(kernel_loop.SUFFIX)
        loop = loops[run]
        of_connection = kernel_loop.of_run(decided, str(token))
        # There is a row for each pair.
        # A connection whose status was read once or never was not watched.
        asked = (
            kernel_loop.while_it_sent(of_connection, lasted[run]).drop_duplicates("time_ns")
            if len(of_connection)
            else of_connection
        )
        took = asked[list(_GROWING)].iloc[[0, -1]].diff().iloc[-1] if len(asked) else None
        if took is None or not took["time_ns"]:
            continue
        hook = 100 * took["signals"] * ack_ns / took["time_ns"]
        work = 100 * took["work_ns"] / took["time_ns"]
        window_ms = WINDOW_RTTS * max(subflow.rtt_ms for subflow in loop.network.scenario.subflows)
        network = loop.network
        keys = (loop.experiment, network.variant, network.place, network.number, loop.control)
        rows.append(
            dict(zip(_KEYS, keys, strict=True))
            | {"seconds": took["time_ns"] / 1e9, "signals": took["signals"], "works": took["works"]}
            | {"hook_percent": hook, "work_percent": work, "percent": hook + work}
            | {"window_ms": window_ms, "ms_per_window": (hook + work) / 100 * window_ms}
            | {"work_most_ms": asked["work_most_ns"].max() / _NS_PER_MS}
        )
    return pd.DataFrame(rows)


def summed(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield mean and most over the runs of each control, for a terminal.

    Parameters
    ----------
    table : DataFrame
        As :func:`costs` returns it; may be empty.

    Yields
    ------
    dict
        ``control``, ``runs``, and each figure as text: shares in percent, times in milliseconds.
    """
    for row in detector_cost.over_runs(table).to_dict("records"):
        shown: dict[str, Any] = {"control": row["control"], "runs": row["runs"]}
        for name in detector_cost.AVERAGED:
            shown |= {name: f"{row[name]:.4f}", f"most_{name}": f"{row[f'{name}_most']:.4f}"}
        yield shown | {"work_most_ms": f"{row['work_most_ms']:.3f}"}
