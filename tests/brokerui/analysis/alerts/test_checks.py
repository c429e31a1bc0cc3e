"""Settings of alerts that could not work are named before the product starts."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.analysis.alerts.checks import settings_make_sense


@pytest.mark.parametrize(
    "entry", ["10.1.2.3/16", "https://hooks.example", "hooks.example:443", "hooks.example/x", "a..b", "*.example", ""]
)
def test_an_entry_that_is_no_host_and_no_network_is_an_error(entry: str, settings: Any) -> None:
    settings.ALERT_HOSTS = ["hooks.example", entry]
    (error,) = settings_make_sense(None)
    assert (error.id, repr(entry) in error.msg) == ("brokerui.E016", True)


def test_other_settings_are_checked_and_what_works_is_not_named(settings: Any) -> None:
    settings.ALERT_HOSTS, settings.SITE_URL = ["hooks.example", "10.1.0.0/16", "::1", "fd00::/8"], "https://b.example"
    assert settings_make_sense(None) == []
    settings.SITE_URL, settings.ALERTS_KEEP_DAYS = "b.example", 0
    assert len(settings_make_sense(None)) == 2
