"""The exported C, fed with signals as a sender would, beside the pipeline: windows, features, decisions, judgements.

One difference is an error.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.detectors import lag_excess
from smartsbd.detectors.verdict import default_detector
from smartsbd.export import (
    common_lag_judgements,
    header_program,
    lag_excess_judgements,
    model_file,
)
from smartsbd.export.compilers import Compiler
from smartsbd.export.connection_signals import pairs_of_connections, signals
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.header_program import Replayed
from smartsbd.export.kept_program import kept
from smartsbd.export.tree import NOT_SHARED, Forest
from smartsbd.export.verify import VerifyError
from smartsbd.models.stored.window_opinions import WindowVerdict, opinions_of

#: Headers of models that come from files, and of detectors.
_OF_NO_MODEL = {"sbd_loaded", Path(default_detector.HEADER).stem, Path(lag_excess.HEADER).stem}
_KEY = ["token", "subflow_a", "subflow_b", "window_start_ns"]
#: A model that takes every feature, so that all are computed, and decides nothing.
_ALL_FEATURES = model_file.content(Forest((NOT_SHARED,)), [feature.name for feature in EXPORTABLE])


@dataclass(frozen=True)
class DecidedWindows:
    """The decisions of a header.

    Attributes
    ----------
    decisions : DataFrame
        Key of each window, the header's name as ``model``, and its decision ``shared``.
    partitions : int
        Connections whose partition was compared.
    """

    decisions: pd.DataFrame
    partitions: int


def headers_of_models(headers: Path) -> list[str]:
    """Return the names of the headers in a folder that are made of a model."""
    return sorted({path.stem for path in headers.glob("sbd_*.h")} - _OF_NO_MODEL)


def _table(replayed: Replayed) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "token": decision.token,
            "subflow_a": decision.subflow_a,
            "subflow_b": decision.subflow_b,
            "window_start_ns": decision.start_ns,
            "window_ns": decision.window_ns,
            "shared_pred": decision.shared,
            **decision.features,
        }
        for decision in replayed.decisions
    ]
    columns = [*_KEY, "window_ns", "shared_pred", *(feature.name for feature in EXPORTABLE)]
    return pd.DataFrame(rows, columns=columns)


def _side_by_side(what: str, by_c: pd.DataFrame, expected: pd.DataFrame, *, no_others: bool) -> pd.DataFrame:
    """Return both side by side; fail if a window is missing, or if there is another one and there must be none."""
    both = expected.merge(by_c, on=_KEY, how="outer", suffixes=("", "_c"), indicator=True, validate="one_to_one")
    missing, more = ((both["_merge"] == side).sum() for side in ("left_only", "right_only"))
    if missing or (more and no_others):
        raise VerifyError(f"{what}: C misses {missing} windows and finds {more} that are not there")
    return both[both["_merge"] == "both"]


def _equal_features(what: str, by_c: pd.DataFrame, expected: pd.DataFrame, *, no_others: bool) -> int:
    """Return how many values are the same; all must be."""
    both = _side_by_side(what, by_c, expected, no_others=no_others)
    for name in ("window_ns", *(feature.name for feature in EXPORTABLE)):
        different = int((both[name] != both[f"{name}_c"]).sum())
        if different:
            raise VerifyError(f"{what}: {name} differs in {different} of {len(both)} windows")
    return len(both) * len(EXPORTABLE)


def _verdicts(windows: pd.DataFrame) -> list[WindowVerdict]:
    columns = ("window_start_ns", "window_ns", "subflow_a", "subflow_b", "shared_pred")
    return [
        WindowVerdict(start_ns + window_ns, (a, b), shared)
        for start_ns, window_ns, a, b, shared in zip(*(windows[name].tolist() for name in columns), strict=True)
    ]


def _equal_partitions(what: str, replayed: Replayed, windows: pd.DataFrame) -> int:
    """Return how many connections end with the same partition; all must."""
    by_token = {token: _verdicts(of_connection) for token, of_connection in windows.groupby("token")}
    for token, groups in replayed.partitions.items():
        subflow_ids = sorted(groups)
        opinions = opinions_of(by_token.get(token, []), subflow_ids)
        expected = opinions[-1].partition if opinions else (None,) * len(subflow_ids)
        if replayed.partition(token) != expected:
            raise VerifyError(f"{what}: connection {token} ends with {replayed.partition(token)}, not {expected}")
    return len(replayed.partitions)


def _placed(windows: pd.DataFrame) -> dict[Any, list[tuple[int, int, int]]]:
    """Return where windows start, and of which subflows, by connection."""
    columns = ("token", "window_start_ns", "subflow_a", "subflow_b")
    places: dict[Any, list[tuple[int, int, int]]] = {}
    for token, *place in zip(*(windows[name].tolist() for name in columns), strict=True):
        places.setdefault(token, []).append((place[0], place[1], place[2]))
    return places


def _replay_program(programs: Path, headers: Path, model: str | None, compiler: Compiler) -> Path:
    return kept(
        programs,
        model or "loaded",
        compiler,
        [header_program.SOURCE, *headers.glob("*.h")],
        lambda place: header_program.build(place, headers, model, compiler),
    )


def same_features(folder: Path, windows: pd.DataFrame, headers: Path, compiler: Compiler, programs: Path) -> int:
    """Compare every window that the pipeline found, tiled and triggered: its place, and each feature that C computes.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables.
    windows : DataFrame
        Key, ``window_ns``, ``token`` and features of each window.
    headers : Path
        Folder with the headers.
    compiler : Compiler
    programs : Path
        Folder in which programs are kept.

    Returns
    -------
    int
        How many values are the same.

    Raises
    ------
    VerifyError
        If a window or a value differs.
    """
    program = _replay_program(programs, headers, None, compiler)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "all.sbd"
        file.write_bytes(_ALL_FEATURES)
        compared = 0
        for rule, of_rule in windows.groupby("rule"):
            # C places tiled windows itself; of windows that another rule placed, it receives the starts.
            placed = {} if rule == "tiled" else _placed(of_rule)
            lines = (connection.lines(placed.get(connection.token, [])) for connection in signals(folder))
            by_c = _table(header_program.run(program, lines, file, with_features=True))
            compared += _equal_features(str(rule), by_c, of_rule, no_others=rule == "tiled")
    return compared


def same_judgements(
    folder: Path, headers: Path, compiler: Compiler, programs: Path, most: int | None
) -> dict[str, int]:
    """Compare the judgements of the lag excess, of every pair of the first connections: time, words and score.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables.
    headers : Path
        Folder with the headers.
    compiler : Compiler
    programs : Path
        Folder in which programs are kept.
    most : int or None
        How many connections; None for all.

    Returns
    -------
    dict
        How many ``judgements`` are the same, on how many ``judged_pairs``.

    Raises
    ------
    VerifyError
        If a judgement differs.
    """
    criterion = lag_excess.Criterion()
    sources = [lag_excess_judgements.SOURCE, *headers.glob("*.h")]
    program = kept(
        programs, "judgements", compiler, sources, lambda place: lag_excess_judgements.build(place, headers, compiler)
    )
    pairs = list(pairs_of_connections(folder, most))
    by_program, _ = lag_excess_judgements.run(program, pairs, criterion)
    compared = 0
    for number, ((x, y), judgements) in enumerate(zip(pairs, by_program, strict=True)):
        expected = [lag_excess_judgements.worded(judgement) for judgement in lag_excess.judgements(x, y, criterion)]
        if judgements != expected:
            raise VerifyError(f"sbd_lag_excess: what is said of pair {number} is not what the pipeline says")
        compared += len(judgements)
    return {"judgements": compared, "judged_pairs": len(pairs)}


def same_common_judgements(folder: Path, compiler: Compiler, programs: Path, most: int | None) -> dict[str, int]:
    """Compare the judgements of the common lag, of every pair of the first connections: verdict, score and evidence.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables.
    compiler : Compiler
    programs : Path
        Folder in which programs are kept.
    most : int or None
        How many connections; None for all.

    Returns
    -------
    dict
        How many ``common_judgements`` are the same.

    Raises
    ------
    VerifyError
        If a judgement differs.
    """
    sources = [common_lag_judgements.SOURCE, common_lag_judgements.HEADER]
    program = kept(
        programs,
        "common_judgements",
        compiler,
        sources,
        lambda place: common_lag_judgements.build_common(place, compiler),
    )
    pairs = list(pairs_of_connections(folder, most))
    by_program, _ = common_lag_judgements.by_program(program, pairs)
    for number, ((x, y), judgements) in enumerate(zip(pairs, by_program, strict=True)):
        if judgements != common_lag_judgements.by_pipeline(x, y):
            raise VerifyError(f"sbd_common_lag: what is said of pair {number} is not what the pipeline says")
    return {"common_judgements": sum(map(len, by_program))}


def same_decisions(
    folder: Path, expected: pd.DataFrame, headers: Path, name: str, compiler: Compiler, programs: Path
) -> DecidedWindows:
    """Compare what a header decides on tiled windows, and how it partitions the subflows in the end.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables.
    expected : DataFrame
        Key, ``window_ns``, ``token`` and the verdict ``shared_pred`` of each tiled window, and the header's name as
        ``model``.
    headers : Path
        Folder with the headers.
    name : str
        The header's.
    compiler : Compiler
    programs : Path
        Folder in which programs are kept.

    Returns
    -------
    DecidedWindows
        The header's decisions, and how many partitions were compared.

    Raises
    ------
    VerifyError
        If a window is missing or there is another one, or a decision or a partition differs.
    """
    program = _replay_program(programs, headers, name, compiler)
    replayed = header_program.run(program, (connection.lines() for connection in signals(folder)))
    both = _side_by_side(name, _table(replayed), expected, no_others=True)
    different = int((both["shared_pred"] != both["shared_pred_c"]).sum())
    if different:
        raise VerifyError(f"{name}: {different} of {len(both)} decisions differ from the model's")
    decisions = both[[*WINDOW_KEY, "model", "shared_pred_c"]].rename(columns={"shared_pred_c": "shared"})
    return DecidedWindows(decisions, _equal_partitions(name, replayed, expected))
