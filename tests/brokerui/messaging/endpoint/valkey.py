"""A real Valkey at a socket, which a test may kill and start again."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from redis import Redis, RedisError

from brokerui.core.redis_url import redis_url
from brokerui.core.valkey import valkey_command
from tests.brokerui.product import eventually


class Valkey:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.url = redis_url("", home)
        self.process: subprocess.Popen[bytes] | None = None

    def client(self) -> Redis:
        return Redis.from_url(self.url, socket_timeout=10)

    def start(self) -> None:
        """Unless it runs."""
        if self.process is not None:
            return
        self.process = subprocess.Popen(valkey_command(self.home), stdout=subprocess.DEVNULL)
        eventually(self._answers)

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except RedisError:
                return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
