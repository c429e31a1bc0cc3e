"""The REST interface."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """The REST interface."""

    name = "brokerui.api"
    label = "api"
