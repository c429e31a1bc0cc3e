"""Effects of changes on conversations."""

from django.apps import AppConfig


class EffectConfig(AppConfig):
    """Effects of changes on conversations."""

    name = "brokerui.analysis.effect"
    label = "effect"
