"""Keys of the databases of a world: right, wrong, missing, or added later by an administrator.

Databases are named by broker identifier, so that mirrored partners have the same keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from routing.model.estate import Estate, Instance
from routing.security.instance_security import DatabaseKeys, InstanceSecurity
from routing.simulation.chance import Chance
from routing.simulation.cipher import KeyGeneratingCipher, key_pair_of
from routing.simulation.landscape import Pairing

STRANGER: Final = "a stranger"
"""A peer whose key is bound to a service by mistake."""


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """A remote service binding: the key of the target database of a service."""

    database: str
    service: str
    peer: str
    since: int = 0
    """Milliseconds after the start of the world."""


@dataclass(frozen=True, slots=True)
class Trust:
    """All keys of a world."""

    owners: frozenset[str] = frozenset()
    """Databases that have a key pair."""
    bindings: tuple[KeyBinding, ...] = ()
    known: frozenset[tuple[str, str]] = frozenset()
    """Pairs of a database and another one whose public key it knows without a binding."""

    def security(self, cipher: KeyGeneratingCipher, instance: Instance, elapsed: int) -> InstanceSecurity:
        """Return the keys of an instance, `elapsed` milliseconds after the start."""
        return InstanceSecurity(cipher, {name: self._keys(cipher, own, elapsed) for name, own in _identified(instance)})

    def _keys(self, cipher: KeyGeneratingCipher, database: str, elapsed: int) -> DatabaseKeys:
        bound = [one for one in self.bindings if one.database == database and one.since <= elapsed]
        return DatabaseKeys(
            key_pair_of(cipher, database) if database in self.owners else None,
            {one.service: key_pair_of(cipher, one.peer).public for one in bound},
            tuple(key_pair_of(cipher, peer).public for own, peer in sorted(self.known) if own == database),
        )

    def lets_through(self, initiator: str | None, service: str, target: str | None, *, encryption: bool) -> bool:
        """Return True if initiator and target can open each other's fragments."""
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
    """Draw the keys; most worlds have none."""
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
