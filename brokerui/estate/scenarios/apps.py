"""Estates to look at: read-only, beside the live one."""

from django.apps import AppConfig


class ScenariosConfig(AppConfig):
    """The bundled examples, and documents that users give."""

    name = "brokerui.estate.scenarios"
    label = "scenarios"
