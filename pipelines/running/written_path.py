"""Paths that a command writes to: what cannot be written there is said before the work, and is the command line's."""

from __future__ import annotations

from pathlib import Path

from smartsbd.contracts.fault import UsageFault


class WrittenPathError(UsageFault):
    """Nothing can be written at a path: a folder is there in place of a file, or a file in place of a folder."""


def _check_above(path: Path) -> None:
    there = next((above for above in path.absolute().parents if above.exists()), Path("/"))
    if not there.is_dir():
        raise WrittenPathError(f"{path}: {there} is no folder")


def written_file(text: str) -> Path:
    """Return the path of a file to write, as a type of an argument.

    Parameters
    ----------
    text : str

    Returns
    -------
    Path

    Raises
    ------
    WrittenPathError
        If it is a folder, or below something that is none.
    """
    path = Path(text)
    if path.is_dir():
        raise WrittenPathError(f"{path} is a folder: name a file to write")
    _check_above(path)
    return path


def written_folder(text: str) -> Path:
    """Return the path of a folder to write, as a type of an argument.

    Parameters
    ----------
    text : str

    Returns
    -------
    Path

    Raises
    ------
    WrittenPathError
        If it is no folder, or below something that is none.
    """
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise WrittenPathError(f"{path} is no folder")
    _check_above(path)
    return path
