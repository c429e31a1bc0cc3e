"""Removal of conversations and messages that hosted instances of the demo leave behind."""

from __future__ import annotations

from django.apps import apps
from django.conf import settings
from django.db import transaction

from brokerui.demo.hosted import HOSTED
from brokerui.estate.models import Instance
from brokerui.messaging.exchange.lists import run, take_arrived
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.models.base import OfInstance

ALL = 1 << 30


def clear() -> None:
    """Delete it. Rows that workers write meanwhile go the next time; the name goes when nothing came any more."""
    left = dict(HostedInstance.objects.filter(name__in=HOSTED).values_list("name", "id"))
    there = set(Instance.objects.filter(name__in=left).values_list("name", flat=True))
    for name in left.keys() - there:
        with transaction.atomic():
            if not _delete_rows(left[name]):
                HostedInstance.objects.filter(id=left[name]).delete()
        for shard in range(settings.ENDPOINT_SHARDS):
            run(redis(), take_arrived(name, shard, ALL))


def _delete_rows(instance: int) -> int:
    """Delete from every table of messaging; returns the number of rows. The demo is bounded to some thousands."""
    models = [model for model in apps.get_app_config("messaging").get_models() if issubclass(model, OfInstance)]
    return sum(model._default_manager.filter(instance_id=instance).delete()[0] for model in models)
