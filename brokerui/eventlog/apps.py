"""The event log as an application of Django."""

from django.apps import AppConfig
from django.core.checks import register


class EventLogConfig(AppConfig):
    """Counters, samples, exceptional events, and the files of all events."""

    name = "brokerui.eventlog"

    def ready(self) -> None:
        """Have misconfiguration reported by `manage.py check` and at every start."""
        from brokerui.eventlog import checks  # noqa: PLC0415 - settings are complete only now

        register(checks.settings_make_sense)
        register(checks.log_can_be_written)
