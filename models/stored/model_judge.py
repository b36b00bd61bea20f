"""A judge of single windows as a judge of recordings."""

from __future__ import annotations

from collections.abc import Iterator

from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.features import connection_pairs
from smartsbd.features.connection_pairs import Pair
from smartsbd.features.fixed import SCORE_DIGITS
from smartsbd.features.reading import Reading
from smartsbd.features.window import Rejected, Window
from smartsbd.models.stored.loaded_model import WindowJudge
from smartsbd.traces.connection import Connection


class ModelJudge:
    """Judges the windows of each pair by a model.

    Parameters
    ----------
    model : WindowJudge
    rule : str
        How windows are placed.
    reading : Reading
    """

    def __init__(self, model: WindowJudge, rule: str, reading: Reading) -> None:
        self._model = model
        self._rule = rule
        self._reading = reading

    def opinions(self, connection: Connection) -> Iterator[PairOpinion]:
        """Yield the opinions on the windows of each pair; those without a place come first.

        Parameters
        ----------
        connection : Connection

        Yields
        ------
        PairOpinion
            Pair by pair, by the start of the window; a rejected window has a reason in place of a verdict.
        """
        for pair in connection_pairs.pairs(connection, self._rule, self._reading):
            yield from sorted(self._on_windows(pair), key=_start_ns)

    def _on_windows(self, pair: Pair) -> Iterator[PairOpinion]:
        if pair.windows:
            verdicts = self._model.judge(pair.windows)
            for window, shared, score in zip(pair.windows, verdicts.shared_pred, verdicts.score, strict=True):
                yield _on(pair, window.window, bool(shared), round(float(score), SCORE_DIGITS), None)
        for rejected in pair.rejected:
            yield _on(pair, rejected, None, None, rejected.reason)


def _on(
    pair: Pair, window: Window | Rejected, shared: bool | None, score: float | None, reason: str | None
) -> PairOpinion:
    return PairOpinion(pair.subflow_a, pair.subflow_b, window.start_ns, window.window_ns, shared, score, reason)


def _start_ns(opinion: PairOpinion) -> int:
    return -1 if opinion.start_ns is None else opinion.start_ns
