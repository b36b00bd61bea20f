"""Where the program ``sbd`` begins: nothing that is built for one Python is imported before it is known to be that."""

from __future__ import annotations

import sys

_BUILT_FOR = (3, 11)


def main() -> int:
    """Run ``sbd``."""
    if sys.version_info[:2] != _BUILT_FOR:
        ours, this = (".".join(map(str, version)) for version in (_BUILT_FOR, sys.version_info[:2]))
        sys.exit(f"sbd is built for Python {ours}, this is {this}")
    from pipelines import __main__ as commands

    return commands.main()
