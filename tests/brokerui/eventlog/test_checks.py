"""Settings of the event log that make no sense are reported at the start."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks

from brokerui.eventlog import checks


def test_the_settings_as_they_come_are_right() -> None:
    assert [one.id for one in run_checks() if one.id in {"brokerui.E010", "brokerui.W010"}] == []


@pytest.mark.parametrize(("name", "least"), checks.LEAST.items())
def test_a_setting_below_what_can_be_is_named(settings: Any, name: str, least: int) -> None:
    setattr(settings, name, least)
    assert [one for one in checks.settings_make_sense(None) if name in str(one.msg)] == []
    setattr(settings, name, least - 1)
    (found,) = checks.settings_make_sense(None)
    assert (found.id, found.msg, found.hint) == (
        "brokerui.E010",
        f"{name} is {least - 1}.",
        f"It must be {least} or more.",
    )


def test_hours_are_kept_as_long_as_minutes(settings: Any) -> None:
    settings.EVENT_HOURS_DAYS, settings.EVENT_MINUTES_DAYS = 6, 7
    (found,) = checks.settings_make_sense(None)
    assert found.msg == "Counters per hour are kept for 6 days, minutes for 7."


def test_a_log_that_nobody_can_write_is_told(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "can_be_logged", lambda: False)
    assert checks.log_can_be_written(None) == []
    settings.EVENT_LOG = True
    assert [one.id for one in checks.log_can_be_written(None)] == ["brokerui.W010"]
