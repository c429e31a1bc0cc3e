"""The broker that runs: conversations of hosted instances, in tables."""

from typing import Any

from django.apps import AppConfig

from brokerui.estate.signals import version_written


class MessagingConfig(AppConfig):
    """Conversations, queues and the transmission queue of the instances that this deployment runs."""

    name = "brokerui.messaging"

    def ready(self) -> None:
        version_written.connect(_wake, dispatch_uid="messaging")


def _wake(**_signal: Any) -> None:
    """What waits may find a way in the new version."""
    from brokerui.messaging.tasks import routes_changed  # noqa: PLC0415 - models, which are not there yet at the start
    from brokerui.messaging.waking import wake_once  # noqa: PLC0415 - the same

    wake_once(routes_changed)
