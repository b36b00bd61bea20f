"""What ``sbd detect --live`` says: a line for each change of the verdict on a pair."""

from __future__ import annotations

import json

from smartsbd.detectors.partition import Pair
from smartsbd.detectors.verdict.calibration import wrong_in_words
from smartsbd.detectors.verdict.timed_judgements import TimedJudgement
from smartsbd.features.fixed import ONE_Q10, SCORE_DIGITS
from smartsbd.pipelines.judging.live import LiveJudgement
from smartsbd.pipelines.judging.opinion import SCORE_FORMAT
from smartsbd.pipelines.running import stage

_NS_PER_S = 1e9
#: Pairs whose last verdicts are remembered; the verdict on a forgotten pair is printed again.
_MOST_PAIRS = 4096


class LiveShown:
    """Prints judgements.

    Parameters
    ----------
    model : str
        Name of the judge.
    as_json : bool
        Whether each line is a JSON object.
    every : bool
        Whether judgements that repeat the last one are printed too.
    """

    def __init__(self, model: str, *, as_json: bool, every: bool) -> None:
        self._model = model
        self._as_json = as_json
        self._every = every
        self._said: dict[tuple[int, Pair], tuple[bool | None, str | None]] = {}

    def show(self, token: int, pair: Pair, judgement: LiveJudgement) -> None:
        """Print a judgement if it is new.

        Parameters
        ----------
        token : int
            Of the connection.
        pair : Pair
        judgement : LiveJudgement
        """
        key, words = (token, pair), (judgement.shared, judgement.reason)
        before = self._said.pop(key, None)
        self._said[key] = words
        if len(self._said) > _MOST_PAIRS:
            del self._said[next(iter(self._said))]
        if before == words and not self._every:
            return
        score = None if judgement.score_q10 is None else round(judgement.score_q10 / ONE_Q10, SCORE_DIGITS)
        stage.say(
            self._json(token, pair, judgement, score) if self._as_json else _text(token, pair, judgement, score),
            flush=True,
        )

    def _json(self, token: int, pair: Pair, judgement: LiveJudgement, score: float | None) -> str:
        return json.dumps(
            {
                "time_s": judgement.decided_ns / _NS_PER_S,
                "token": f"{token:x}",
                "subflow_a": pair[0],
                "subflow_b": pair[1],
                "shared": judgement.shared,
                "score": score,
                "model": self._model,
                "reason": judgement.reason,
                "wrong_share": _wrong_share(judgement),
            }
        )


def _wrong_share(judgement: LiveJudgement) -> float | None:
    return judgement.wrong_share if isinstance(judgement, TimedJudgement) else None


def _text(token: int, pair: Pair, judgement: LiveJudgement, score: float | None) -> str:
    verdict = {True: "shared", False: "not shared", None: f"no verdict: {judgement.reason}"}[judgement.shared]
    scored = "" if score is None else f"; score {SCORE_FORMAT.format(score)}"
    share = _wrong_share(judgement)
    scored += "" if share is None else f": {wrong_in_words(share)}"
    where = f"connection {token:x}, subflows {pair[0]} and {pair[1]}"
    return f"{judgement.decided_ns / _NS_PER_S:.3f} s  {where}: {verdict}{scored}"
