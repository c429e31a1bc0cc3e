"""Which queues have activation, and the tasks that read them.

A queue names a procedure; it is run where a registered Celery task has this name, and the deployment allows it. An
estate, which many may edit, never says what code runs here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from celery import current_app
from django.conf import settings

from routing.dialog.endpoint import QueueKey
from routing.model.catalog_objects import Activation
from routing.model.estate import Estate
from routing.runtime.broker import Broker

Activations = Mapping[QueueKey, Activation]

_kept: dict[str, tuple[Estate, Activations]] = {}
"""By instance."""


def activations_of(broker: Broker) -> Activations:
    """Return the activations of an instance that are on, of queues that are on."""
    kept = _kept.get(broker.instance)
    if kept is None or kept[0] is not broker.estate:
        kept = _kept[broker.instance] = (broker.estate, _found(broker.estate, broker.instance))
    return kept[1]


def _found(estate: Estate, instance: str) -> Activations:
    return {
        (database.name, queue.name): queue.activation
        for database in estate.instances[instance].databases.values()
        for queue in database.queues
        if queue.activation is not None and queue.activation.enabled and queue.enabled
    }


def task_of(activation: Activation) -> Any | None:
    """The task of its procedure; None: there is none that may run here."""
    return registered(activation.procedure) if activation.procedure in settings.ACTIVATION_TASKS else None


def registered(name: str) -> Any | None:
    """The Celery task of a name."""
    for module in settings.CELERY_IMPORTS:  # as a worker has done, and others have not
        import_module(module)
    return current_app.tasks.get(name)
