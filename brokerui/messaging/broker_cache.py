"""The brokers of this process: for each thread one of each hosted instance, over the database and the live estate.

A broker is not made for two threads. What brokers of one instance have to know of each other stands in the database.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from random import SystemRandom

from django.db import connection

from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current, live_version
from brokerui.messaging.errors import NoSuchDatabaseError, NoSuchQueueError, NotHostedError
from brokerui.messaging.hosted_rows import hosted_row
from brokerui.messaging.keys.selectors import keys_stamp, security_of
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.store import DatabaseStore
from routing.common.choices import Choices
from routing.dialog.directory import queue_names
from routing.dialog.endpoint import QueueKey
from routing.dialog.problems import VerbError
from routing.model.estate import MIRROR
from routing.runtime.broker import Broker
from routing.runtime.decision_cache import DATABASE_IS_MIRROR
from routing.runtime.store import Conflict


class ReplacedError(Conflict):
    """The hosted instance was removed and another one has its name: its broker is another one."""


@dataclass(slots=True)
class _Hosted:
    broker: Broker
    store: DatabaseStore
    version: int
    """Version of the estate by which it routes."""
    keys: tuple[datetime | None, ...]


class _OfThread(threading.local):
    """The brokers of one thread."""

    def __init__(self) -> None:
        self.brokers: dict[tuple[str, bool], _Hosted] = {}
        """By instance, and by whether its work belongs to the caller's transaction."""


_ours = _OfThread()


def hosted_names() -> tuple[str, ...]:
    """The instances that this deployment runs."""
    return tuple(Instance.objects.filter(hosted=True).order_by("name").values_list("name", flat=True))


def broker_of(instance: str, *, in_transaction: bool = False) -> Broker:
    """The broker of a hosted instance, with the live estate as it is. Raises `NotHostedError`.

    `in_transaction`: what it does belongs to the transaction that the caller has opened.
    """
    key = (instance, in_transaction)
    known = _ours.brokers.get(key)
    if known is None:
        known, is_callers = _made(instance, in_transaction)
        if not is_callers:
            _ours.brokers[key] = known
    elif known.version != live_version() and not _follow(instance, known):
        forget_brokers()
        return broker_of(instance, in_transaction=in_transaction)
    return known.broker


def working_broker_of(instance: str, *, in_transaction: bool = False) -> Broker:
    """Return the broker for a caller that claims before it looks at the estate: each claim follows the estate and the
    keys."""
    known = _ours.brokers.get((instance, in_transaction))
    return broker_of(instance, in_transaction=in_transaction) if known is None else known.broker


def known_queue_names(instance: str, database: str) -> frozenset[str]:
    """Return the queues of a database by the estate by which the instance's broker works for this caller, which a claim
    may find to be an old one; where there is no such broker yet, by the live one. None for one that is not there."""
    known = _ours.brokers.get((instance, connection.in_atomic_block))
    if known is None:
        return live_queue_names(instance, database)
    here = known.broker.directories.get(database)
    return frozenset() if here is None else here.queue_names


def live_queue_names(instance: str, database: str) -> frozenset[str]:
    """Return the queues of a database by the live estate; none for an instance or a database that is not there."""
    there = estate_current().estate.instances.get(instance)
    here = None if there is None else there.databases.get(database)
    return frozenset() if here is None else queue_names(here.services, here.queues)


def forget_brokers() -> None:
    """Forget the brokers of this thread: their memory is lost, as in a crash."""
    _ours.brokers = {}


def _made(instance: str, in_transaction: bool) -> tuple[_Hosted, bool]:
    """Make a broker. Return it, and whether it has to go with the caller's transaction if that is rolled back."""
    live = estate_current()
    if instance not in hosted_names() or instance not in live.estate.instances:
        raise NotHostedError(instance)
    row, is_callers = hosted_row(instance)
    store = DatabaseStore(row.id, in_transaction=in_transaction, version=live.version)
    keys, security = keys_stamp(instance), security_of(instance)
    broker = Broker(live.estate, instance, store, Choices(SystemRandom().getrandbits), security=security)
    hosted = _Hosted(broker, store, live.version, keys)
    store.follow = partial(_keep_up, instance, hosted)
    store.learn = partial(_look_for_keys, instance, hosted)
    store.forget = forget_brokers
    return hosted, is_callers


def _keep_up(instance: str, known: _Hosted) -> None:
    """Follow the estate within a claim: the store calls this. Raises `NotHostedError` and `ReplacedError`."""
    if not _follow(instance, known):
        forget_brokers()
        raise ReplacedError(f"the name {instance} belongs to another instance by now")


def _look_for_keys(instance: str, known: _Hosted) -> None:
    """Give the broker the keys that are there now, if they have changed. The store calls this in its first claim, and
    in each claim that finds the state of the instance changed: `keys/services.py` changes it with every key."""
    keys = keys_stamp(instance)
    if keys != known.keys:
        known.broker.security, known.keys = security_of(instance), keys


def _follow(instance: str, known: _Hosted) -> bool:
    """Follow a new version of the estate, which may have removed the instance. False: the instance of this broker is
    gone, and its name belongs to another one."""
    live = estate_current()
    if instance not in live.estate.instances or instance not in hosted_names():
        forget_brokers()
        raise NotHostedError(instance)
    if not HostedInstance.objects.filter(id=known.store.instance, name=instance).exists():
        return False
    known.broker.change_estate(live.estate)
    known.version = known.store.version = live.version
    _look_for_keys(instance, known)
    return True


def has_binding(instance: str, database: str, service: str) -> bool:
    """Whether a dialog from a database to a service can be encrypted: by the keys that are there now, since no claim
    has asked for them. Raises `NotHostedError`."""
    broker_of(instance)
    return security_of(instance).protection(database, service, True) is not None


def check_database(broker: Broker, database: str) -> None:
    """Raises `NoSuchDatabaseError`, and `VerbError` for a mirror, which accepts no work."""
    here = broker.estate.instances[broker.instance].databases.get(database)
    if here is None:
        raise NoSuchDatabaseError(broker.instance, database)
    if here.mirroring_role == MIRROR:
        raise VerbError(DATABASE_IS_MIRROR)


def check_queue(broker: Broker, queue: QueueKey) -> None:
    """Raises what `check_database` does, or `NoSuchQueueError`: a queue is there if a service has it, or if it is
    written."""
    database, name = queue
    check_database(broker, database)
    if name not in broker.directories[database].queue_names:
        raise NoSuchQueueError(database, name)
