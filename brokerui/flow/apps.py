"""Where the routes lead, in widths."""

from django.apps import AppConfig


class FlowConfig(AppConfig):
    """Where the routes lead, in widths."""

    name = "brokerui.flow"
