"""The broker that runs: conversations of hosted instances, in tables."""

from django.apps import AppConfig


class MessagingConfig(AppConfig):
    """Conversations, queues and the transmission queue of the instances that this deployment runs."""

    name = "brokerui.messaging"
