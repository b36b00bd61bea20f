"""Work given to the workers of a running Dask scheduler, in place of this machine's processes.

Workers share the project's file system and run the same code; a task that finds other code refuses. What a worker that
dies had done or begun is done again by the others, so that only the time differs. Whoever reaches a Dask scheduler can
run code on its workers: it belongs on loopback, or behind TLS.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from smartsbd.contracts.fault import Fault, UsageFault
from smartsbd.native import log_reading, packet_recording, time_warping, window_features

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Result = TypeVar("Result")

_ROOT = Path(__file__).resolve().parents[2]
#: Packages whose code decides what a task returns.
_PACKAGES = ("contracts", "traces", "scenarios", "features", "detectors", "models", "export", "pipelines", "studies")
#: How long a scheduler may take to answer, and to have a worker.
_ANSWERS_S, _HAS_A_WORKER_S = 15, 15
#: How often to look whether a worker is left.
_LOOK_S = 15
#: Items given to each worker ahead of what the caller has taken.
_AHEAD_PER_WORKER = 4
# Open tables are shared by a process, and not made for threads: a worker of several does one task at a time.
_one_at_a_time = threading.Lock()


class SchedulerError(UsageFault):
    """No scheduler answers at the address, or it has no worker."""


class WorkersLostError(Fault):
    """A task's workers died again and again."""


class OtherCodeError(Fault):
    """A worker runs other code than the stage."""


@functools.cache
def code_sha256() -> str:
    """Return a digest of this process's own code, and of the compiled modules that parse and extract take."""
    digest = hashlib.sha256()
    for path in sorted(path for package in _PACKAGES for path in (_ROOT / package).rglob("*.py")):
        digest.update(f"{path.relative_to(_ROOT)}\0".encode())
        digest.update(path.read_bytes())
    for file in (log_reading.__file__, packet_recording.__file__, time_warping.__file__, window_features.__file__):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def _done(work: Callable[[Item], Result], item: Item, expected_sha256: str) -> Result:
    """Do one item at a worker."""
    if code_sha256() != expected_sha256:
        raise OtherCodeError(f"a worker runs other code, in {_ROOT}: start the workers anew")
    with _one_at_a_time:
        return work(item)


def _result(client: Client, future: Future[Result]) -> Result:
    from distributed.scheduler import KilledWorker

    while True:
        try:
            return future.result(timeout=_LOOK_S)
        except KilledWorker as error:
            raise WorkersLostError(f"the scheduler gave up: {error}") from error
        except TimeoutError:
            if future.done():
                raise  # the work's own
            # Dask waits for a worker for ever.
            if not client.nthreads():
                raise WorkersLostError("no worker is left") from None


def _connected(address: str) -> Client:
    from distributed import Client

    try:
        client = Client(address, timeout=_ANSWERS_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SchedulerError(f"scheduler {address}: does not answer: {error}") from error
    try:
        client.wait_for_workers(1, timeout=_HAS_A_WORKER_S)
    except TimeoutError as error:
        client.close()
        raise SchedulerError(f"scheduler {address}: has no worker") from error
    return client


def mapped(work: Callable[[Item], Result], items: Sequence[Item], address: str) -> Iterator[Result]:
    """Yield what `work` returns for each item, in order, done by a scheduler's workers; errors are raised here.

    Parameters
    ----------
    work : callable
        Of a module that workers can import; paths in it are absolute.
    items : sequence
    address : str
        Of the scheduler, for instance ``tcp://127.0.0.1:8786``.

    Yields
    ------
    Result
        One for each item.

    Raises
    ------
    SchedulerError
        If no scheduler answers, or it has no worker.
    WorkersLostError
        If no worker is left, or those of one task died more often than ``distributed.scheduler.allowed-failures``.
    OtherCodeError
        If a worker's code is not the caller's.
    """
    if not items:
        return
    with _connected(address) as client:
        ahead: deque[Future[Result]] = deque()
        for item in items:
            ahead.append(client.submit(_done, work, item, code_sha256(), pure=False))
            if len(ahead) >= _AHEAD_PER_WORKER * max(1, len(client.nthreads())):
                yield _result(client, ahead.popleft())
        while ahead:
            yield _result(client, ahead.popleft())
