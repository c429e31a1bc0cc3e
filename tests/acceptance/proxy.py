"""A wire that fails: connections break, and bytes are late, missing, doubled, wrong."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterator

KINDS = ("drop", "delay", "truncate", "double", "flip")
CHUNK = 1 << 14
LONGEST_DELAY = 0.5


@contextlib.contextmanager
def cut_at_the_end(*wires: asyncio.StreamWriter) -> Iterator[None]:
    try:
        yield
    finally:
        for wire in wires:
            wire.transport.abort()


class Proxy:
    """Listens at a port of this machine and passes on to another, in a thread of its own."""

    def __init__(self, listens_at: int, leads_to: int, seed: int) -> None:
        self.rate = 0.0
        """Share of chunks to which something happens."""
        self.done: Counter[str] = Counter()
        self.port = listens_at
        self._ports = listens_at, leads_to
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", self._ports[0]))
        self._ready.set()
        self._loop.run_forever()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        """Accept pending connections first: else asyncio drops them, with tasks that have not begun."""
        for listening in self._server.sockets:
            self._loop.remove_reader(listening.fileno())
        await asyncio.sleep(0.1)
        self._server.close()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await asyncio.sleep(0.1)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError), cut_at_the_end(writer):
            there, to_there = await asyncio.open_connection("127.0.0.1", self._ports[1])
            both = (writer, to_there)
            with cut_at_the_end(to_there):
                await asyncio.gather(self._pass_on(reader, to_there, both), self._pass_on(there, writer, both))

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, both: tuple[asyncio.StreamWriter, ...]
    ) -> None:
        with cut_at_the_end(*both), contextlib.suppress(OSError):
            while chunk := await reader.read(CHUNK):
                spoilt = await self._spoilt(chunk)
                if spoilt is None:
                    break
                writer.write(spoilt)
                await writer.drain()

    async def _spoilt(self, chunk: bytes) -> bytes | None:
        """What becomes of it; None: the connection breaks."""
        if self._random.random() >= self.rate:
            return chunk
        kind = self._random.choice(KINDS)
        self.done[kind] += 1
        at = self._random.randrange(len(chunk))
        if kind == "delay":
            await asyncio.sleep(self._random.random() * LONGEST_DELAY)
        elif kind == "truncate":
            return chunk[:at]
        elif kind == "double":
            return chunk * 2
        elif kind == "flip":
            return chunk[:at] + bytes([chunk[at] ^ (1 << self._random.randrange(8))]) + chunk[at + 1 :]
        return None if kind == "drop" else chunk
