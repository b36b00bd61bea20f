"""An HTTP server that sends for ever, at each address of its host in one of three ways.

Run as a program, with the way of each address as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = 8000
#: As much as goes; some bytes a second, as an application without much to say; nothing.
BULK, DRIPPING, SILENT = "bulk", "dripping", "silent"
_BLOCK = bytes(1 << 15)


def server_of(ways: dict[str, str]) -> ThreadingHTTPServer:
    """Return a server that listens, with the way of each of its addresses."""

    class Handler(BaseHTTPRequestHandler):
        """Answers every request with a body without an end."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            way = ways[self.connection.getsockname()[0]]
            try:
                while way == SILENT:
                    time.sleep(1)
                while True:
                    self.wfile.write(_BLOCK if way == BULK else bytes(100))
                    if way == DRIPPING:
                        time.sleep(0.1)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("0.0.0.0", PORT), Handler)  # noqa: S104 - in a namespace of the test's own
    server.daemon_threads = True
    return server


if __name__ == "__main__":
    threading.Thread(target=server_of(json.loads(sys.argv[1])).serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()
