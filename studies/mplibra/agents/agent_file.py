"""The file of an agent: a line of JSON, and the weights as the simulator reads them (``agents/actor.h``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from smartsbd.contracts.fault import InputFault
from smartsbd.contracts.whole_file import write_whole
from studies.mplibra.agents.perceptron import Perceptron

_FORMAT = "smartsbd-agent 1"
_LITTLE_ENDIAN = np.dtype("<f4")
_LONGEST_LINE = 4096
_LARGEST_LAYER = 4096
#: With the inputs.
_MOST_LAYERS = 8
_MOST_BYTES = 1 << 26


class AgentFileError(InputFault):
    """A file is not that of an agent."""


def write(actor: Perceptron, path: Path, card: Mapping[str, object]) -> None:
    """Write an agent.

    Parameters
    ----------
    actor : Perceptron
    path : Path
    card : mapping
        What is to be known of it: it stands in the first line, and the simulator does not read it.
    """
    body = b"".join(
        part.astype(_LITTLE_ENDIAN).tobytes()
        # Those of one output are together there.
        for weights, biases in zip(actor.weights, actor.biases, strict=True)
        for part in (np.ascontiguousarray(weights.T), biases)
    )
    head = {
        "format": _FORMAT,
        "layers": actor.sizes,
        "sha256": hashlib.sha256(body).hexdigest(),
        "card": dict(card),
    }
    write_whole(json.dumps(head).encode() + b"\n" + body, path)


def read(path: Path) -> tuple[Perceptron, dict[str, object]]:
    """Read an agent and its card.

    Parameters
    ----------
    path : Path

    Raises
    ------
    AgentFileError
        If the file is not that of an agent, or its weights are not those of its digest.
    """
    with path.open("rb") as file:
        line, body = file.readline(_LONGEST_LINE), file.read(_MOST_BYTES)
    try:
        head = json.loads(line)
        known, sizes, card = head["format"] == _FORMAT, head["layers"], dict(head["card"])
        digest = head["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise AgentFileError(f"{path}: the first line is not that of an agent") from error
    # A bool is an int, too.
    fit = isinstance(sizes, list) and len(sizes) <= _MOST_LAYERS and len(body) % _LITTLE_ENDIAN.itemsize == 0
    fit = fit and all(type(size) is int and 0 < size <= _LARGEST_LAYER for size in sizes)
    if not known or not fit or hashlib.sha256(body).hexdigest() != digest:
        raise AgentFileError(f"{path}: not of format {_FORMAT!r}, or not the weights of its digest")
    values = np.frombuffer(body, _LITTLE_ENDIAN).astype(np.float32)
    due = sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))
    if sizes[1:][-1:] != [1] or len(values) != due or not np.isfinite(values).all():
        raise AgentFileError(f"{path}: the weights are not those of its layers")
    network, at = Perceptron([], []), 0
    for inputs, outputs in pairwise(sizes):
        network.weights.append(values[at : at + inputs * outputs].reshape(outputs, inputs).T.copy())
        at += inputs * outputs
        network.biases.append(values[at : at + outputs].copy())
        at += outputs
    return network, card
