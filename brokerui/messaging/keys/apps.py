"""Keys of dialog security."""

from django.apps import AppConfig


class KeysConfig(AppConfig):
    """Key pairs of hosted databases."""

    name = "brokerui.messaging.keys"
    label = "keys"
