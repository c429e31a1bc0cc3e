"""Making and taking over keys. Each write leaves an entry of the audit, in which no key stands, and is a change of the
state of the instance, by which its brokers hear of it in their next claim."""

from __future__ import annotations

from typing import TypeVar

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from brokerui.estate.audit import audit
from brokerui.messaging.keys.files import new_pair
from brokerui.messaging.keys.models import DatabaseKey, PeerKey
from brokerui.messaging.keys.sealing import seal
from brokerui.messaging.keys.selectors import pair_of
from brokerui.messaging.models import HostedInstance
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.security.keys import KeyPair

_Key = TypeVar("_Key", DatabaseKey, PeerKey)


@transaction.atomic
def key_make(*, instance: str, database: str, author: str, replace: bool = False) -> bytes:
    """Make a key pair, and return the public key. Raises `Invalid` where there is one that is not to be replaced."""
    pair = new_pair()
    _keep(instance, database, pair, replace)
    audit(author=author, action="keys.make", note=_place(instance, database))
    return pair.public


@transaction.atomic
def key_take(*, instance: str, database: str, pair: KeyPair, author: str, replace: bool = False) -> None:
    """Keep a key pair that was made elsewhere, as for the mirror of a database. Raises `Invalid` as `key_make` does."""
    _keep(instance, database, pair, replace)
    audit(author=author, action="keys.take", note=_place(instance, database))


@transaction.atomic
def peer_take(*, instance: str, database: str, service: str, public: bytes, author: str) -> None:
    """Keep the public key of a database elsewhere: of the one behind `service`, in place of any before; without a
    service, of one more that may begin conversations."""
    _tell_brokers(instance)
    known = PeerKey.objects.filter(instance=instance, database=database, service=service)
    row = {"instance": instance, "database": database, "made_at": timezone.now()}
    if service:
        known.update_or_create(service=service, defaults={**row, "public": public})
    else:
        known.get_or_create(public=public, defaults=row)
    audit(author=author, action="keys.peer", note=f"{_place(instance, database)}: {service}")


@transaction.atomic
def keys_exchange(*, database: str, one: str, other: str, author: str) -> None:
    """Exchange the keys of a mirrored database between its two instances, as a failover does with all that it holds.

    Raises `Invalid` where one cannot be read. Where there are none, nothing is written.
    """
    _tell_brokers(one, other)
    now = timezone.now()
    pairs = [(row, pair_of(row.instance, database)) for row in _rows(DatabaseKey, database, one, other)]
    peers = list(_rows(PeerKey, database, one, other))
    _rows(DatabaseKey, database, one, other).delete()
    _rows(PeerKey, database, one, other).delete()
    for row, pair in pairs:
        row.instance = other if row.instance == one else one
        row.sealed, row.made_at = seal(pair.private, str(row), pair.public), now
        row.save(force_insert=True)
    for peer in peers:
        peer.instance, peer.made_at, peer.id = other if peer.instance == one else one, now, None
    PeerKey.objects.bulk_create(peers)
    if pairs or peers:
        audit(author=author, action="keys.exchange", note=f"{_place(one, database)}, {_place(other, database)}")


def _rows(model: type[_Key], database: str, *instances: str) -> QuerySet[_Key]:
    return model._default_manager.filter(instance__in=instances, database=database).order_by("id")


def _keep(instance: str, database: str, pair: KeyPair, replace: bool) -> None:
    _tell_brokers(instance)
    place = _place(instance, database)
    row = {"public": pair.public, "sealed": seal(pair.private, place, pair.public), "made_at": timezone.now()}
    if replace:
        DatabaseKey.objects.update_or_create(instance=instance, database=database, defaults=row)
        return
    _, is_new = DatabaseKey.objects.get_or_create(instance=instance, database=database, defaults=row)
    if not is_new:
        raise Invalid("", say("{place} has a key pair already; --replace replaces it", place=place))


def _tell_brokers(*instances: str) -> None:
    """Count a change of the instances. Callers do it before they write keys: of two transactions, the second one waits
    for the first here, and never for a row of keys."""
    HostedInstance.objects.filter(name__in=instances).update(known=F("known") + 1)


def _place(instance: str, database: str) -> str:
    return f"{instance}/{database}"
