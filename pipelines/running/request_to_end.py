"""Signals that ask a process to end (SIGTERM, SIGHUP) as an exception, so that it tidies up before it ends."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
#: A process that a signal has ended has this plus the signal's number as its exit code.
_BY_SIGNAL = 128


class RequestToEnd:
    """Has SIGTERM and SIGHUP end this process by ``SystemExit``, at once or as soon as it no longer waits.

    A signal that somebody else handles, or ignores, is left to them. Only the main thread can do this; in any other,
    signals stay what they are.

    Attributes
    ----------
    waits : bool
        Whether a request waits. It does in the beginning, and after there was one: a second one does not break off what
        the first began.
    """

    def __init__(self) -> None:
        self.waits = True
        self._asked_by = 0
        self._process = os.getpid()
        self._handled: list[signal.Signals] = []

    def __enter__(self) -> RequestToEnd:
        """Begin to handle signals."""
        if threading.current_thread() is threading.main_thread():
            self._handled = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
        for number in self._handled:
            signal.signal(number, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Restore the handling of signals from before; end the process if a request still waits."""
        self.waits = True
        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)
        if error is None and self._asked_by:
            self._end()

    def heed(self) -> None:
        """Let requests wait no longer, the one that waits included.

        Raises
        ------
        SystemExit
            If there is one.
        """
        self.waits = False
        if self._asked_by:
            self._end()

    def _end(self) -> None:
        self.waits = True
        raise SystemExit(_BY_SIGNAL + self._asked_by)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if os.getpid() != self._process:
            # It was forked since, and has nothing to tidy.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self._asked_by = number
        if not self.waits:
            self._end()
