"""What the echoes of a test do not show, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.doctor.guided_test import LEAST_ECHO_INTERVAL_MS
from smartsbd.features.input_evidence import InputEvidence, SparseRtts, SubflowEvidence

_US_PER_MS = 1000


def limits(evidence: InputEvidence, names: tuple[str, str]) -> list[str]:
    """Return what the echoes with both paths loaded do not show: a sentence or two for each limit.

    Parameters
    ----------
    evidence : InputEvidence
        What a verdict on these echoes rests on.
    names : (str, str)
        Of the paths.

    Returns
    -------
    list of str
        Empty if the echoes show all that is needed.
    """
    named = evidence.named(names)
    sentences = []
    if few := named.few():
        sentences.append(
            f"With both loaded, too few echoes over {_names(few)} were answered. Name a host that answers (--ping), or"
            " test for longer (--seconds)."
        )
    sentences += [_sparse_limit(rtts) for rtts in named.sparse()]
    if idle := named.without_queue():
        sentences.append(
            f"With both loaded, there is no sign of a queue on {_names(idle)}. Load with more connections (--streams),"
            " or name a server that sends faster."
        )
    if named.are_apart():
        sentences.append("Echoes over the two paths were never answered at the same time. See that both paths stay up.")
    return sentences


def _sparse_limit(rtts: SparseRtts) -> str:
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
    return " and ".join(subflow.name or f"{subflow.subflow_id}" for subflow in subflows)
