"""Scenes of coroutines, in a test that is none itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def played(scenario: Coroutine[Any, Any, None]) -> None:
    """To its end. In a thread of its own where a loop runs in this one already: Playwright's does, once a browser was
    used in the same process."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(_to_its_end(scenario))
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, _to_its_end(scenario)).result()


async def _to_its_end(scenario: Coroutine[Any, Any, None]) -> None:
    """With the turns of the loop in which sockets that were closed last are closed."""
    await scenario
    for _ in range(3):
        await asyncio.sleep(0)
