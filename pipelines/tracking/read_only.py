"""Which requests to a server are passed on: those that read what `track` wrote, and no others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

#: Routes of MLflow 3.17 that read a store though they are posted to; its page of runs and models needs no more.
_SEARCHES = re.compile(
    r"/graphql|/(ajax-)?api/2\.0/mlflow/(experiments/search(-datasets)?|runs/search|logged-models/search)"
)
#: It has its own configuration in the home folder, and runs programs.
_ASSISTANT = re.compile(r"/(ajax-)?api/[^/]+/mlflow/assistant(/.*)?")
_FORBIDDEN = 403
#: As MLflow writes an error, which its page and its clients show.
_REFUSAL = b'{"error_code": "PERMISSION_DENIED", "message": "this server only shows what sbd track wrote"}'


def is_passed_on(method: str, path: str) -> bool:
    """Return whether a request only reads the store.

    Parameters
    ----------
    method : str
        Of HTTP, in capitals.
    path : str
        Decoded, without a query.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_passed_on("GET", "/get-artifact"), is_passed_on("POST", "/ajax-api/2.0/mlflow/runs/search")
    (True, True)
    >>> is_passed_on("POST", "/api/2.0/mlflow/runs/set-tag")
    False
    >>> is_passed_on("GET", "/ajax-api/3.0/mlflow/assistant/config")
    False
    """
    if method == "POST":
        return _SEARCHES.fullmatch(path) is not None
    return method in ("GET", "HEAD") and _ASSISTANT.fullmatch(path) is None


class ReadOnly:
    """A server's application that passes on only requests to read; it answers the others with 403.

    Parameters
    ----------
    inside : ASGIApp
        MLflow's.
    """

    def __init__(self, inside: ASGIApp) -> None:
        self._inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and is_passed_on(scope["method"], scope["path"]):
            await self._inside(scope, receive, send)
        elif scope["type"] == "http":
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": _FORBIDDEN, "headers": headers})
            await send({"type": "http.response.body", "body": _REFUSAL})
        else:
            await send({"type": "websocket.close"})
