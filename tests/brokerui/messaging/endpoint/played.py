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
        asyncio.run(scenario)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, scenario).result()
