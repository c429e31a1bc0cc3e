"""The estate as a picture."""

from django.apps import AppConfig


class MapConfig(AppConfig):
    """The estate as a picture."""

    name = "brokerui.map"
