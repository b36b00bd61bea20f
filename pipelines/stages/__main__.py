"""Run a stage as dvc.yaml does: ``python -m smartsbd.pipelines.stages NAME ARGUMENTS``.

Each other module here is a stage.
"""

from __future__ import annotations

import sys
from pathlib import Path

from smartsbd.pipelines.running import ancestry


def main() -> int:
    """Run the stage that the command line names."""
    # Before anything that takes time: DVC may end meanwhile.
    ancestry.end_with_dvc()
    from smartsbd.pipelines.running import stage

    stage.begin()
    names = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    name, *rest = sys.argv[1:] or [""]
    if name not in names:
        print(
            f"python -m smartsbd.pipelines.stages: {name!r} is no stage, there are {', '.join(names)}", file=sys.stderr
        )
        return stage.EXIT_USAGE
    return stage.main(name, stage.program(f"smartsbd.pipelines.stages.{name}"), rest)


if __name__ == "__main__":
    sys.exit(main())
