"""From where is what reached."""

from django.apps import AppConfig


class ReachabilityConfig(AppConfig):
    """From where is what reached."""

    name = "brokerui.analysis.reachability"
    label = "reachability"
