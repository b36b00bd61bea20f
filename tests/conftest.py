"""Before any numeric library is loaded: the package sets how many threads they may use."""

import pipelines as pipelines  # noqa: PLC0414 - for what importing it does

#: Runs in an environment of its own.
collect_ignore = ["bench_export_peers.py"]
