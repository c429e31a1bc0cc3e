"""ALTER DATABASE: the broker of a database switched on or off, or made anew, and failover to the mirror.

Each edits the live estate, and the running conversations, in one transaction. It excludes all other transactions of
the instance, and later ones refuse an older estate: messages received before it are kept, and none is received after.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, NamedTuple
from uuid import uuid4

from django.db import transaction

from brokerui.core.instance_limit import check_instances
from brokerui.estate.audit import SYSTEM
from brokerui.estate.models import Instance
from brokerui.estate.pairs import mirrored_pairs
from brokerui.estate.selectors import estate_current
from brokerui.messaging.broker_cache import broker_of, check_database
from brokerui.messaging.errors import PartnerElsewhereError
from brokerui.messaging.estate_writes import declare
from brokerui.messaging.hosted_rows import hosted_row
from brokerui.messaging.keys.services import keys_exchange
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.store import moving
from brokerui.messaging.verbs.transactions import unit_of_work
from routing.dialog.batch import ClaimRequest
from routing.dialog.error_conversations import ERRED_STATES, error_conversations
from routing.dialog.problems import VerbError
from routing.model.edits import PutDatabase, SetBroker
from routing.model.estate import PRINCIPAL, Database, Estate

ERRED_AT_ONCE: Final = 500
"""Conversations that one unit of work ends with an error."""


def broker_enable(*, instance: str, database: str, author: str = SYSTEM) -> None:
    """ENABLE_BROKER: keeps identifier and conversations; waiting messages are tried at once."""
    _set_enabled(instance, database, True, author)


def broker_disable(*, instance: str, database: str, author: str = SYSTEM) -> None:
    """DISABLE_BROKER: sent messages wait in the transmission queue, and arriving ones are not taken."""
    _set_enabled(instance, database, False, author)


def broker_renew(*, instance: str, database: str, author: str = SYSTEM) -> str:
    """NEW_BROKER: another identifier, which it gives, and none of the conversations; their peers are not told."""
    identifier = str(uuid4())
    with _alone_in(instance) as (here,):
        renewed = replace(_checked(instance, database), broker_instance=identifier, broker_enabled=True)
        moving.drop(database, here)
        version = declare([PutDatabase(instance, renewed)], author, f"{instance}/{database}: new broker {identifier}")
        moving.not_before(version, [here])
    return identifier


def broker_error_conversations(*, instance: str, database: str, author: str = SYSTEM) -> int:
    """ERROR_BROKER_CONVERSATIONS: keeps the identifier, enables the broker, and ends all conversations with an error:
    here with -9719, for their peers with -9720. Returns how many conversations it has ended."""
    with _alone_in(instance) as (here,):
        _check_identifier(instance, _checked(instance, database))
        note = f"{instance}/{database}: broker enabled, all conversations ended with an error"
        version = declare([SetBroker(instance, database, True)], author, note)
        moving.not_before(version, [here])
        handles = _handles_to_err(here, database)
        for first in range(0, len(handles), ERRED_AT_ONCE):
            part = handles[first : first + ERRED_AT_ONCE]
            with unit_of_work(instance, ClaimRequest(handles=part)) as (_, work):
                error_conversations(work, part)
    return len(handles)


def _handles_to_err(instance: int, database: str) -> tuple[str, ...]:
    found = ConversationEndpoint.objects.filter(instance=instance, database=database, state__in=ERRED_STATES)
    return tuple(found.order_by("conversation_handle").values_list("conversation_handle", flat=True))


class Roles(NamedTuple):
    """The instances of a mirrored database by role."""

    principal: str
    mirror: str


def database_fail_over(*, instance: str, database: str, author: str = SYSTEM) -> Roles:
    """SET PARTNER FAILOVER, for either partner of a mirrored pair: the roles that they have then.

    The partners exchange the database with its conversations, queues, transmission queue and keys.
    """
    other = _partner(instance, database)
    with _alone_in(instance, other) as ids:
        estate = estate_current().estate
        if mirrored_pairs(estate).get((instance, database)) != (other, database):
            raise VerbError(1416, database=database)  # it was edited meanwhile
        one, its_mirror = (_database(estate, name, database) for name in (instance, other))
        moving.exchange(database, *ids)
        keys_exchange(database=database, one=instance, other=other, author=author)
        edits = [PutDatabase(instance, its_mirror), PutDatabase(other, one)]
        version = declare(edits, author, f"{database}: failover between {instance} and {other}")
        moving.not_before(version, ids)
    return Roles(other, instance) if one.mirroring_role == PRINCIPAL else Roles(instance, other)


def fail_over_check(*, instance: str, database: str) -> None:
    """Raise what a failover would, as far as the estate says; it changes nothing."""
    _partner(instance, database)


def _set_enabled(instance: str, database: str, is_enabled: bool, author: str) -> None:
    with _alone_in(instance) as (here,):
        mine = _checked(instance, database)
        if is_enabled:
            _check_identifier(instance, mine)
        note = f"{instance}/{database}: broker {'enabled' if is_enabled else 'disabled'}"
        version = declare([SetBroker(instance, database, is_enabled)], author, note)
        moving.not_before(version, [here])


@contextmanager
def _alone_in(*instances: str) -> Iterator[tuple[int, ...]]:
    """The numbers of hosted instances. Raises `NotHostedError`."""
    check_instances(instances)
    with transaction.atomic():
        for name in instances:
            broker_of(name)
        ids = tuple(hosted_row(name)[0].id for name in instances)
        with moving.alone_in(ids):
            yield ids


def _checked(instance: str, database: str) -> Database:
    """As it is now; raises what `check_database` does."""
    check_database(broker_of(instance), database)
    return _database(estate_current().estate, instance, database)


def _database(estate: Estate, instance: str, database: str) -> Database:
    return estate.instances[instance].databases[database]


def _check_identifier(instance: str, mine: Database) -> None:
    """No two enabled brokers of an instance have the same."""
    for other in estate_current().estate.instances[instance].databases.values():
        is_same = mine.broker_instance is not None and other.broker_instance == mine.broker_instance
        if is_same and other.broker_enabled and other.name != mine.name:
            raise VerbError(9772, other=other.name)


def _partner(instance: str, database: str) -> str:
    """The other instance of a mirrored pair that both run here."""
    broker = broker_of(instance)
    if database not in broker.directories:
        check_database(broker, database)
    found = mirrored_pairs(broker.estate).get((instance, database))
    if found is None:
        raise VerbError(1416, database=database)
    if not Instance.objects.filter(name=found[0], hosted=True).exists():
        raise PartnerElsewhereError(found[0], database)
    return found[0]
