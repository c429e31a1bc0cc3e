"""Alerts: rules that a worker evaluates once a minute, and what they found."""

from __future__ import annotations

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """Alerts: rules that a worker evaluates once a minute, and what they found."""

    name = "brokerui.analysis.alerts"
    label = "alerts"
