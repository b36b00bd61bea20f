"""Run a program of a study as its dvc.yaml has it: ``python -m studies NAME PROGRAM ARGUMENTS``."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from smartsbd.pipelines.running import ancestry

_HERE = Path(__file__).parent
#: What a module defines that is a program.
_MARK = re.compile(r"^(def )?add_arguments\b", re.MULTILINE)


def programs() -> dict[tuple[str, ...], str]:
    """Return the module of each program by its words, found by listing the folders."""
    return {
        words: ".".join(("studies", *words))
        for path in sorted([*_HERE.glob("[!_]*.py"), *_HERE.glob("[!_]*/[!_]*.py")])
        if _MARK.search(path.read_text())
        for words in [path.relative_to(_HERE).with_suffix("").parts]
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program that the command line names.

    Parameters
    ----------
    argv : sequence of str, optional
        Command line without the program.
    """
    # Before anything that takes time: DVC may end meanwhile.
    ancestry.end_with_dvc()
    from smartsbd.pipelines.running import stage

    stage.begin()
    known = programs()
    given = list(sys.argv[1:] if argv is None else argv)
    words = next((tuple(given[:count]) for count in (1, 2) if tuple(given[:count]) in known), ())
    if not words:
        listed = ", ".join(map(" ".join, known))
        print(f"python -m studies: {' '.join(given[:2])!r} is no program, there are {listed}", file=sys.stderr)
        return stage.EXIT_USAGE
    name = " ".join(words)
    return stage.main(name, stage.program(known[words]), given[len(words) :], program_of="python -m studies")


if __name__ == "__main__":
    sys.exit(main())
