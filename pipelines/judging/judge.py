"""The judge of an input, by the name that a user gives it, and its opinions on every pair of a connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.detectors import DETECTORS
from smartsbd.detectors.judges import detector_judge
from smartsbd.detectors.pair_opinion import Judge
from smartsbd.export import shipped
from smartsbd.export.compiled_header import HEADER, SUFFIXES, TRUST_HEADER, Compiled, NoHeaderError
from smartsbd.models.stored import loaded_model, stored_model
from smartsbd.models.stored.loaded_model import UnknownModelError
from smartsbd.models.stored.model_judge import ModelJudge
from smartsbd.pipelines.judging import recorded_model
from smartsbd.pipelines.judging.opinion import InputOpinion
from smartsbd.pipelines.params import Params
from smartsbd.traces.connection import Connection
from smartsbd.traces.recording import Recording

FEWER_THAN_TWO = "fewer than two subflows"
PART = "its subflows are of a connection that another input begins"


def judge_of(models: Path, model: str, params: Params, *, trusted: bool = False) -> tuple[str, Judge]:
    """Return a judge and its name: a model or detector by name, an exported or stored model by path.

    A stored model that the user names must be the file that the run recorded; by its path it may be any. The model in
    git is found by its name too, where no model of that name is stored.

    Parameters
    ----------
    models : Path
        Folder of stored models.
    model : str
    params : Params
        Where windows lie, and how they are read.
    trusted : bool
        Whether a header is compiled and run whoever wrote it.

    Returns
    -------
    str
        The name.
    Judge

    Raises
    ------
    UnknownModelError
        If no stored model has that name.
    ModelError
        If the stored model cannot be used, or is not the one that the run recorded.
    UnrecordedModelError
        If a run recorded no stored model of that name.
    UnknownDetectorError
        If the detector has no parameter set of that name.
    NoHeaderError
        If there is no such header or model file, or `trusted` is set and the model is no header.
    UntrustedHeaderError
        If a header did not come with this program, and is not trusted.
    """
    reading = params.extract.reading
    if trusted and not model.endswith(HEADER):
        raise NoHeaderError(f"{TRUST_HEADER} is for a header, and {printable(model)} is none")
    if model.endswith(SUFFIXES):
        return model, Compiled(Path(model), trusted=trusted, reading=reading)
    if model.partition("/")[0] in DETECTORS:
        return model, detector_judge(model, reading)
    if model.endswith(stored_model.SUFFIX):
        name, of_windows = recorded_model.load_by_path(Path(model))
        return name, ModelJudge(of_windows, params.search.rule, reading)
    try:
        stored = loaded_model.load_named(model, models, recorded_model.digest_of_run)
    except UnknownModelError:
        if model != shipped.named_in().model:
            raise
        return model, ModelJudge(shipped.load()[1], params.search.rule, reading)
    return model, ModelJudge(stored, params.search.rule, reading)


def opinions(recorded: Recording, judge: Judge, model: str) -> Iterator[InputOpinion]:
    """Yield a judge's opinions on every pair of subflows of an input; every connection has at least one opinion.

    Parameters
    ----------
    recorded : Recording
    judge : Judge
    model : str
        Its name.

    Yields
    ------
    InputOpinion
    """
    for connection_id, connection in recorded.connections():
        yield from opinions_on(str(recorded.path), connection_id, connection, judge, model)


def opinions_on(
    name: str, connection_id: str, connection: Connection, judge: Judge, model: str
) -> Iterator[InputOpinion]:
    """Yield a judge's opinions on every pair of subflows of a connection, at least one.

    Parameters
    ----------
    name : str
        Of the input.
    connection_id : str
    connection : Connection
    judge : Judge
    model : str
        Its name.

    Yields
    ------
    InputOpinion
    """
    if len(connection.subflows) <= 1:
        yield unjudged(name, model, FEWER_THAN_TWO, connection_id, next(iter(connection.subflows)))
        return
    for opinion in judge.opinions(connection):
        yield InputOpinion.of(opinion, name, connection_id, model)


def unjudged(
    name: str, model: str, reason: str, connection_id: str | None = None, subflow: int | None = None
) -> InputOpinion:
    """Return the reason why there is no opinion on an input, or on one of its connections.

    Parameters
    ----------
    name : str
        Of the input.
    model : str
        Name of the judge.
    reason : str
    connection_id : str, optional
    subflow : int, optional
        The connection's only one.

    Returns
    -------
    InputOpinion
        Its ``shared`` is None.
    """
    return InputOpinion(name, connection_id, subflow, None, None, None, None, None, model, reason)
