"""What is read has a limit, whatever the server sends."""

from __future__ import annotations

import datetime
import ipaddress
import itertools
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from smartsbd.doctor import forwarder, http_download
from smartsbd.doctor.byte_limit import ByteLimit, LimitReachedError
from smartsbd.doctor.forwarder import Forwarder
from smartsbd.doctor.http_download import HttpDownload
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.network_path import NetworkPath
from tests.doctor import hostile_server
from tests.doctor.hostile_server import BUFFER_BYTES, MOST_BYTES, HostileServer, hostile

Answer = Callable[[], Iterable[bytes]]

LIMIT_BYTES = 500_000
#: How far a server may have sent beyond the limit.
_BEYOND_BYTES = 64_000
_SOON_S = 5.0
#: http.client has limits too, and may come first.
_ENDLESS = "sends more than 65536 bytes without any of the file|got more than (100 headers|65536 bytes when reading)"


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the kernel little room for what nobody has read, so that the server's count is nearly ours."""

    def connected(source: str, host: str, port: int, timeout_s: float) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        connection.settimeout(timeout_s)
        connection.bind((source, 0))
        connection.connect((host, port))
        return connection

    monkeypatch.setattr(http_download, "connected", connected)
    monkeypatch.setattr(forwarder, "connected", connected)


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's context with a certificate for loopback that clients trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(hostile_server.ADDRESS))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    place = tmp_path / "both.pem"
    place.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(place))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place)
    return context


def until_reached(limit: ByteLimit, look: Callable[[], object] = lambda: None) -> None:
    end_s = time.monotonic() + _SOON_S
    while not limit.is_reached():
        assert time.monotonic() < end_s
        look()
        time.sleep(0.005)


def run(address: str, limit: ByteLimit, streams: int) -> str | None:
    """Download until the limit is reached or it fails; return why it has failed."""
    load = HttpDownload(NetworkPath(source=hostile_server.ADDRESS, load=address, echo="127.0.0.1"), streams, limit)
    try:
        until_reached(limit, load.look)
        # Whoever looks at it does so ten times a second. Until then nothing is read that should not be.
        time.sleep(0.1)
        load.end()
    except LoadError as error:
        return str(error)
    finally:
        load.kill()
    return None


def check(server: HostileServer, limit: ByteLimit) -> None:
    assert 0 <= limit.left_bytes <= LIMIT_BYTES
    assert server.sent_bytes <= LIMIT_BYTES + _BEYOND_BYTES < MOST_BYTES


@pytest.mark.parametrize("streams", [1, 4])
@pytest.mark.parametrize("answer", [hostile_server.flood, hostile_server.many_extensions, hostile_server.many_trailers])
def test_what_goes_on_ends_at_the_limit(answer: Answer, streams: int) -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(answer) as (address, server):
        assert run(address, limit, streams) is None
        assert limit.left_bytes == 0
        assert server.sent_bytes >= LIMIT_BYTES
        check(server, limit)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (hostile_server.endless_trailer, _ENDLESS),
        (hostile_server.endless_trailer_line, _ENDLESS),
        (hostile_server.endless_extension, _ENDLESS),
        (hostile_server.endless_header, _ENDLESS),
        (hostile_server.endless_header_line, _ENDLESS),
        (hostile_server.interim_answers, _ENDLESS),
        (hostile_server.large_interim_answers, _ENDLESS),
        (hostile_server.redirect_to_itself, "answers 302, which leads to /large: name that"),
    ],
)
def test_a_part_of_an_answer_without_an_end_is_refused(answer: Answer, why: str) -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(answer) as (address, server):
        refusal = run(address, limit, 1)
        assert refusal is not None and re.search(why, refusal)
        assert server.connections == 1
        check(server, limit)


def test_parts_without_an_end_on_many_connections_end_at_the_limit() -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(hostile_server.interim_answers) as (address, server):
        run(address, limit, 8)
        check(server, limit)


def test_a_long_status_is_not_repeated_whole() -> None:
    with hostile(hostile_server.long_status) as (address, _):
        refusal = run(address, ByteLimit(LIMIT_BYTES), 1)
    assert refusal is not None and "answers not as HTTP says: HTTP/1.1 2222" in refusal
    assert len(refusal) < 400


def test_by_tls_it_ends_at_the_limit(certified: ssl.SSLContext) -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(hostile_server.flood, certified) as (address, server):
        assert run(address, limit, 4) is None
        assert server.sent_bytes >= LIMIT_BYTES * 0.95
        check(server, limit)


