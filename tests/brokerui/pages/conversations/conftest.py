"""Two hosted instances, and users."""

from __future__ import annotations

from tests.brokerui.pages.monitoring.conftest import (
    client,
    lists,
    nothing_counted,
    one_valkey,
    operator,
    redis_client,
    valkey,
    viewer,
    wire,
)

__all__ = ["client", "lists", "nothing_counted", "one_valkey", "operator", "redis_client", "valkey", "viewer", "wire"]
