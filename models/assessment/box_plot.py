"""Boxes of RTTs and throughput for each place, label and path: the numbers of SmartSBD's Fig. 3 and Fig. 5."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader

#: Site or dataset, label, path.
Place = tuple[str, str, str]
#: Connection and subflow.
Subflow = tuple[str, int]
Float64Array = npt.NDArray[np.float64]

_NAMES = ("place", "label", "path")
_BOX = ("low", "q1", "median", "q3", "high", "mean")
_DIGITS = 3
_TRIGGERED = "triggered"


def tukey(values: Float64Array) -> dict[str, float]:
    """Return quartiles and mean, and the lowest and highest value within 1.5 interquartile ranges of the quartiles.

    Parameters
    ----------
    values : (n,) float64
        At least one.

    Returns
    -------
    dict of str to float
        ``low``, ``q1``, ``median``, ``q3``, ``high`` and ``mean``, in the unit of the values, to three digits.

    Examples
    --------
    >>> tukey(np.array([1.0, 2.0, 3.0, 4.0, 90.0]))
    {'low': 1.0, 'q1': 2.0, 'median': 3.0, 'q3': 4.0, 'high': 4.0, 'mean': 20.0}

    References
    ----------
    Tukey, Exploratory Data Analysis, 1977.
    """
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    inside = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    box = dict(zip(_BOX, (inside.min(), q1, median, q3, inside.max(), values.mean()), strict=True))
    return {name: round(float(value), _DIGITS) for name, value in box.items()}


def boxes(parts: Mapping[Place, Sequence[Float64Array]], quantity: str) -> pd.DataFrame:
    """Return one row for each place: its box.

    Parameters
    ----------
    parts : mapping of Place to sequence of float64 arrays
        The values of each place, in parts.
    quantity : str
        Their name and unit.

    Returns
    -------
    DataFrame
        ``quantity``, ``place``, ``label``, ``path``, and the names of :func:`tukey`, in the unit of the quantity.
    """
    return pd.DataFrame(
        [
            {"quantity": quantity, **dict(zip(_NAMES, key, strict=True)), **tukey(np.concatenate(values))}
            for key, values in sorted(parts.items(), key=lambda item: (item[0][0], item[0][2], item[0][1]))
        ],
        columns=["quantity", *_NAMES, *_BOX],
    )


def places(truth: Iterable[Mapping[str, Any]], dataset: str) -> dict[Subflow, Place]:
    """Return place, label and path of each subflow whose pairs all have one valid label.

    Parameters
    ----------
    truth : rows of the ``truth`` table
    dataset : str
        Stands for the site where there is none.

    Returns
    -------
    dict of Subflow to Place
        Other subflows are left out.
    """
    by_subflow: dict[Subflow, set[Place]] = defaultdict(set)
    for row in truth:
        if not row["valid"]:
            continue
        label = "shared" if row["shared"] else "not shared"
        for side in ("a", "b"):
            place = (row["site"] or dataset, label, row[f"path_{side}"] or "path")
            by_subflow[row["connection_id"], row[f"subflow_{side}"]].add(place)
    return {subflow: seen.pop() for subflow, seen in by_subflow.items() if len(seen) == 1}


def rtts_ms(of: Mapping[Subflow, Place], ack: Path) -> pd.DataFrame:
    """Return boxes of all RTT samples.

    Parameters
    ----------
    of : mapping of Subflow to Place
        Of :func:`places`; other subflows are left out.
    ack : Path
        The dataset's ``ack`` table.

    Returns
    -------
    DataFrame
        As :func:`boxes` returns it, in milliseconds.
    """
    samples = defaultdict(list)
    acks = TableReader(tables.ACK, ack, ("subflow_id", "rtt_us"))
    for connection_id in acks:
        rows = acks.rows_of(connection_id).to_pandas().dropna()
        for subflow, samples_of_subflow in rows.groupby("subflow_id"):
            place = of.get((connection_id, int(str(subflow))))
            if place:
                samples[place].append(samples_of_subflow["rtt_us"].to_numpy(dtype=np.float64) / 1000)
    return boxes(samples, "rtt_ms")


def rates_mbit_s(of: Mapping[Subflow, Place], pair_window: pd.DataFrame, series: Path) -> pd.DataFrame:
    """Return boxes of the overall throughput of each triggered window.

    Parameters
    ----------
    of : mapping of Subflow to Place
        Of :func:`places`; other subflows are left out.
    pair_window : DataFrame of the ``pair_window`` table
    series : Path
        The dataset's ``series`` table.

    Returns
    -------
    DataFrame
        As :func:`boxes` returns it, in Mbit/s.
    """
    rates = defaultdict(list)
    columns = ("rule", "subflow_a", "subflow_b", "k", "acked_a_bytes", "acked_b_bytes")
    reader = TableReader(tables.SERIES, series, columns)
    for window in pair_window[pair_window["rule"] == _TRIGGERED].to_dict("records"):
        rows = reader.rows_of(window["connection_id"]).to_pandas()
        points = rows[(rows["rule"] == _TRIGGERED) & (rows["subflow_a"] == window["subflow_a"])]
        points = points[points["subflow_b"] == window["subflow_b"]].sort_values("k")
        for side in ("a", "b"):
            place = of.get((window["connection_id"], window[f"subflow_{side}"]))
            delivered = points[f"acked_{side}_bytes"].iloc[-1] - points[f"acked_{side}_bytes"].iloc[0]
            if place:
                span_us = (window["n"] - 1) * window["step_ns"] / 1000
                rates[place].append(np.array([delivered * 8 / span_us]))
    return boxes(rates, "rate_mbit_s")
