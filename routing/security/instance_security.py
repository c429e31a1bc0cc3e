"""The keys of an instance: which protection its dialogs have, by the bindings of its databases (DLG-SEC)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from routing.adjacent.guard import NO_KEY, FragmentGuard
from routing.security.cipher_port import Cipher
from routing.security.keys import KeyPair
from routing.security.policy import Integrity, Keyring, protection_kind


class DialogProtection(NamedTuple):
    """Of a dialog: kind and keys, as they stand in the header of each fragment."""

    integrity: int
    key_id: bytes = NO_KEY


@dataclass(frozen=True, slots=True)
class DatabaseKeys:
    """What one database has: its own key pair, and the public keys of the databases it speaks with."""

    own: KeyPair | None = None
    bindings: Mapping[str, bytes] = field(default_factory=dict)
    """By remote service name: the public key of the database behind it (remote service bindings)."""
    known: tuple[bytes, ...] = ()
    """Further ones, of those who may begin dialogs with this database."""


class InstanceSecurity:
    """Without keys, everything is a digest, and what asks for encryption waits (9727)."""

    def __init__(
        self,
        cipher: Cipher | None = None,
        databases: Mapping[str, DatabaseKeys] | None = None,
        integrity: Integrity = "authenticated",
    ) -> None:
        """Raises `routing.common.errors.Invalid` for a key that cannot be one."""
        self._integrity = integrity
        self._databases = databases or {}
        self._keyless = Keyring(None, None, (), integrity)
        self._rings = {
            name: Keyring(cipher, keys.own, (*keys.bindings.values(), *keys.known), integrity)
            for name, keys in self._databases.items()
        }

    def protection(self, database: str, far_service: str, encryption: bool) -> DialogProtection | None:
        """Of a dialog that begins; None: its messages wait, with status 9727."""
        keys = self._databases.get(database)
        peer = keys.bindings.get(far_service) if keys else None
        name = self._rings[database].key_id(peer) if peer else None
        kind = protection_kind(
            same_database=False, encryption=encryption, bound=name is not None, integrity=self._integrity
        )
        if kind is None:
            return None
        return DialogProtection(kind, name or NO_KEY)

    def guard(
        self, database: str, asked: DialogProtection, conversation_id: bytes, is_initiator: bool
    ) -> FragmentGuard:
        """What protects a dialog. Raises `routing.security.policy.Undeliverable` where its keys are not known."""
        ring = self._rings.get(database, self._keyless)
        return ring.guard(asked.integrity, conversation_id, is_initiator, asked.key_id)
