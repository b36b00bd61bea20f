"""Another profile's run, apart: in a scratch clone, so that the default's results stay as they are."""

from __future__ import annotations

import logging
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from threading import Thread

import yaml

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import PARAMS_FILE, overlaid
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.running import journal
from smartsbd.pipelines.running.dag import DAG_FILE, study_files
from smartsbd.pipelines.running.journal import Entry

log = logging.getLogger(__name__)

#: Results of the default profile, and DVC's state: not copied into a clone, and the clone's own are kept there.
_RESULTS = ("reports/*", "studies/*/reports/*", "export/generated/*", ".dvc/tmp/*")

#: Seconds from one look at which stages are done to the next.
_LOOK_S = 2
#: How long DVC may take to end when a run is interrupted.
_PATIENCE_S = 5


class GitError(Fault):
    """A command of git failed."""


def _git(folder: Path, *arguments: str) -> str:
    shown = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise GitError(f"git {arguments[0]} in {folder}: {shown.stderr.strip() or f'exit {shown.returncode}'}")
    return shown.stdout


def _is_result(path: Path) -> bool:
    return path.name == "dvc.lock" or any(fnmatch(str(path), pattern) for pattern in _RESULTS)


def _sources(folder: Path) -> set[Path]:
    """Return the files that git knows or would add, except the results."""
    listed = _git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = {Path(name) for name in listed if name}
    return {path for path in paths if _is_source(folder / path) and not _is_result(path)}


def _is_source(path: Path) -> bool:
    # A link to a folder is one too: those of the package.
    return path.is_file() or path.is_symlink()


def _clone(root: Path, target: Path) -> None:
    """Clone a project without its files into a folder that may be there; it is a clone whole or not at all."""
    target.mkdir(parents=True, exist_ok=True)
    part = target / ".git.part"
    shutil.rmtree(part, ignore_errors=True)
    _git(root, "clone", "--quiet", "--bare", ".", str(part.absolute()))
    _git(part, "config", "remote.origin.url", str(root.absolute()))
    _git(part, "config", "core.bare", "false")
    part.rename(target / ".git")


def check(root: Path, profile: str) -> None:
    """Make sure that there is a profile.

    Parameters
    ----------
    root : Path
        The project.
    profile : str
        ``default``, or the name of an overlay in ``params/``.

    Raises
    ------
    ParamsError
        If there is no such overlay.
    """
    if profile != "default" and not (root / "params" / f"{profile}.yaml").exists():
        known = ["default", *sorted(path.stem for path in (root / "params").glob("*.yaml"))]
        raise ParamsError(f"profile {profile!r} is unknown, known are {known}")


def _link(leads_to: Path, link: Path) -> None:
    """Make a link, in place of one that leads elsewhere."""
    if link.is_symlink() and link.readlink() == leads_to:
        return
    link.unlink(missing_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(leads_to)


def _link_compiled(root: Path, target: Path) -> None:
    """Let a clone have what `make native` built: git ignores it, and a link follows when it is built again."""
    for name in ("*.so", "sbd-baselines"):
        for path in (root / "native").glob(name):
            _link(path.absolute(), target / "native" / path.name)


def prepare(root: Path, profile: str, target: Path) -> None:
    """Make or update a clone of the working tree that holds `profile`'s parameters.

    Parameters
    ----------
    root : Path
        The project.
    profile : str
        ``default``, or the name of an overlay in ``params/``.
    target : Path
        Folder of the clone; its own results are kept.

    Raises
    ------
    ParamsError
        If there is no such overlay.
    """
    check(root, profile)
    if not (target / ".git").exists():
        _clone(root, target)
    else:
        _git(target, "fetch", "--quiet", "origin", "HEAD")
        _git(target, "update-ref", "HEAD", "FETCH_HEAD")
    wanted = _sources(root)
    for path in _sources(target) - wanted:
        (target / path).unlink()
    _link_compiled(root, target)
    for path in sorted(wanted):
        if (root / path).is_symlink():
            _link((root / path).readlink(), target / path)
            continue
        content = (root / path).read_bytes()
        # Beside each params.yaml, a study's too, is what the profile changes of it.
        overlay = root / path.parent / "params" / f"{profile}.yaml"
        if path.name == PARAMS_FILE.name and overlay.exists():
            content = overlaid(root / path, overlay).encode()
        copy = target / path
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_whole(content, copy)
        # A program stays executable; a file that is written again here is writable.
        mode = stat.S_IMODE((root / path).stat().st_mode) | stat.S_IWUSR
        if stat.S_IMODE(copy.stat().st_mode) != mode:
            copy.chmod(mode)
    # The index is as the commit: git status there shows what the profile changes, and no more.
    _git(target, "reset", "--quiet")


def is_whole(lock: Path) -> bool:
    """Return whether DVC can read a dvc.lock: it does not write it in one go, and may be killed in between."""
    # Slow to import.
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(yaml.load(lock.read_text(), yaml.CSafeLoader))
    except (Invalid, yaml.YAMLError, UnicodeDecodeError):
        return False
    return True


def _locks(target: Path) -> list[Path]:
    """Return the dvc.lock of the main road and of each study that has one."""
    locks = [path.with_suffix(".lock") for path in (target / DAG_FILE, *study_files(target))]
    return [lock for lock in locks if lock.exists()]


def _each(take: Callable[[str], object], lines: Iterable[str]) -> None:
    for line in lines:
        take(line.rstrip("\n"))


def repro(
    target: Path,
    *arguments: str,
    when_done: Callable[[Entry], object] | None = None,
    when_said: Callable[[str], object] | None = None,
) -> int:
    """Run ``dvc repro`` in a clone with this environment's programs; return its exit code.

    Parameters
    ----------
    target : Path
        The clone.
    *arguments : str
        Of ``dvc repro``.
    when_done : callable, optional
        Called with the entry of every stage when it has been run.
    when_said : callable, optional
        Called with each line that DVC and its stages print, to show it. Without it they print it themselves.

    Returns
    -------
    int
        DVC's exit code.
    """
    for lock in (path for path in _locks(target) if not is_whole(path)):
        log.warning("%s was left half written: taken away, DVC's cache of runs knows what was done", lock)
        lock.unlink()
    environment = os.environ | {"PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    log.info("dvc repro in %s", target)
    reported = len(journal.read(target / journal.JOURNAL))
    # If somebody starts DVC beside it, it waits for the locks rather than fails.
    command = ending_with_this(["dvc", "--wait-for-lock", "repro", *arguments])
    reader: Thread | None = None
    piped = None if when_said is None else subprocess.PIPE
    with subprocess.Popen(
        command, cwd=target, env=environment, stdout=piped, text=True, errors="backslashreplace"
    ) as run:
        try:
            if run.stdout is not None and when_said is not None:
                reader = Thread(target=_each, args=(when_said, run.stdout), daemon=True)
                reader.start()
            ended = False
            while not ended:
                with suppress(subprocess.TimeoutExpired):
                    run.wait(_LOOK_S)
                    ended = True
                if when_done is not None:
                    entries = journal.read(target / journal.JOURNAL)
                    for entry in entries[reported:]:
                        when_done(entry)
                    reported = len(entries)
            if reader is not None:
                reader.join()
        except BaseException:
            # A stage that a terminal interrupts too ends by itself, and DVC after it.
            with suppress(subprocess.TimeoutExpired):
                run.wait(_PATIENCE_S)
            run.terminate()
            raise
    return run.returncode
