"""The folder of runs that go on, beside its place: put there whole, or removed."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.running.clone_lock import NO_LOCKS
from smartsbd.pipelines.running.request_to_end import RequestToEnd

log = logging.getLogger(__name__)

#: A file or link of the name, or a name that is too long.
_IN_THE_WAY = (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
#: Errors of a file system that does not have the operation.
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
#: Of Linux' renameat2(2): paths are from the working directory, and nothing is replaced.
_AT_FDCWD, _RENAME_NOREPLACE = -100, 1


class OutputError(UsageFault):
    """The folder to write cannot be used."""


def _lock(folder: Path, out: Path, *, is_new: bool) -> int | None:
    """Lock a folder; return a descriptor that holds it, or None if it has gone meanwhile.

    Raises
    ------
    OutputError
        If another process holds it, or may hold it.
    """
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(held), folder.lstat()):
            return held
    except BlockingIOError:
        os.close(held)
        raise OutputError(f"{out}: another run is writing it") from None
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno in NO_LOCKS and is_new:
            return held
        os.close(held)
        if error.errno in NO_LOCKS:
            raise OutputError(
                f"{folder}: another run is writing {out.name} there, or was killed: the file system has no locks that"
                " would tell; remove it if there is no such run"
            ) from error
        raise
    # It is another's folder by now, or none.
    os.close(held)
    return None


def _claimed(part: Path, out: Path) -> int:
    """Make a folder if it is not there, and lock it; return the descriptor that holds it."""
    try:
        while True:
            is_new = True
            try:
                part.mkdir()
            except FileExistsError:
                is_new = False
            held = _lock(part, out, is_new=is_new)
            if held is not None:
                return held
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        raise OutputError(f"{part}, where {out.name} is written at first: {error.strerror}") from error


def _empty(part: Path, out: Path) -> None:
    """Remove the files that a killed process left."""
    left = list(part.iterdir())
    for path in left:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    if left:
        log.info("%s: what a run that was killed left in %s is removed", out, part.name)


def _sync(path: Path) -> None:
    """Write a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Not every file system can do this with a folder.
        if error.errno not in _CANNOT:
            error.filename = str(path)
            raise
    finally:
        os.close(descriptor)


def _sync_all(folder: Path) -> None:
    """Write a folder to the disk, with all that it holds."""
    for place, _, names in os.walk(folder, topdown=False):
        for path in (Path(place, name) for name in names):
            if path.is_file() and not path.is_symlink():
                _sync(path)
        _sync(Path(place))


def _move(folder: Path, out: Path) -> None:
    """Rename a folder to where nothing is: an empty folder there would be replaced by ``os.rename``, unseen.

    Raises
    ------
    FileExistsError
        If something is there.
    """
    with suppress(AttributeError):
        rename = ctypes.CDLL(None, use_errno=True).renameat2
        if not rename(_AT_FDCWD, os.fsencode(folder), _AT_FDCWD, os.fsencode(out), _RENAME_NOREPLACE):
            return
        number = ctypes.get_errno()
        if number not in _CANNOT:
            raise OSError(number, os.strerror(number), str(folder), None, str(out))
    # Whoever makes the folder may replace it.
    out.mkdir()
    try:
        folder.rename(out)
    except BaseException:
        out.rmdir()
        raise


def _name_by_place(error: OSError, folder: Path, out: Path) -> None:
    """Have an error name a file by the place that it would have had."""
    if isinstance(error.filename, str | Path):
        path = Path(error.filename).absolute()
        if path.is_relative_to(folder.absolute()):
            error.filename = str(out / path.relative_to(folder.absolute()))


@contextmanager
def unfinished(out: Path) -> Iterator[Path]:
    """Give a folder to write to, which takes its place at the end, or goes if there was an error.

    Until then it is in a hidden folder beside its place, which this process has locked. What a process that was killed
    left there is removed first. All that was written is on the disk before the folder has its name. SIGTERM and SIGHUP
    are errors here, so that they leave nothing.

    Parameters
    ----------
    out : Path
        Where the folder is to be put when it is whole.

    Yields
    ------
    Path
        The folder to write to.

    Raises
    ------
    OutputError
        If something is there already, or another process is about to put something there, or the folder beside it
        cannot be made: its name has six letters more.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with unfinished(Path(place) / "dataset") as folder:
    ...         _ = (folder / "truth.csv").write_text("a,b")
    ...         print(folder.relative_to(place), [path.name for path in Path(place).iterdir()])
    ...     print([path.name for path in Path(place).iterdir()])
    .dataset.part/dataset ['.dataset.part']
    ['dataset']
    """
    there = OutputError(f"{out} is there already")
    if os.path.lexists(out):
        raise there
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise OutputError(f"{out}: {error.strerror}") from error
    part = out.with_name(f".{out.name}.part")
    folder = part / out.name
    with RequestToEnd() as request:
        held = _claimed(part, out)
        try:
            request.heed()
            _empty(part, out)
            if os.path.lexists(out):
                # Another run has put it there since.
                raise there
            folder.mkdir()
            yield folder
            _sync_all(folder)
            try:
                _move(folder, out)
            except FileExistsError as error:
                raise there from error
            _sync(out.parent)
        except OSError as error:
            _name_by_place(error, folder, out)
            raise
        finally:
            # At once, without a call: nothing may come between.
            request.waits = True
            shutil.rmtree(part, ignore_errors=True)
            os.close(held)
