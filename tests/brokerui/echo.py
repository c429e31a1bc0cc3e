"""A site for tests of the server before it: says how many bytes it was sent, gives as many as it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    try:
        sent = environ["wsgi.input"].read()
    except OSError:
        sent = b""
    text = f"{environ['PATH_INFO']} {len(sent)}".encode()
    if environ["PATH_INFO"].startswith("/give/"):
        text = b"x" * int(environ["PATH_INFO"].removeprefix("/give/"))
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]
