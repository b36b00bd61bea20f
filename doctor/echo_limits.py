"""How far the echoes of a test do not go, and what whoever tests can do about it."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.doctor.guided_test import LEAST_ECHO_INTERVAL_MS
from smartsbd.features.input_evidence import InputEvidence, SparseRtts, SubflowEvidence

_US_PER_MS = 1000


def limits(evidence: InputEvidence, names: tuple[str, str]) -> list[str]:
    """Return what the echoes lack that were sent with both paths loaded: a sentence or two for each limit.

    Parameters
    ----------
    evidence : InputEvidence
        What a verdict of these echoes rests on.
    names : (str, str)
        Of the paths.
    """
    own = evidence.named(names)
    found = []
    if few := own.few():
        found.append(
            f"With both loaded, too few echoes over {_names(few)} were answered. Name a host that answers (--ping), or"
            " test for longer (--seconds)."
        )
    found += [_of_sparse(rtts) for rtts in own.sparse()]
    if idle := own.without_queue():
        found.append(
            f"With both loaded, there is no sign of a queue on {_names(idle)}. Load with more connections (--streams),"
            " or name a server that sends faster."
        )
    if own.are_apart():
        found.append("Echoes over the two paths were never answered at the same time. See that both paths stay up.")
    return found


def _of_sparse(rtts: SparseRtts) -> str:
    name, most_ms = rtts.subflow.name, rtts.most_us // _US_PER_MS
    if most_ms >= LEAST_ECHO_INTERVAL_MS:
        remedy = f"Test with --echo-interval-ms {most_ms} or less."
    else:
        remedy = (
            f"Echoes cannot follow each other within {LEAST_ECHO_INTERVAL_MS} ms, which this path would need: name a"
            " server that is farther away."
        )
    return f"Echoes over {name} were answered {rtts.words}. {remedy}"


def _names(subflows: Sequence[SubflowEvidence]) -> str:
    return " and ".join(own.name or f"{own.subflow_id}" for own in subflows)
