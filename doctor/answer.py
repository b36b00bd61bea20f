"""One answer of three witnesses, in plain words, and what to do next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from smartsbd.doctor import agreement_witness, delay_witness, rate_witness
from smartsbd.doctor.guided_test import BOTH, FIRST, IDLE, LOADED, SECOND
from smartsbd.doctor.observed import Observed, PhaseObserved
from smartsbd.doctor.witness import Witness

WORDS = {True: "shared", False: "not shared", None: "unknown"}
#: This host may stand still for this share of a phase.
MOST_STILL = 0.02
#: A path whose load brings nothing in more than this share of the seconds is idle.
MOST_SILENT = 0.5
#: And so is one over which less than this comes.
LEAST_MBIT_S = 0.05

_SHARED = (
    "One plus one is one here: more paths bring no more. A sender should couple them (LIA and its kin), and a scheduler"
    " gains nothing from the second.",
    "The common queue may be in this host, in its access point, in the network, or at the server. Repeat with another"
    " server: if the answer changes, it was the server.",
)
_LOAD_IT = "A path without load has no bottleneck. See that the server sends over it, and test again."
_SERVE_ON = "What was recorded until then is kept. See that the server goes on sending, and test again."
_NOT_SHARED = ("One plus one is two here: each path has a bottleneck of its own. Coupling them would waste capacity.",)


@dataclass(frozen=True)
class PathsAnswer:
    """What a test, or recordings, say in the end.

    Attributes
    ----------
    names : (str, str)
        Of the paths.
    shared : bool or None
        Whether they share a bottleneck; None is unknown.
    why : str or None
        Why it is unknown.
    witnesses : tuple of Witness
    advice : list of str
        What follows, or what to do next.
    unanswered : (float or None, float or None)
        Of each path, the share of a test's echoes that were not answered.
    """

    names: tuple[str, str]
    shared: bool | None
    why: str | None
    witnesses: tuple[Witness, ...]
    advice: list[str]
    unanswered: tuple[float | None, float | None] = (None, None)

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        first, second = self.names
        words = {True: "they share a bottleneck", False: "they share no bottleneck", None: f"unknown: {self.why}"}
        return [
            f"{first} and {second}: {words[self.shared]}",
            *(f"  {witness.name:<9}  {WORDS[witness.shared]:<10}  {witness.grounds}" for witness in self.witnesses),
            *self._unanswered(),
            *(f"  - {sentence}" for sentence in self.advice),
        ]

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        witnesses = [witness.as_json() for witness in self.witnesses]
        return {"answer": WORDS[self.shared], **asdict(self), "witnesses": witnesses}

    def _unanswered(self) -> list[str]:
        shares = [
            f"{share:.1%} over {name}"
            for name, share in zip(self.names, self.unanswered, strict=True)
            if share is not None
        ]
        return [f"  echoes without an answer: {', '.join(shares)}"] if shares else []


def _obstacle(observed: Observed) -> tuple[str, str] | None:
    """Return why a test tells nothing whatever its witnesses say, and what to do next."""
    for name, done in observed.phases.items():
        if done.broken is not None:
            return f"the load broke off {_when(observed, name)}: {done.broken}", _SERVE_ON
    still = max((phase.still for phase in observed.phases.values()), default=0.0)
    if still > MOST_STILL:
        return (
            f"this host, or its clock, stood still for {still:.0%} of a phase",
            "What stops this host delays both paths at once. End what else runs, and test again.",
        )
    for phase in (FIRST, SECOND, BOTH) if observed.phases else ():
        for number in LOADED[phase]:
            idleness = _idle(observed.phases[phase], number)
            if idleness is not None:
                when = "both were loaded" if phase == BOTH else "it was loaded alone"
                return f"{idleness.format(observed.names[number])}, while {when}", _LOAD_IT
    return None


def _when(observed: Observed, phase: str) -> str:
    first, second = observed.names
    words = {
        IDLE: "without load",
        FIRST: f"with {first} loaded",
        SECOND: f"with {second} loaded",
        BOTH: "with both loaded",
    }
    return words[phase]


def _ask_witnesses(observed: Observed) -> tuple[Witness, ...]:
    """Return what the witnesses say; of a test that ended early, nothing."""
    kinds = (rate_witness, delay_witness, agreement_witness)
    if observed.phases and BOTH not in observed.phases:
        return tuple(Witness(kind.NAME, None, "the test ended before both were loaded") for kind in kinds)
    return tuple(kind.witness(observed) for kind in kinds)


def _idle(phase: PhaseObserved, number: int) -> str | None:
    """Return how little came of a load that brought next to nothing, with a place for the path's name."""
    rate_mbit_s, silent = phase.mbit_s(number), phase.silent_share(number)
    if rate_mbit_s < LEAST_MBIT_S:
        return f"{rate_mbit_s:.3g} Mbit/s came over {{}}"
    return f"nothing came over {{}} in {silent:.0%} of the seconds" if silent > MOST_SILENT else None


def _combined(witnesses: tuple[Witness, ...]) -> tuple[bool | None, str | None]:
    decided = [witness for witness in witnesses if witness.shared is not None]
    if not decided:
        return None, "no witness can tell"
    if len(decided) == 1:
        (only,) = decided
        return (only.shared, None) if only.counts_alone else (None, f"only {only.name} can tell, which is too little")
    shared = sum(witness.shared is True for witness in decided)
    if 2 * shared == len(decided):
        return None, "the witnesses contradict each other"
    return 2 * shared > len(decided), None


def answer(observed: Observed) -> PathsAnswer:
    """Return what a test, or recordings, say in the end.

    Parameters
    ----------
    observed : Observed

    Returns
    -------
    PathsAnswer

    Notes
    -----
    The answer is that of the majority of the witnesses that can tell. Where only one can tell, it must be one that
    counts alone. No witness counts if a load broke off or brought nothing, or if this host stood still.
    """
    witnesses, obstacle = _ask_witnesses(observed), _obstacle(observed)
    shared, why = _combined(witnesses)
    advice = _next(observed) if shared is None else list(_SHARED if shared else _NOT_SHARED)
    if obstacle is not None:
        shared, why, advice = None, obstacle[0], [obstacle[1]]
    unanswered = observed.unanswered_share(0), observed.unanswered_share(1)
    return PathsAnswer(observed.names, shared, why, witnesses, advice, unanswered)


def _next(observed: Observed) -> list[str]:
    """Return what to do when there is no answer."""
    advice = list(observed.both.limits)
    if any(phase.cut for phase in observed.phases.values()):
        advice.append("The load ended early, as much had come as may: allow more (--most-mb).")
    if observed.phases:
        advice.append("Test again for longer (--seconds), with more connections at once (--streams).")
    return advice
