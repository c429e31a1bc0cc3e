"""A site for tests of the server before it: says how many bytes it was sent, gives as many as it is asked for.

Where ECHO_ARRIVAL_S is set, the server waits for a request that many seconds at most.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from brokerui.running import slow_clients

if seconds := os.environ.get("ECHO_ARRIVAL_S"):
    patch.object(slow_clients, "ARRIVAL_S", float(seconds)).start()


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