def test_what_tls_adds_counts(certified: ssl.SSLContext) -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(hostile_server.dribble, certified) as (address, server):
        assert run(address, limit, 4) is None
        # A record of TLS has 22 bytes besides its one.
        assert 0.9 * LIMIT_BYTES <= 23 * server.sent_bytes <= LIMIT_BYTES + _BEYOND_BYTES


def test_a_handshake_counts(certified: ssl.SSLContext) -> None:
    limit = ByteLimit(100)
    with hostile(hostile_server.flood, certified) as (address, server):
        assert run(address, limit, 1) is None
        assert server.sent_bytes == 0


def test_a_certificate_that_nobody_trusts_is_refused(
    certified: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with hostile(hostile_server.flood, certified) as (address, server):
        refusal = run(address, ByteLimit(LIMIT_BYTES), 1)
        assert refusal is not None and "certificate verify failed" in refusal
        assert server.sent_bytes == 0


def flood_in_step(connections: int) -> Answer:
    """Answers without an end, no piece of which comes before as many connections have all those before it.

    On a busy machine one connection alone could read all that may be read before another one has begun.
    """
    step = threading.Barrier(connections)

    def answer() -> Iterable[bytes]:
        for piece in hostile_server.flood():
            # Broken once a connection has ended.
            with suppress(threading.BrokenBarrierError):
                step.wait(_SOON_S)
            yield piece

    return answer


def test_loads_of_two_paths_have_one_limit() -> None:
    limit = ByteLimit(LIMIT_BYTES)
    streams = 2
    with hostile(flood_in_step(2 * streams)) as (address, server):
        loads = [
            HttpDownload(NetworkPath(source=source, load=address, echo="127.0.0.1"), streams, limit)
            for source in ("127.0.0.1", "127.0.0.2")
        ]
        until_reached(limit)
        tables = [load.end() for load in loads]
        check(server, limit)
    assert all(table.octets[-1] > 0 for table in tables)
    assert LIMIT_BYTES - 1000 < sum(table.octets[-1] for table in tables) < LIMIT_BYTES


def test_what_is_forwarded_has_the_limit() -> None:
    limit = ByteLimit(LIMIT_BYTES)
    with hostile(hostile_server.flood) as (_, server):
        own = Forwarder("127.0.0.1", hostile_server.ADDRESS, server.port, 4, limit)
        nears = [socket.create_connection(("127.0.0.1", own.port)) for _ in range(4)]
        for near in nears:
            near.sendall(b"\r\n\r\n")
        until_reached(limit)
        time.sleep(0.1)
        check(server, limit)
        own.end()
        come_bytes = 0
        for near in nears:
            while piece := near.recv(1 << 16):
                come_bytes += len(piece)
            near.close()
    assert come_bytes == LIMIT_BYTES


def test_a_host_that_cannot_be_reached_is_said_by_a_forwarder() -> None:
    with hostile(hostile_server.flood) as (_, server):
        port = server.port
    own = Forwarder("127.0.0.1", hostile_server.ADDRESS, port, 4, ByteLimit(LIMIT_BYTES))
    with socket.create_connection(("127.0.0.1", own.port)) as near:
        assert near.recv(1) == b""
    own.end()
    assert own.failure is not None and "refused" in own.failure


def test_many_threads_read_no_more_than_the_limit() -> None:
    limit = ByteLimit(1_000_003)
    pairs = [socket.socketpair() for _ in range(8)]
    read_bytes: list[int] = []

    def read(connection: socket.socket) -> None:
        with suppress(LimitReachedError):
            while True:
                read_bytes.append(len(limit.receive(connection, 1 << 16)))

    def send(connection: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection.sendall(bytes(10_007))

    readers = [threading.Thread(target=read, args=(here,)) for here, _ in pairs]
    for thread in (*readers, *(threading.Thread(target=send, args=(there,), daemon=True) for _, there in pairs)):
        thread.start()
    for thread in readers:
        thread.join(_SOON_S)
    assert sum(read_bytes) == 1_000_003
    for connection in itertools.chain.from_iterable(pairs):
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()


def test_what_does_not_come_in_time_is_not_waited_for() -> None:
    here, there = socket.socketpair()
    with here, there, pytest.raises(TimeoutError):
        ByteLimit(1).receive(here, 1, timeout_s=0.01)
