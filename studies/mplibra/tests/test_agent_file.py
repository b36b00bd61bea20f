"""The file of an agent: what is written is read, and nothing else is."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies.mplibra.agents import agent_file
from studies.mplibra.agents.agent_file import AgentFileError
from studies.mplibra.agents.perceptron import draw_perceptron

ACTOR = draw_perceptron([3, 4, 1], np.random.default_rng(1), 0.5)
CARD = {"name": "mplibra", "seed": 1}


def written(folder: Path) -> Path:
    path = folder / "an.agent"
    agent_file.write(ACTOR, path, CARD)
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    actor, card = agent_file.read(written(tmp_path))
    assert card == CARD
    assert all(np.array_equal(a, b) for a, b in zip(actor.parameters, ACTOR.parameters, strict=True))


def test_weights_stand_output_by_output(tmp_path: Path) -> None:
    _, _, body = written(tmp_path).read_bytes().partition(b"\n")
    values = np.frombuffer(body, "<f4")
    assert list(values[:3]) == list(ACTOR.weights[0][:, 0])
    assert list(values[12:16]) == list(ACTOR.biases[0])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": "other"}, "not of format"),
        ({"sha256": "0" * 64}, "not the weights"),
        ({"layers": [3, 5, 1]}, "not those of its layers"),
        ({"layers": [1]}, "not those of its layers"),
        ({"layers": []}, "not those of its layers"),
        ({"layers": [3, 4, -1]}, "not of format"),
        ({"layers": "341"}, "not of format"),
        ({"layers": [3, 4, True]}, "not of format"),
        ({"layers": [3, 4, 1.0]}, "not of format"),
        ({"layers": [1] * 9}, "not of format"),
        ({"card": None}, "first line"),
    ],
)
def test_a_head_that_is_none_is_refused(changed: dict[str, object], message: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    head, _, body = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps(json.loads(head) | changed).encode() + b"\n" + body)
    with pytest.raises(AgentFileError, match=message):
        agent_file.read(path)


def test_half_a_number_is_refused(tmp_path: Path) -> None:
    """Even with the digest of what is there."""
    path = written(tmp_path)
    head, _, body = path.read_bytes().partition(b"\n")
    digest = hashlib.sha256(body + b"12").hexdigest()
    path.write_bytes(json.dumps(json.loads(head) | {"sha256": digest}).encode() + b"\n" + body + b"12")
    with pytest.raises(AgentFileError, match="not of format"):
        agent_file.read(path)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    actor = ACTOR.copy()
    actor.biases[0][0] = np.nan
    path = tmp_path / "an.agent"
    agent_file.write(actor, path, CARD)
    with pytest.raises(AgentFileError, match="layers"):
        agent_file.read(path)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_byte_more_or_another_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = written(tmp_path)
    content = bytearray(path.read_bytes())
    begin = content.index(b"\n") + 1
    place = data.draw(st.integers(begin, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(content))
    with pytest.raises(AgentFileError):
        agent_file.read(path)


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_garbage_is_refused(tmp_path: Path, noise: bytes) -> None:
    path = tmp_path / "an.agent"
    path.write_bytes(noise)
    with pytest.raises(AgentFileError):
        agent_file.read(path)
