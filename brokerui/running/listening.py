"""The port of the web pages: the supervisor listens on it, so that it stays taken while the web restarts."""

from __future__ import annotations

import os
import socket
from contextlib import closing

from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say

DEFAULT_PORT = 8000
PORT_MAX = 65535
BACKLOG = 512


def port_of(given: int | None) -> int:
    """Return the argument, else `PORT` of the environment, else 8000. Raises `Invalid`."""
    text = str(given) if given is not None else os.environ.get("PORT") or str(DEFAULT_PORT)
    if not text.isdecimal() or int(text) > PORT_MAX:
        raise Invalid("PORT", say("must be a number from 0 to 65535, not {got}", got=text))
    return int(text)


def listen(host: str, port: int) -> socket.socket:
    """Listen on the port before anything is prepared, so that a taken port is reported at once. Raises `Invalid`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, ValueError) as error:
        problem = say("cannot listen on {where}: {why}", where=f"{host}:{port}", why=_why(error, host, port))
        raise Invalid("", problem) from error


def address_of(listener: socket.socket) -> str:
    """Return the address for a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _why(error: OSError | ValueError, host: str, port: int) -> Sentence | str:
    """Return the system's reason. An unknown host has an error number that is not the system's."""
    if isinstance(error, ValueError) or not error.errno or error.errno < 0:
        return str(error)
    if _is_taken(host, port):
        return say("another program listens there; PORT=… chooses another")
    return os.strerror(error.errno)


def _is_taken(host: str, port: int) -> bool:
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)) as probe:
        return probe.connect_ex((host, port)) == 0
