"""System checks of the tasks that may be activated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from brokerui.messaging.queue_monitors.activation_settings import registered


def tasks_are_registered(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E013: a queue that names such a task would fill, because no reader can be started."""
    return [
        Error(
            f"ACTIVATION_TASKS names {name}, and no Celery task has this name.",
            hint="Name its module in ACTIVATION_IMPORTS.",
            id="brokerui.E013",
        )
        for name in settings.ACTIVATION_TASKS
        if registered(name) is None
    ]
