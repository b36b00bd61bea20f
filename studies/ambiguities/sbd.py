"""Judge connections by every reading of the paper's SBD: which of them leans as Table 5 says.

The protocol is docs/experiments/table-5.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import logging
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.detectors.grid import points
from smartsbd.detectors.mptcp_sbd import MPTCP_SBD
from smartsbd.detectors.replaying import ReplayedRows, batches, built, read_known, replay_on
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_GRID: dict[str, list[Any]] = {
    "delay": ["rtt", "owd"],
    "together": [0.1, 0.3, 0.5, 0.9],
    "p_mad": [0.1, 0.2, 0.4],
    "p_s": [0.15, 0.3],
}
#: Intervals that an observation looks back: of the public code, and the ten of a sample.
_LOOKS_BACK = (50, 10)
_COLUMNS = ["looks_back", *_GRID]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: recall of each reading")


def readings() -> pd.DataFrame:
    """Return every reading: its name, its parameter set, and what of it differs.

    Examples
    --------
    >>> len(readings())
    96
    """
    rows = []
    for back in _LOOKS_BACK:
        for name, parameters in points(MPTCP_SBD, _GRID).items():
            changed = dataclasses.replace(parameters, m=back, n=back)
            values = {key: getattr(changed, key) for key in _GRID}
            rows.append({"name": f"looks_back={back},{name}", "parameters": changed, "looks_back": back, **values})
    return pd.DataFrame(rows)


def recalls(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what share of shared and of other pairs each reading has right at the end, for each site and over all.

    Parameters
    ----------
    rows : DataFrame
        Of the ``time_share`` table: a row for each pair and ``preset``. A pair without an opinion counts as wrong.

    Returns
    -------
    DataFrame
        Columns ``preset``, ``site`` (``all`` too), ``shared``, ``not_shared`` and ``pairs``.

    Examples
    --------
    >>> rows = pd.DataFrame({"preset": "a", "site": ["x", "x", "y"], "shared": [True, False, False],
    ...                      "last_pred": [True, True, None]})
    >>> recalls(rows)[["site", "shared", "not_shared"]].values.tolist()
    [['all', 1.0, 0.0], ['x', 1.0, 0.0], ['y', nan, 0.0]]
    """
    right = (rows["last_pred"].astype("boolean") == rows["shared"].astype("boolean")).fillna(value=False)
    judged = rows.assign(right=right.astype(float))
    judged = pd.concat([judged.assign(site="all"), judged])
    key = ["preset", "site"]
    shares = judged.pivot_table(index=key, columns="shared", values="right", aggfunc="mean")
    shares = shares.rename(columns={True: "shared", False: "not_shared"})[["shared", "not_shared"]]
    return shares.join(judged.groupby(key).size().rename("pairs")).reset_index()


def _replayed(arguments: argparse.Namespace, tried: pd.DataFrame, params: Params) -> pd.DataFrame:
    """Return the ``time_share`` rows of all readings."""
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    known = read_known(folder, arguments.truth, arguments.pair_window)
    parameters = zip(tried["name"], tried["parameters"], strict=True)
    detectors = {(MPTCP_SBD.name, name): built(MPTCP_SBD, own) for name, own in parameters}
    work = partial(replay_on, folder=folder, detectors=detectors, other_opinions={}, with_groups=False)
    replayed = ReplayedRows()
    for part in parallel.mapped(work, batches(known), params, what="sbd"):
        replayed.add(part)
    return pd.DataFrame(replayed.time_share)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Judge the connections."""
    tried = readings()
    judged = recalls(_replayed(arguments, tried, params))
    table = tried[["name", *_COLUMNS]].merge(judged, left_on="name", right_on="preset", validate="one_to_many")
    table = table.drop(columns=["name", "preset"])
    write_csv(table.sort_values(["site", *_COLUMNS], kind="stable"), arguments.table)
    log.info("%d readings", len(tried))
    return stage.EXIT_OK
