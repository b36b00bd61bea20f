"""Where the program ``sbd`` begins: it says its version at once, and looks whether it was built for this Python."""

from __future__ import annotations

import sys
from importlib import metadata, util


def main() -> int:
    """Run ``sbd``."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"sbd {metadata.version('smartsbd')}")
        return 0
    # One file may hold modules that were compiled for another Python than the one that runs it.
    if util.find_spec("smartsbd.native.log_reading") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"sbd has nothing compiled for Python {version}; in a checkout, `make core` builds it")
    from smartsbd.pipelines import __main__ as commands

    return commands.main()
