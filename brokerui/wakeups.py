"""Where wake-ups go: the Redis of `REDIS_URL`, else a Valkey of our own at a socket in the home."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

SOCKET_PATH_MAX = 100
"""The system's limit for the path of a socket is 107 characters on Linux, 103 on macOS."""


def socket_path(home: Path) -> Path:
    """The socket of the Valkey of this home; in the folder of temporary files where the home's path is too long."""
    path = home / "valkey" / "valkey.sock"
    if len(str(path).encode()) <= SOCKET_PATH_MAX:
        return path
    name = hashlib.sha256(str(home).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"brokerui-{name}" / "valkey.sock"


def redis_url(given: str, home: Path) -> str:
    """As redis-py takes it."""
    return given or f"unix://{socket_path(home)}"


def broker_url(url: str) -> str:
    """As Celery takes it."""
    return url.replace("unix://", "redis+socket://", 1) if urlsplit(url).scheme == "unix" else url
