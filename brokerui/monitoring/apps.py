"""What an operator sees of the hosted instances at work."""

from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    """Transmission queues, what is delayed and why, mirrors, connections. It keeps nothing itself."""

    name = "brokerui.monitoring"
