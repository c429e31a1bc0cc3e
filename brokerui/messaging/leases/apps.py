"""Leases of messages."""

from django.apps import AppConfig


class LeasesConfig(AppConfig):
    """Messages that were handed out and not taken yet."""

    name = "brokerui.messaging.leases"
    label = "leases"
