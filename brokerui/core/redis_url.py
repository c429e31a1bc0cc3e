"""Where wake-ups go: the Redis of `REDIS_URL`, else a Valkey of our own at a socket in the home."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

SOCKET = "valkey.sock"
SOCKET_PATH_MAX = 100
"""The system's limit for the path of a socket is 107 characters on Linux, 103 on macOS."""


def socket_path(home: Path) -> Path:
    """The socket of the Valkey of this home; in the folder of temporary files where the home's path is too long."""
    path = home / "valkey" / SOCKET
    if len(str(path).encode()) <= SOCKET_PATH_MAX:
        return path
    name = hashlib.sha256(str(home).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"brokerui-{name}" / SOCKET


def is_own(url: str) -> bool:
    """Whether this is the socket of a Valkey that we run."""
    return urlsplit(url).scheme == "unix" and Path(urlsplit(url).path).name == SOCKET


def without_password(url: str) -> str:
    """As one may show it."""
    secret, at, _ = urlsplit(url).netloc.rpartition("@")
    return url.replace(f"{secret}{at}", "", 1) if at else url


def redis_url(given: str, home: Path) -> str:
    """As redis-py takes it."""
    return given or f"unix://{socket_path(home)}"


def broker_url(url: str) -> str:
    """As Celery takes it."""
    return url.replace("unix://", "redis+socket://", 1) if urlsplit(url).scheme == "unix" else url
