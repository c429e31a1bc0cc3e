"""Who has which keys in a world: right ones, wrong ones, none, and some that an administrator gives only later.

Databases are named by their identifiers, so that the partners of a mirrored one have the same keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from routing.model.estate import Estate, Instance
from routing.security.instance_security import DatabaseKeys, InstanceSecurity
from routing.simulation.chance import Chance
from routing.simulation.cipher import KeyGeneratingCipher, key_pair_of
from routing.simulation.estates import Pairing

STRANGER: Final = "a stranger"
"""Whose key is bound to a service by mistake."""


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """A remote service binding: in a database, for a service, the key of the database behind it."""

    database: str
    service: str
    peer: str
    since: int = 0
    """Milliseconds from the beginning of the world."""


@dataclass(frozen=True, slots=True)
class Trust:
    """All keys of a world."""

    owners: frozenset[str] = frozenset()
    """Databases with a key pair."""
    bindings: tuple[KeyBinding, ...] = ()
    known: frozenset[tuple[str, str]] = frozenset()
    """A database, and one whose public key it knows besides those of its bindings."""

    def security(self, cipher: KeyGeneratingCipher, instance: Instance, elapsed: int) -> InstanceSecurity:
        """What an instance has of it, so long after the beginning."""
        return InstanceSecurity(cipher, {name: self._keys(cipher, own, elapsed) for name, own in _identified(instance)})

    def _keys(self, cipher: KeyGeneratingCipher, database: str, elapsed: int) -> DatabaseKeys:
        bound = [one for one in self.bindings if one.database == database and one.since <= elapsed]
        return DatabaseKeys(
            key_pair_of(cipher, database) if database in self.owners else None,
            {one.service: key_pair_of(cipher, one.peer).public for one in bound},
            tuple(key_pair_of(cipher, peer).public for own, peer in sorted(self.known) if own == database),
        )

    def lets_through(self, initiator: str | None, service: str, target: str | None, *, encryption: bool) -> bool:
        """Whether a target that a service led to can open what an initiator writes, and the other way round."""
        found = (one for one in self.bindings if (one.database, one.service) == (initiator, service))
        binding = next(found, None)
        if binding is None or initiator not in self.owners:
            return not encryption
        return binding.peer == target and target in self.owners and (target, initiator) in self.known


NO_TRUST: Final = Trust()


def _identified(instance: Instance) -> Iterable[tuple[str, str]]:
    for database in instance.databases.values():
        if database.broker_instance is not None:
            yield database.name, database.broker_instance


def draw_trust(chance: Chance, estate: Estate, pairings: tuple[Pairing, ...], chaos: int) -> Trust:
    """None at all in most worlds."""
    if not chance.happens(350):
        return NO_TRUST
    databases = sorted({own for instance in estate.instances.values() for _, own in _identified(instance)})
    owners = frozenset(own for own in databases if chance.happens(900))
    bindings, known = [], []
    for pairing in pairings:
        initiator = estate.instances[pairing.instance].databases[pairing.database].broker_instance
        assert initiator is not None, "only msdb has no identifier"
        targets = _having(estate, pairing.to_service)
        known += [(target, initiator) for target in targets if chance.happens(900)]
        kind = chance.weighed((("right", 14), ("later", 3), ("wrong", 2), ("none", 1)))
        peer = STRANGER if kind == "wrong" else chance.pick(targets)
        if kind != "none":
            since = chance.below(chaos) if kind == "later" else 0
            bindings.append(KeyBinding(initiator, pairing.to_service, peer, since))
    return Trust(owners, tuple(bindings), frozenset(known))


def _having(estate: Estate, service: str) -> list[str]:
    found: Mapping[str, None] = {
        database.broker_instance: None
        for instance in estate.instances.values()
        for database in instance.databases.values()
        if database.broker_instance is not None and database.has_service(service)
    }
    return list(found)
