"""The broker that runs: conversations of hosted instances, in tables."""

from typing import Any

from django.apps import AppConfig
from django.core.checks import Tags, register

from brokerui.estate.signals import version_written


class MessagingConfig(AppConfig):
    """Conversations, queues and the transmission queue of the instances that this deployment runs."""

    name = "brokerui.messaging"
    label = "messaging"

    def ready(self) -> None:
        """Follow the estate; have misconfiguration reported."""
        version_written.connect(_wake, dispatch_uid="messaging")
        from brokerui.messaging import checks  # noqa: PLC0415 - models, which are not there yet at the start
        from brokerui.messaging.endpoint import checks as of_endpoint  # noqa: PLC0415 - the same

        register(of_endpoint.tls_can_be_used)
        register(of_endpoint.key_is_private)
        register(of_endpoint.addresses_are_encrypted, Tags.database)
        register(checks.sqlite_is_new_enough)
        register(checks.shards_can_be_used)
        register(checks.lists_have_room)
        register(checks.connections_are_let_in)
        register(checks.log_format_is_known)
        register(checks.event_log_has_its_folder)
        register(checks.hosted_instances_listen, Tags.database)


def _wake(**_signal: Any) -> None:
    """Wake the workers: waiting conversations may be routed by the new version."""
    from brokerui.messaging.exchange.wake_debounce import wake_once  # noqa: PLC0415 - the same
    from brokerui.messaging.tasks import routes_changed  # noqa: PLC0415 - models, which are not there yet at the start

    wake_once(routes_changed)
