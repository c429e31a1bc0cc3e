"""Conversations as an application of Django; it has no tables of its own."""

from django.apps import AppConfig
from django.core.checks import register


class ConversationsConfig(AppConfig):
    """Conversations one by one, and their bodies."""

    name = "brokerui.analysis.conversations"
    label = "conversations"

    def ready(self) -> None:
        """Have misconfiguration reported by `manage.py check`."""
        from brokerui.analysis.conversations import checks  # noqa: PLC0415 - settings are complete only now

        register(checks.masks_make_sense)
