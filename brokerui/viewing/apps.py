"""Which estate a page is about."""

from django.apps import AppConfig


class ViewingConfig(AppConfig):
    """Which estate a page is about."""

    name = "brokerui.viewing"
