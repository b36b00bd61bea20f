"""Parquet and Arrow files as lines of text: Arrow's readers run in a process of their own, with bounded memory.

What a file claims, such as a length of pages, is allocated there, and a broken file may end that process alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from smartsbd.contracts import regular_file
from smartsbd.contracts.bounded_decoding import ENVIRONMENT
from smartsbd.contracts.fault import printable
from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.traces import stored
from smartsbd.traces.formats import columnar_rows
from smartsbd.traces.formats.rtt_columns import Typed
from smartsbd.traces.quarantine import UnreadableInputError

#: Between the cells of a line.
SEPARATOR = b"\t"

_PARQUET, _ARROW = b"PAR1", b"ARROW1\0\0"
# An Arrow stream begins with the length of its schema.
_STREAM, _MOST_SCHEMA_BYTES = b"\xff\xff\xff\xff", 1 << 20
_MAGIC_BYTES = 8
_ERROR_BYTES = 512
#: Of a line: its cells are cut.
_LINE_BYTES = 1 << 22


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a Parquet or Arrow file."""
    if head.startswith((_PARQUET, _ARROW)):
        return True
    length = int.from_bytes(head[4:_MAGIC_BYTES], "little")
    return head.startswith(_STREAM) and 0 < length < _MOST_SCHEMA_BYTES and length % 8 == 0 and len(head) > length


@contextmanager
def _plain(path: Path) -> Iterator[IO[bytes]]:
    """Give the file itself, or its content where it is compressed as a whole."""
    with regular_file.opened(path) as file:
        is_plain = recognises(file.read(stored.HEAD_BYTES))
        if is_plain:
            file.seek(0)
            yield file
    if not is_plain:
        with tempfile.TemporaryFile() as content:
            for block in stored.blocks(path):
                content.write(block)
            content.seek(0)
            yield content


def _why(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    """Return why a process that has ended read no further."""
    errors.seek(0)
    text = errors.read(_ERROR_BYTES).decode("utf-8", "replace").strip().rpartition("\n")[2]
    if process.returncode >= 0:
        return printable(text) or f"its reader ended with {process.returncode}"
    return f"its reader was ended by {signal.Signals(-process.returncode).name}"


def _lines(path: Path) -> Generator[tuple[int, bytes], None, None]:
    with _plain(path) as content, tempfile.TemporaryFile() as errors:
        size_bytes = content.seek(0, 2)
        content.seek(0)
        process = subprocess.Popen(
            ending_with_this([sys.executable, "-P", str(Path(columnar_rows.__file__))]),
            stdin=content,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | ENVIRONMENT,
        )
        offset, allowed = 0, max(stored.EXPANDED_BYTES, stored.EXPANDED_TIMES * size_bytes)
        try:
            if process.stdout is None:
                raise UnreadableInputError(path, 0, "cannot be read: its reader has no output")
            with process.stdout as lines:
                while line := lines.readline(_LINE_BYTES):
                    if offset + len(line) > allowed:
                        why = f"cannot be read: expands more than {stored.EXPANDED_TIMES} times: make a table of it"
                        raise UnreadableInputError(path, 0, why)
                    yield offset, line.removesuffix(b"\n")
                    offset += len(line)
            process.wait()
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            raise UnreadableInputError(path, 0, f"cannot be read: {_why(process, errors)}")


class ColumnarLines:
    """A Parquet or Arrow file as text: the names of its columns, what their types say, and a line for each row.

    Offsets count the bytes of this text, as a row has no place in the file.

    Parameters
    ----------
    path : Path
        Plain or compressed.

    Raises
    ------
    UnreadableInputError
        If it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rest = _lines(path)
        try:
            _, names = next(self._rest)
            _, kinds = next(self._rest)
        except regular_file.NoRegularFileError as error:
            raise UnreadableInputError(path, 0, regular_file.NO_REGULAR_FILE) from error
        except OSError as error:
            raise UnreadableInputError(path, 0, f"cannot be read: {error.strerror or error}") from error
        except StopIteration:
            raise UnreadableInputError(path, 0, "cannot be read: no columns") from None
        self.names = names.split(SEPARATOR)
        self.typed = {place: Typed(kind.decode()) for place, kind in enumerate(kinds.split(SEPARATOR)) if kind}

    def rows(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) of each row."""
        with closing(self._rest) as rest:
            yield from rest

    def close(self) -> None:
        """End its reader."""
        self._rest.close()
