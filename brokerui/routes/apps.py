"""Every route in a table."""

from django.apps import AppConfig


class RoutesConfig(AppConfig):
    """Every route in a table."""

    name = "brokerui.routes"
