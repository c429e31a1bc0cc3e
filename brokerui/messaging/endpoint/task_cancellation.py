"""Ending tasks for certain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

PATIENCE = 0.2
"""Seconds until a task is asked again: what it waits for may have taken the first time for something else."""


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel them, and wait until all have ended."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=PATIENCE)
