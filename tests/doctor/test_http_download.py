"""Downloads over loopback, of servers that send and of those that do not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from smartsbd.doctor.byte_limit import ByteLimit
from smartsbd.doctor.http_download import AddressError, HttpDownload, parsed
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.network_path import NetworkPath
from tests.processes import waited_for

_PIECE = bytes(10_000)
#: Longer than it is waited for when a download is ended.
_SILENT_S = 300.0


class Answers(BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "http://192.0.2.1/there")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/silent":
            time.sleep(_SILENT_S)
            return
        self.send_response(404 if self.path == "/missing" else 200)
        length = {"/short": len(_PIECE), "/nothing": 0, "/missing": 0}.get(self.path, 10 * len(_PIECE))
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if length:
            # What has a longer length than body breaks off.
            self.wfile.write(_PIECE)
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def server() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    own = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Answers,), {"asked": asked}))
    own.daemon_threads = True
    threading.Thread(target=own.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{own.server_address[1]}", asked
    finally:
        own.shutdown()
        own.server_close()


def download(address: str, streams: int = 2, source: str = "127.0.0.1") -> HttpDownload:
    return HttpDownload(NetworkPath(source=source, load=address, echo="127.0.0.1"), streams, ByteLimit(10**12))


def until_more(load: HttpDownload, octets: int) -> int:
    waited_for(lambda: load.look() > octets)
    return load.look()


@pytest.mark.parametrize("file", ["short", "breaks-off"])
def test_a_file_that_ends_is_asked_for_again(file: str) -> None:
    with server() as (address, asked):
        load = download(f"{address}/{file}?large=1" if file == "breaks-off" else f"{address}/{file}")
        assert until_more(load, 3 * len(_PIECE)) > 3 * len(_PIECE)
        table = load.end()
    assert table.octets[-1] >= 4 * len(_PIECE)
    assert table.octets[-1] % len(_PIECE) == 0
    assert len(asked) >= 4
    assert asked[0] == ("/breaks-off?large=1" if file == "breaks-off" else "/short")


def test_silence_is_no_failure_and_what_waits_is_woken() -> None:
    with server() as (address, asked):
        load = download(f"{address}/silent")
        assert waited_for(lambda: len(asked) == 2)
        assert load.look() == 0
        assert load.end().octets[-1] == 0
        assert not any(thread.is_alive() for thread in load._threads)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("moved", "answers 302, which leads to http://192.0.2.1/there: name that"),
        ("missing", "answers 404"),
        ("nothing", "answers with nothing"),
    ],
)
def test_what_brings_nothing_is_said(file: str, why: str) -> None:
    with server() as (address, _):
        load = download(f"{address}/{file}")
        with pytest.raises(LoadError, match=why):
            until_more(load, 0)


@pytest.mark.parametrize(("source", "why"), [("127.0.0.1", "refused"), ("no-such-device", ""), ("192.0.2.77", "")])
def test_what_cannot_be_reached_is_said(source: str, why: str) -> None:
    with server() as (address, _):
        pass
    load = download(f"{address}/short", source=source)
    with pytest.raises(LoadError, match=f"over {source}: .*{why}"):
        until_more(load, 0)


@pytest.mark.parametrize(
    "address",
    ["", "server.example", "ftp://server.example/", "http://", "http://[::1", "http://a:0/", "http://a:99999/"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(AddressError, match="is not an address of HTTP"):
        parsed(address)


def test_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(AddressError) as found:
        parsed("https://me:secret@server.example/")
    assert "secret" not in str(found.value)
