"""The first question anybody has."""

from django.apps import AppConfig


class ExplainConfig(AppConfig):
    """Where a conversation goes, and why."""

    name = "brokerui.explain"
