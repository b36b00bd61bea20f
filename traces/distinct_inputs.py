"""The inputs of a dataset are distinct: no two are the same file, and each names its connections."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.regular_file import size_bytes
from smartsbd.traces.formats import stem_of
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.stored import capture_id, capture_id_by_name


def _capture_id(path: Path) -> str:
    try:
        return capture_id(path)
    except UnreadableInputError:
        # It has gone since its size was asked for, or cannot be read.
        return capture_id_by_name(path)


def check_distinct(paths: Sequence[Path]) -> None:
    """Check that no two inputs are the same file, or would give their connections the same names.

    An input whose content cannot be read equals no other; its reader notices, and counts it.

    Raises
    ------
    UnreadableInputError
        If two inputs have the same content, or the same name except for its suffixes, or if a name is not UTF-8.
    """
    contents: dict[tuple[int, str], Path] = {}
    stems: dict[str, Path] = {}
    sizes = {path: size_bytes(path) for path in paths}
    alike_in_size = Counter(sizes.values())
    for path in paths:
        if path.name != os.fsencode(path.name).decode(errors="replace"):
            # Its connections are named after it, in tables, which are UTF-8.
            raise UnreadableInputError(path, 0, "has a name that is no UTF-8: rename it")
        size = sizes[path]
        if size is not None and alike_in_size[size] > 1:
            same = contents.setdefault((size, _capture_id(path)), path)
            if same != path:
                raise UnreadableInputError(path, 0, f"is the same file as {same.name}: remove one of them")
        alike = stems.setdefault(stem_of(path.name), path)
        if alike != path:
            raise UnreadableInputError(
                path, 0, f"has the name of {alike.name} but for its suffixes: rename one of them"
            )
