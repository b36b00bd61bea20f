"""Lines of a kernel log in the forms in which logs are kept: where the message is, when it was printed, what was lost.

dmesg, console with ``<N>``, RFC 3164 and RFC 5424 syslog, journalctl short-monotonic and json, /dev/kmsg. The prefixes
themselves are not parsed: a message is found by what it says, and only its monotonic time is looked for before it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_BRACKET = re.compile(rb"\[ *(\d{1,10})\.(\d{6})\]")
_KMSG = re.compile(rb"\d{1,10},(\d{1,18}),(\d{1,18}),[^;]{0,64};")
_JOURNAL_TIME = "_SOURCE_MONOTONIC_TIMESTAMP"
#: What kernel, journald and rsyslog print where messages are missing, with how many.
_LOST = re.compile(
    rb"(?:(\d{1,9}) (?:printk )?(?:messages|callbacks) (?:suppressed|dropped)"
    rb"|Missed (\d{1,9}) kernel messages"
    rb"|Suppressed (\d{1,9}) messages from"
    rb"|(\d{1,9}) messages lost due to rate-limiting)"
)
_DIGITS_US = 18


@dataclass(frozen=True)
class Message:
    """One line's message.

    Attributes
    ----------
    text : bytes
        The message, or the whole line where its prefix is not known.
    time_ns : int or None
        When it was printed, monotonic clock; None if the line does not say.
    sequence : int or None
        Number of the message in /dev/kmsg.
    """

    text: bytes
    time_ns: int | None = None
    sequence: int | None = None


def message_of(line: bytes) -> Message | None:
    """Return the message of a line, None if the line is a broken JSON object.

    Returns
    -------
    Message or None
        Its text, and time and number where the line has them.

    Examples
    --------
    >>> message_of(b"<6>[   91.328292] smartsbd: 5")
    Message(text=b'<6>[   91.328292] smartsbd: 5', time_ns=91328292000, sequence=None)
    >>> message_of(b"6,1234,91328292,-;smartsbd: 5")
    Message(text=b'smartsbd: 5', time_ns=91328292000, sequence=1234)
    """
    if line.startswith(b"{"):
        return _journal_message(line)
    kmsg = _KMSG.match(line)
    if kmsg:
        return Message(line[kmsg.end() :], int(kmsg[2]) * 1000, int(kmsg[1]))
    bracket = _BRACKET.search(line)
    return Message(line, _bracket_ns(bracket[1], bracket[2]) if bracket else None)


def _bracket_ns(seconds: bytes, micros: bytes) -> int:
    return int(seconds) * 1_000_000_000 + int(micros) * 1000


def last_time_ns(prefix: bytes) -> int | None:
    """Return the last time in brackets in the text before a record, None if there is none.

    Returns
    -------
    int or None, nanoseconds

    Examples
    --------
    >>> last_time_ns(b"[   91.328292][  T123] glued [   91.500000] ")
    91500000000
    """
    times = _BRACKET.findall(prefix)
    return _bracket_ns(*times[-1]) if times else None


def _journal_message(line: bytes) -> Message | None:
    try:
        entry = json.loads(line.decode())
        text = entry["MESSAGE"]
        if text is None:  # journalctl leaves out what is too long
            return Message(b"")
        if not isinstance(text, str | list):
            return None
        content = text.encode(errors="replace") if isinstance(text, str) else bytes(text)
        source = entry.get(_JOURNAL_TIME)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    timed = isinstance(source, str) and source.isascii() and source.isdigit() and len(source) <= _DIGITS_US
    return Message(content, int(source) * 1000 if timed else None)


def lost(text: bytes) -> int | None:
    """Return how many messages a line says were lost, None if it says nothing of the kind.

    Returns
    -------
    int or None
        Messages that the kernel or a daemon counted as missing.

    Examples
    --------
    >>> lost(b"[   95.1] printk: 12 messages suppressed."), lost(b"** 7 printk messages dropped **")
    (12, 7)
    """
    match = _LOST.search(text)
    return int(next(number for number in match.groups() if number)) if match else None
