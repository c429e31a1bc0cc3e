"""Watching applied drafts until they are confirmed."""

from django.apps import AppConfig


class ConfirmationConfig(AppConfig):
    """Rolls applied drafts back that nobody confirms, or with which too much waits."""

    name = "brokerui.analysis.confirmation"
    label = "confirmation"
