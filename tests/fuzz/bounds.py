"""What inputs become, and how much time and memory that takes: ``python -m tests.fuzz.bounds FILE...``.

One JSON object a file, on a line: ``path``, ``outcome``, ``cpu_s`` and ``grown_bytes``, by how much the file raised the
peak of memory above what it was before all files. No more address space is given than :data:`MAPPED_BYTES` beyond that
of the program itself: what an input only claims to need ends in a MemoryError.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from smartsbd.traces import formats, truth
from smartsbd.traces.formats import Read
from smartsbd.traces.quarantine import UnreadableInputError
from tests.fuzz import targets

#: What may be mapped, by all allocations at once.
MAPPED_BYTES = 512 << 20


def said(one: Read) -> str:
    """Return in one line what an input became: its kind, the records of connections, and all others by reason."""
    if isinstance(one.outcome, UnreadableInputError):
        return f"{one.source}: unreadable: {one.outcome.why}"
    trace = one.outcome
    parts = [f"{trace.records_out} read"]
    parts += [f"{count} refused: {reason}" for reason, count in trace.refused().items()]
    parts += [f"{count} unused: {reason}" for reason, count in sorted(trace.unused.items())]
    parts += [f"{trace.other_lines} other lines"] * bool(trace.other_lines)
    parts += [f"{trace.gaps} gaps, {trace.messages_lost} lost"] * bool(trace.gaps)
    return f"{one.source}: {', '.join(parts)}"


def said_of_truth(path: Path) -> str:
    """Return in one line what a truth.csv holds, or what is wrong with it."""
    try:
        return f"{len(truth.read_csv(path))} rows"
    except truth.TruthError as error:
        return _without(path, error)


def said_of_labels(path: Path) -> str:
    """Return in one line what labels hold, or what is wrong with them."""
    from smartsbd.pipelines.labelling.labels import LabelsError, read_labels

    try:
        return f"{len(read_labels(path))} labels"
    except LabelsError as error:
        return _without(path, error)


def said_of_stored_model(path: Path) -> str:
    """Return in one line what an archive holds, or why it is no model of ours."""
    from smartsbd.models.stored import store

    try:
        return type(store.load(path).estimator).__name__
    except store.ModelError as error:
        return _without(path, error)


def _without(path: Path, error: Exception) -> str:
    return str(error).removeprefix(str(path)).removeprefix(": ").removeprefix(", ")


#: Folders of the corpus whose files are no inputs.
OTHERS = {"truth": said_of_truth, "labels": said_of_labels, "stored_model": said_of_stored_model}


def outcome(path: Path) -> str:
    """Return what a file of the corpus becomes; the folder it is in says what it is read as."""
    if path.parent.name in OTHERS:
        return OTHERS[path.parent.name](path)
    dialect = targets.DIALECTS.get(path.parent.name, targets.OURS)
    (one,) = formats.read([path], dialect)
    return said(one)


def _status_bytes(name: str) -> int:
    """Return a size from this process's status; of the peak, the operating system's other count is the parent's too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))


def _load_what_is_loaded_at_first_use(paths: Sequence[Path]) -> None:
    """Read a log of one line, and good files that are no inputs.

    Parts of libraries come into memory when they are first called, whatever the file.
    """
    for path in paths:
        if path.parent.name in OTHERS and path.name.startswith("good"):
            outcome(path)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.log")
        path.write_text("1 C=1 SF=0 V=RTT 1\n")
        outcome(path)


def main() -> None:
    """Read the files named on the command line."""
    _load_what_is_loaded_at_first_use([Path(name) for name in sys.argv[1:]])
    limit = _status_bytes("VmSize") + MAPPED_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    start_bytes = _status_bytes("VmHWM")
    for name in sys.argv[1:]:
        # What an error of the file before holds in a cycle is not this one's.
        gc.collect()
        path, start_s = Path(name), time.process_time()
        found = outcome(path)
        measured = {"cpu_s": time.process_time() - start_s, "grown_bytes": _status_bytes("VmHWM") - start_bytes}
        print(json.dumps({"path": name, "outcome": found, **measured}), flush=True)


if __name__ == "__main__":
    main()
