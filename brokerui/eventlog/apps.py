"""The event log as an application of Django."""

from django.apps import AppConfig
from django.core.checks import register

from brokerui.messaging.exchange.outbox import record_events_with


class EventLogConfig(AppConfig):
    """Counters, samples, exceptional events, and the files of all events."""

    name = "brokerui.eventlog"
    label = "eventlog"

    def ready(self) -> None:
        """Take the events of the hosted instances; have misconfiguration reported by `manage.py check`."""
        from brokerui.eventlog import checks  # noqa: PLC0415 - settings are complete only now
        from brokerui.eventlog.recording import recorder  # noqa: PLC0415 - the same

        record_events_with(recorder)
        register(checks.settings_make_sense)
        register(checks.log_can_be_written)
