"""Inputs of one dataset: which may not stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces.distinct_inputs import check_distinct
from smartsbd.traces.quarantine import UnreadableInputError


def written(folder: Path, inputs: dict[str, bytes]) -> list[Path]:
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    return sorted(folder.iterdir())


def test_other_contents_and_other_names_may(tmp_path: Path) -> None:
    check_distinct(written(tmp_path, {"2023.01.log": b"one", "2023.02.log": b"two", "b.log.gz": b"three"}))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"0.log": b"one", "1.log": b"one"}, "1.log: is the same file as 0.log: remove one of them"),
        ({"0.log": b"one", "0.log.gz": b"other"}, "has the name of 0.log but for its suffixes: rename one of them"),
        ({"0.log": b"one", "0.pcap": b"two"}, "has the name of 0.log but for its suffixes"),
        ({"\udcff.log": b"one"}, "has a name that is no UTF-8: rename it"),
    ],
    ids=["content", "compressed", "kind", "name"],
)
def test_what_may_not_is_named(tmp_path: Path, inputs: dict[str, bytes], message: str) -> None:
    paths = written(tmp_path, inputs)
    with pytest.raises(UnreadableInputError, match=message):
        check_distinct(paths)
