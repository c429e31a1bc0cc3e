"""Work that rules look at: a look that finds nothing loads nothing."""

from __future__ import annotations

import pytest

from brokerui.analysis.alerts import observed_work


@pytest.mark.django_db
def test_a_look_that_finds_no_failed_job_loads_no_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process of the worker would take a third of a second to load them, beside messages that come."""

    def reverse(name: str) -> str:
        raise AssertionError(f"the address of {name} loads all pages")

    monkeypatch.setattr(observed_work, "reverse", reverse)
    assert list(observed_work.jobs()) == []
