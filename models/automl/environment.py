"""Where an engine's interpreter is, and what to do if there is none."""

from __future__ import annotations

import sys
from pathlib import Path

from smartsbd.models.automl.engine import Engine

#: Written last by the set-up: the version of Python, and the digest of the requirements that are installed.
_STAMP = ".installed"
#: In place of a stamp, for the main environment: the running program takes it as it is.
_MAIN = "the main environment"


def installed(engine: Engine, prefix: Path) -> str | None:
    """Return what is installed in an engine's environment, None if it is not set up.

    Parameters
    ----------
    engine : Engine
    prefix : Path
        The main environment, :data:`sys.prefix`.

    Returns
    -------
    str or None
        The stamp of the set-up: the version of Python, and the digest of the requirements.
    """
    if engine.environment is None:
        return _MAIN
    stamp = prefix / engine.environment / _STAMP
    return stamp.read_text().strip() if stamp.exists() else None


def python_of(engine: Engine, prefix: Path) -> Path:
    """Return the interpreter of an engine's environment.

    Parameters
    ----------
    engine, prefix
        As :func:`installed` takes them.

    Returns
    -------
    Path
        It need not be there.
    """
    return Path(sys.executable) if engine.environment is None else prefix / engine.environment / "bin" / "python"


def remedy(engine: Engine) -> str:
    """Return what to do where an engine has no environment, as one line."""
    version = engine.python
    return (
        f"{engine.name} needs Python {version}, which the set-up did not find: install it"
        f" (`uv python install {version}`, or `pyenv install {version}`), or name it in"
        f" PYTHON{version.replace('.', '')}, and run `make setup`"
    )
