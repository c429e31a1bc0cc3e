"""Reading keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Max

from brokerui.estate.models import Database, Instance
from brokerui.messaging.keys.cipher import OpenSsl
from brokerui.messaging.keys.models import DatabaseKey, PeerKey
from brokerui.messaging.keys.sealing import unseal
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.security.instance_security import DatabaseKeys, InstanceSecurity
from routing.security.keys import KeyPair


def security_of(instance: str) -> InstanceSecurity:
    """The keys of an instance's broker, in two queries. Where the key pair of a database cannot be decrypted, dialogs
    that a binding protects wait; all others go on."""
    return InstanceSecurity(OpenSsl(), keys_of(instance))


def keys_stamp(instance: str) -> tuple[datetime | None, ...]:
    """Another one whenever a key was made, taken over or replaced."""
    models = (DatabaseKey, PeerKey)
    return tuple(model.objects.filter(instance=instance).aggregate(last=Max("made_at"))["last"] for model in models)


def keys_of(instance: str) -> Mapping[str, DatabaseKeys]:
    """By database, those that have any."""
    pairs = {row.database: _pair_or_none(row) for row in DatabaseKey.objects.filter(instance=instance)}
    bindings: dict[str, dict[str, bytes]] = {}
    known: dict[str, list[bytes]] = {}
    for row in PeerKey.objects.filter(instance=instance).order_by("id"):
        if row.service:
            bindings.setdefault(row.database, {})[row.service] = bytes(row.public)
        else:
            known.setdefault(row.database, []).append(bytes(row.public))
    return {
        name: DatabaseKeys(
            pairs.get(name),
            bindings.get(name, {}),
            tuple(known.get(name, ())),
            is_own_locked=name in pairs and pairs[name] is None,
        )
        for name in {*pairs, *bindings, *known}
    }


def undecryptable_keys() -> list[str]:
    """Return the hosted databases whose stored key pair cannot be decrypted, as INSTANCE/DATABASE, in their order."""
    rows = DatabaseKey.objects.order_by("instance", "database")
    return [str(row) for row in rows if _pair_or_none(row) is None]


def hosted_databases(instance: str) -> frozenset[str] | None:
    """The databases that may have keys here; None: the instance is not hosted."""
    if not Instance.objects.filter(name=instance, hosted=True).exists():
        return None
    return frozenset(Database.objects.filter(instance__name=instance).values_list("name", flat=True))


def public_of(instance: str, database: str) -> bytes:
    """Raises `Invalid` where there is none."""
    return bytes(_row(instance, database).public)


def pair_of(instance: str, database: str) -> KeyPair:
    """Raises `Invalid` where there is none, or it cannot be read."""
    return _pair(_row(instance, database))


def _row(instance: str, database: str) -> DatabaseKey:
    row = DatabaseKey.objects.filter(instance=instance, database=database).first()
    if row is None:
        raise Invalid("", say("{place} has no key pair; make one first", place=f"{instance}/{database}"))
    return row


def _pair(row: DatabaseKey) -> KeyPair:
    return KeyPair(unseal(bytes(row.sealed), str(row), bytes(row.public)), bytes(row.public))


def _pair_or_none(row: DatabaseKey) -> KeyPair | None:
    """Return None where it cannot be decrypted, which a system check tells."""
    try:
        return _pair(row)
    except Invalid:
        return None
