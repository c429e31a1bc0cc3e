"""Activation: Celery tasks that receive from a queue, started when messages are there."""

from django.apps import AppConfig
from django.core.checks import register


class ActivationConfig(AppConfig):
    """Readers of queues."""

    name = "brokerui.messaging.activation"
    label = "messaging_activation"

    def ready(self) -> None:
        from brokerui.messaging.activation.checks import tasks_are_registered  # noqa: PLC0415 - once settings are there

        register(tasks_are_registered)
