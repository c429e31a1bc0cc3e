"""The event log as an application of Django."""

from django.apps import AppConfig


class EventLogConfig(AppConfig):
    """Counters, samples, exceptional events, and the files of all events."""

    name = "brokerui.eventlog"
