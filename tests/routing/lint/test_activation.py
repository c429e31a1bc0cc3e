"""Queues that activate a procedure and let none of its readers start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import about, db, finding, findings, server


def queue(**activation: Any) -> Any:
    given = {"procedure": "dbo.Work", **activation} if activation else None
    return server("a", db("D", services=("Own",), queues=[{"name": "dbo.Q", "activation": given}]))


def test_no_reader_may_start() -> None:
    found = finding("no-queue-readers", queue(max_readers=0))
    assert about(found) == ("warning", "a", "D", "dbo.Q")
    assert "never starts dbo.Work" in str(found.reason)
    assert found.remedy_sql == "USE [D];\nALTER QUEUE [dbo].[Q] WITH ACTIVATION (MAX_QUEUE_READERS = 1);"


@pytest.mark.parametrize("activation", [{"max_readers": 1}, {"max_readers": 0, "enabled": False}, {}])
def test_readers_start_or_nobody_asked_for_them(activation: Any) -> None:
    assert findings("no-queue-readers", queue(**activation)) == []
