"""Looking at the hosted instances, once a minute. Never counts messages: counters and waiting conversations tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import connection

from brokerui.estate.selectors import estate_current
from brokerui.eventlog.samples import OfSample, Sample
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.models import HostedInstance, MirroredRoute
from routing.mirror.state_machine import DOUBTING, SENDING
from routing.model.estate import Estate

Found = dict[str, list[Sample]]
"""By instance."""

_LEVELS: Final = " UNION ALL ".join(f"SELECT {priority} AS priority" for priority in range(1, 11))
# The first message of each priority: one lookup each, in the index that begins with the queue.
_OLDEST: Final = """
    SELECT message_enqueue_time FROM queue_messages WHERE queuing_order = (
        SELECT min((SELECT m.queuing_order FROM queue_messages m
            WHERE m.queue_number = c.queue_number AND m.priority <= levels.priority
            ORDER BY m.priority DESC, m.queuing_order LIMIT 1))
        FROM ({levels}) AS levels)
"""
_QUEUES: Final = f"""
    SELECT c.instance_id, c.database, c.queue, c.messages, ({_OLDEST.format(levels=_LEVELS)}) FROM (
        SELECT instance_id, queue_number, database, queue, sum(messages) AS messages FROM queue_counters
        GROUP BY instance_id, queue_number, database, queue) AS c
    ORDER BY c.instance_id, c.database, c.queue
"""  # noqa: S608 - numbers that stand here
# The first message of a conversation is found by its key: one look for each that waits.
_WAITING: Final = """
    SELECT e.instance_id, e.database, e.transmission_status, count(*), sum(e.outgoing), min((
        SELECT t.enqueue_time FROM transmission_queue t WHERE t.conversation_handle = e.conversation_handle
        AND t.message_sequence_number = e.acknowledged_sequence AND t.instance_id = e.instance_id))
    FROM conversation_endpoints e WHERE e.may_wait AND e.outgoing > 0
    GROUP BY e.instance_id, e.database, e.transmission_status
    ORDER BY e.instance_id, e.database, e.transmission_status
"""
# Messages that have come for a queue that is off: they wait in the transmission queue of its database.
_ARRIVED: Final = """
    SELECT e.instance_id, e.database, sum((
        SELECT count(DISTINCT f.message_sequence_number) FROM held_fragments f
        WHERE f.conversation_handle = e.conversation_handle AND f.instance_id = e.instance_id)), min((
        SELECT min(f.enqueue_time) FROM held_fragments f
        WHERE f.conversation_handle = e.conversation_handle AND f.instance_id = e.instance_id))
    FROM conversation_endpoints e JOIN queue_states q
    ON q.instance_id = e.instance_id AND q.database = e.database AND q.name = e.queue AND NOT q.is_receive_enabled
    WHERE e.may_wait AND e.held > 0 GROUP BY e.instance_id, e.database
"""


def looked_at(now: int) -> Found:
    """Return a sample of each hosted instance."""
    hosted = set(hosted_names())
    names = {row.id: row.name for row in HostedInstance.objects.all() if row.name in hosted}
    found: Found = {name: [] for name in sorted(names.values())}
    _queues(found, names, now)
    _transmission_queues(found, names, now, estate_current().estate)
    _roles(found, estate_current().estate)
    _routes(found, names)
    return found


def _rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _age(now: int, oldest: int | None) -> int | None:
    return None if oldest is None else max(0, now - int(oldest))


def _queues(found: Found, names: Mapping[int, str], now: int) -> None:
    for instance, database, queue, messages, oldest in _rows(_QUEUES):
        if instance in names:
            sample = Sample(OfSample.QUEUE, database, queue, depth=int(messages), oldest_age_ms=_age(now, oldest))
            found[names[instance]].append(sample)


def _transmission_queues(found: Found, names: Mapping[int, str], now: int, estate: Estate) -> None:
    depths: dict[tuple[str, str], int] = {}
    oldest: dict[tuple[str, str], int] = {}
    waiting = _rows(_ARRIVED)
    for instance, database, status, conversations, messages, first in _rows(_WAITING):
        if instance in names:
            found[names[instance]].append(_waiting(database, status, int(conversations), _age(now, first)))
            waiting.append((instance, database, messages, first))
    for instance, database, messages, first in (row for row in waiting if row[0] in names):
        place = (names[instance], database)
        depths[place] = depths.get(place, 0) + int(messages)
        oldest[place] = min(oldest.get(place, now), now if first is None else int(first))
    for name in found:
        for database in _databases(estate, name):
            depth, age = depths.get((name, database), 0), _age(now, oldest.get((name, database)))
            sample = Sample(OfSample.TRANSMISSION_QUEUE, database, depth=depth, oldest_age_ms=age)
            found[name].append(sample)


def _waiting(database: str, status: int, conversations: int, age: int | None) -> Sample:
    return Sample(OfSample.WAITING_CONVERSATIONS, database, error=status, depth=conversations, oldest_age_ms=age)


def _databases(estate: Estate, instance: str) -> Iterable[str]:
    return estate.instances[instance].databases if instance in estate.instances else ()


def _roles(found: Found, estate: Estate) -> None:
    for name, samples in found.items():
        for database in _databases(estate, name):
            role = estate.instances[name].databases[database].mirroring_role
            if role:
                samples.append(Sample(OfSample.MIRRORING_ROLE, database, role=role))


def _routes(found: Found, names: Mapping[int, str]) -> None:
    for row in MirroredRoute.objects.filter(instance__in=list(names)).order_by("pk"):
        addresses = (row.address, row.mirror_address)
        principal = addresses[row.principal] if row.phase in {SENDING, DOUBTING} else ""
        sample = Sample(
            OfSample.MIRRORED_ROUTE,
            address=row.address,
            mirror_address=row.mirror_address,
            service=row.service,
            broker_instance=row.identifier,
            principal=principal,
        )
        found[names[row.instance_id]].append(sample)
