"""RTT samples in a pandas table: the names of its columns say which are times, paths and RTTs, as in any input.

:mod:`~smartsbd.traces.formats.rtt_columns` says which names are known, and what is not clear is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import printable
from smartsbd.samples import NanPolicy, PathSamples, SamplesError
from smartsbd.traces.formats import rtt_columns
from smartsbd.traces.formats.rtt_columns import ColumnsError, RttColumns, Typed

if TYPE_CHECKING:
    import pandas as pd

_CONNECTION, _PATH, _SUBFLOW = "connection", "path", "subflow"
_NS_POWER_OF_S = 9
_US_POWER_OF_S = 6
_TYPED = {"M": Typed.DATE, "m": Typed.DURATION}


def is_frame(value: object) -> bool:
    """Tell whether a value is a DataFrame of pandas, which is not loaded for that: its caller has it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def paths_of(
    frame: pd.DataFrame, name: str, *, nan_policy: NanPolicy = "raise", unit: str | None = None
) -> dict[str | None, PathSamples]:
    """Return the samples of each path of a table, in the order in which they come.

    Parameters
    ----------
    frame : DataFrame
        Columns such as ``time_s``, ``path`` and ``rtt_ms``, in any order; in place of the last two, a column such as
        ``wifi_rtt_ms`` for each path. An index of dates is a column of times. Of ``path`` and ``subflow`` the first
        counts; a column ``connection`` has one value.
    name : str
        What messages call it.
    nan_policy : str
        As :meth:`~smartsbd.samples.PathSamples.of` takes it.
    unit : str, optional
        Of RTTs in columns whose names have none.

    Returns
    -------
    dict of str to PathSamples
        By the path's name; None is the only path of a table that names none.

    Raises
    ------
    SamplesError
        If its columns are not clear, or it has several connections.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"time_s": [0, 0, 1], "path": ["wifi", "lte", "wifi"], "rtt_ms": [20.0, 45.0, 21.5]})
    >>> {path: samples.rtt_us.tolist() for path, samples in paths_of(table, "table").items()}
    {'wifi': [20000, 21500], 'lte': [45000]}
    """
    if _CONNECTION in frame:
        connections = list(frame[_CONNECTION].unique())
        if len(connections) > 1:
            raise SamplesError(f"{name} has {len(connections)} connections: judge each by itself (groupby)")
        frame = frame.drop(columns=_CONNECTION)
    if {_PATH, _SUBFLOW} <= set(frame.columns):
        frame = frame.drop(columns=_SUBFLOW)
    if getattr(frame.index.dtype, "kind", "") == "M" or str(frame.index.name) in ("time", "time_s"):
        frame = frame.reset_index(names=frame.index.name or "time")
    try:
        typed = {place: _TYPED[kind] for place, kind in enumerate(_kinds(frame)) if kind in _TYPED}
        columns = rtt_columns.columns_of([str(column).encode() for column in frame.columns], unit, typed)
    except ColumnsError as error:
        raise SamplesError(printable(f"{name}: {error}".replace("--unit ", "unit="))) from error
    return dict(_samples(frame, columns, name, nan_policy))


def _kinds(frame: pd.DataFrame) -> list[str]:
    return [getattr(dtype, "kind", "O") for dtype in frame.dtypes]


def _samples(
    frame: pd.DataFrame, columns: RttColumns, name: str, nan_policy: NanPolicy
) -> Iterator[tuple[str | None, PathSamples]]:
    """Yield the samples of each path with its name."""
    time_power = _NS_POWER_OF_S if columns.time_power is None else columns.time_power
    parts: Mapping[Any, pd.DataFrame] = {None: frame}
    if columns.path is not None:
        by_path = frame.iloc[:, columns.path]
        if by_path.isna().any():
            raise SamplesError(f"{name}: {int(by_path.isna().sum())} rows name no path")
        parts = {path: frame[(by_path == path).to_numpy()] for path in by_path.unique()}
    for path, part in parts.items():
        times = _scaled(part.iloc[:, columns.time], time_power - _NS_POWER_OF_S)
        for column in columns.rtts:
            rtts = _scaled(part.iloc[:, column.place], column.power - _US_POWER_OF_S)
            label = path if column.path is None else column.path.decode()
            # A column for each path is empty where another one's sample was taken.
            policy: NanPolicy = nan_policy if column.path is None else "omit"
            of_path = name if path is None else f"{name}[{_PATH} {path!r}]"
            yield (
                None if label is None else str(label),
                PathSamples.of(
                    times,
                    rtts,
                    times_name=f"{of_path}[{columns.time_name!r}]",
                    rtts_name=f"{of_path}[{frame.columns[column.place]!r}]",
                    nan_policy=policy,
                ),
            )


def _scaled(values: pd.Series[Any], power: int) -> npt.ArrayLike:
    """Return numbers times a power of ten; dates and durations as they are."""
    if getattr(values.dtype, "kind", "") in "mM":
        return values
    if not hasattr(values.dtype, "na_value"):
        array = values.to_numpy()
    elif getattr(values.dtype, "kind", "") in "iuf":
        array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        return values
    # 1e3 is exact, and 1e-3 is not.
    return array if not power or array.dtype.kind not in "iuf" else array / 10.0**-power
