"""An endpoint in a process of its own, which a test may kill and whose memory it may measure.

python -m tests.brokerui.messaging.endpoint.apart URL '{"A": ["tcp://127.0.0.1:4022"]}' '{"connections": 10}'
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from brokerui.core.home import CHECKOUT
from brokerui.core.start import django_ready
from tests.brokerui.product import STOP_SECONDS, eventually


class Apart:
    """Started, and started again."""

    def __init__(self, url: str, hosted: dict[str, list[str]], children: list[subprocess.Popen[str]], **changes: Any):
        self._words = (url, json.dumps(hosted), json.dumps(changes))
        self._children = children
        self.start()

    def start(self) -> None:
        """Gives when it listens."""
        command = [sys.executable, "-m", "tests.brokerui.messaging.endpoint.apart", *self._words]
        self.process = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
        self._children.append(self.process)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "listens\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    @property
    def megabytes(self) -> float:
        """Resident memory of the process."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)

    @property
    def sockets(self) -> int:
        """Open ones, those to Redis and those that listen among them."""
        return sum(map(_is_socket, Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def settles(self, sockets: int) -> bool:
        return bool(eventually(lambda: self.sockets <= sockets))


def _is_socket(file: Path) -> bool:
    try:
        return str(file.readlink()).startswith("socket:")
    except FileNotFoundError:
        return False  # closed since it was listed


async def _serve(url: str, hosted: dict[str, list[str]], changes: dict[str, Any]) -> None:
    from brokerui.core.async_redis import AsyncRedis
    from brokerui.messaging.endpoint.process import EndpointProcess
    from brokerui.messaging.endpoint.stopping import stop_on_signals
    from tests.brokerui.messaging.endpoint.scene import QUICK

    async def ask() -> dict[str, tuple[str, ...]]:
        return {name: tuple(addresses) for name, addresses in hosted.items()}

    stop = asyncio.Event()
    stop_on_signals(stop)
    async with AsyncRedis(url, connect_s=5.0, answer_s=5.0) as client:
        endpoint = EndpointProcess(client, ask, lambda: None, replace(QUICK, **changes))
        running = asyncio.create_task(endpoint.run(stop))
        async with asyncio.timeout(STOP_SECONDS):
            while not _listens(endpoint, hosted):
                await asyncio.sleep(0.01)
        sys.stdout.write("listens\n")
        sys.stdout.flush()
        await running


def _listens(endpoint: Any, hosted: dict[str, list[str]]) -> bool:
    listeners = [one for host in endpoint.hosts.values() for one in host.listeners.values()]
    return len(listeners) == sum(map(len, hosted.values())) and all(one.is_open for one in listeners)


if __name__ == "__main__":
    django_ready()
    asyncio.run(_serve(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])))
