"""What captures say of subflows without data: that they joined, had no answer, were reset, or are backups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smartsbd.features.input_evidence import InputEvidence
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.traces import packets
from tests.traces.comparison import assert_same
from tests.traces.packets import ACK, RST, SYN, Talk

CLIENT, SERVER = b"\x01" * 8, b"\x02" * 8
TOKEN = packets.token_of(SERVER, 1)
BACKUP = packets.option(30, bytes([0x11, 2]) + packets.join_syn(TOKEN, 2)[4:])


def reset(reason: int) -> bytes:
    return packets.option(30, bytes([0x80, reason]))


def prio(*, backup: bool) -> bytes:
    return packets.option(30, bytes([0x50 | backup]))


def joined(talk: Talk) -> None:
    talk.open(300, packets.join(TOKEN, (2, 0)))


def not_answered(talk: Talk) -> None:
    talk.say(0, 300, flags=SYN, options=packets.join_syn(TOKEN, 2))
    talk.say(0, 1300, flags=SYN, options=packets.join_syn(TOKEN, 2), seq=1000)


def refused(talk: Talk) -> None:
    talk.say(0, 300, flags=SYN, options=packets.join_syn(TOKEN, 2))
    talk.say(1, 340, flags=RST | ACK, options=reset(3))


def ended(talk: Talk) -> None:
    joined(talk)
    talk.say(1, 500, flags=RST, options=reset(6))


def cut_off(talk: Talk) -> None:
    joined(talk)
    talk.say(1, 500, flags=RST)


def backup(talk: Talk) -> None:
    talk.open(300, (BACKUP, packets.join_syn_ack(0), packets.join_ack()))


def made_a_backup(talk: Talk) -> None:
    joined(talk)
    talk.say(0, 500, options=prio(backup=True))


def no_backup_any_more(talk: Talk) -> None:
    backup(talk)
    talk.say(0, 500, options=prio(backup=False))


@pytest.mark.parametrize(
    ("happens", "sentence"),
    [
        (joined, "Subflow 1 carried no data (joined at 0.3 s)."),
        (not_answered, "The MP_JOIN of subflow 1 was not answered (sent at 0.3 s)."),
        (refused, "The MP_JOIN of subflow 1 was answered by a reset with reason 3 (prohibited by the administrator)"),
        (ended, "Subflow 1 carried no data (joined at 0.3 s, reset with reason 6 (a middlebox interferes))."),
        (cut_off, "Subflow 1 carried no data (joined at 0.3 s, reset)."),
        (backup, "Subflow 1 carried no data (joined at 0.3 s, as a backup)."),
        (made_a_backup, "Subflow 1 carried no data (joined at 0.3 s, as a backup)."),
        (no_backup_any_more, "Subflow 1 carried no data (joined at 0.3 s)."),
    ],
)
def test_what_became_of_it_is_read_and_said(happens: Callable[[Talk], None], sentence: str, tmp_path: Path) -> None:
    first, second = Talk(), Talk(client=("10.0.1.1", 1001))
    first.open(0, packets.v1(CLIENT, SERVER))
    first.data(0, range(100, 2000, 20))
    happens(second)
    path = tmp_path / "a.pcap"
    path.write_bytes(packets.pcap(sorted(first.packets + second.packets, key=lambda one: one.time_ns)))
    assert_same(path)
    (connection,) = recording.read(path, Dialect()).trace.connections
    said = [limit for limit in InputEvidence.of(connection).limits() if "ubflow 1" in limit]
    assert [limit.startswith(sentence) for limit in said] == [True]
    assert not any("at the sender" in limit for limit in said)
