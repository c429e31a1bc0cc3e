"""Answers of Redis to the commands of a thread: the library's reader, with a quick look whether something has come.

Each command looks first whether the server has ended the connection. The library makes a list of sockets to look at
each time; here it is made once for each connection.
"""

from __future__ import annotations

import select
from typing import Any

from redis._parsers import _HiredisParser  # the library's only name for it
from redis.exceptions import ConnectionError as RedisConnectionError


class QuickAnswers(_HiredisParser):
    """Reads what the server has answered on one connection."""

    def on_connect(self, connection: Any, **options: Any) -> None:
        """Begin with a connection that has just been opened."""
        super().on_connect(connection, **options)
        self._poll = select.poll()
        self._poll.register(self._sock, select.POLLIN)
        self._decrypted = getattr(self._sock, "pending", int)

    def can_read(self, timeout: float = 0) -> bool:
        """Return whether something has come, be it the end of the connection: within seconds, or already."""
        if self._sock is None:
            raise RedisConnectionError("the connection to Redis is closed")
        return bool(self._reader.has_data() or self._decrypted() or self._poll.poll(timeout * 1000))
