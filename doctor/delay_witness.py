"""The second witness: whether the echoes of one path wait when the other one alone is loaded."""

from __future__ import annotations

from smartsbd.doctor.guided_test import FIRST, IDLE, SECOND
from smartsbd.doctor.observed import Observed
from smartsbd.doctor.queue_signs import least_wait_ms, waited_ms
from smartsbd.doctor.witness import Witness

NAME = "delays"
#: The echoes of the other path wait at least, or at most, this share of the wait of those over the loaded path.
LEAST_SHARED, MOST_NOT_SHARED = 0.5, 0.2


def _answers(observed: Observed, phase: str, loaded: int) -> tuple[bool | None, str]:
    """Return whether the other path answers the load of one, and the figures."""
    other = 1 - loaded
    name, other_name = observed.names[loaded], observed.names[other]
    loaded_ms, other_ms = waited_ms(observed, phase, loaded), waited_ms(observed, phase, other)
    if loaded_ms is None or other_ms is None:
        return None, f"too few echoes were answered with {name} loaded"
    figures = f"with {name} loaded its echoes waited {loaded_ms:.3g} ms, and those of {other_name} {other_ms:.3g} ms"
    if loaded_ms < least_wait_ms(observed.phases[IDLE].echoes[loaded]):
        return None, f"{figures}: no queue stood"
    part = other_ms / loaded_ms
    return True if part >= LEAST_SHARED else False if part <= MOST_NOT_SHARED else None, figures


def witness(observed: Observed) -> Witness:
    """Return what the delays say with one path loaded and with the other; nothing if these contradict each other.

    Parameters
    ----------
    observed : Observed

    Returns
    -------
    Witness
    """
    if not observed.phases:
        return Witness(NAME, None, "recordings have no echoes of one path while the other is loaded")
    (first, figures), (second, other_figures) = (
        _answers(observed, phase, loaded) for loaded, phase in enumerate((FIRST, SECOND))
    )
    verdicts = {shared for shared in (first, second) if shared is not None}
    return Witness(NAME, verdicts.pop() if len(verdicts) == 1 else None, f"{figures}; {other_figures}")
