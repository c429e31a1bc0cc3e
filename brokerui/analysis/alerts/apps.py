"""Alerts: rules that a worker evaluates once a minute, and what they found."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register


class AlertsConfig(AppConfig):
    """Alerts: rules that a worker evaluates once a minute, and what they found."""

    name = "brokerui.analysis.alerts"
    label = "alerts"

    def ready(self) -> None:
        """Have settings that cannot work reported before anything starts."""
        from brokerui.analysis.alerts import checks  # noqa: PLC0415 - settings are complete only now

        register(checks.settings_make_sense)
