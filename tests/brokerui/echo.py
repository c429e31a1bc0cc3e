"""A site that tells how many bytes it was sent, for tests of the server in front of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    try:
        sent = environ["wsgi.input"].read()
    except OSError:
        sent = b""
    text = f"{environ['PATH_INFO']} {len(sent)}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]
