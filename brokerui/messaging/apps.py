"""The broker that runs: conversations of hosted instances, in tables."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class MessagingConfig(AppConfig):
    """Conversations, queues and the transmission queue of the instances that this deployment runs."""

    name = "brokerui.messaging"

    def ready(self) -> None:
        """Have misconfiguration reported by `manage.py check` and at every start."""
        from brokerui.messaging.endpoint import checks  # noqa: PLC0415 - settings are complete only now

        register(checks.tls_can_be_used)
        register(checks.key_is_private)
        register(checks.addresses_are_encrypted, Tags.database)
