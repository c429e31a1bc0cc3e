"""Keys of an instance, and the protection of its dialogs by remote service bindings (DLG-SEC)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from routing.adjacent.guard import NO_KEY, FragmentGuard
from routing.security.cipher_port import Cipher
from routing.security.keys import KeyPair
from routing.security.policy import Integrity, Keyring, protection_kind


class DialogProtection(NamedTuple):
    """Integrity kind and key id of a dialog, as in the header of each fragment."""

    integrity: int
    key_id: bytes = NO_KEY


@dataclass(frozen=True, slots=True)
class DatabaseKeys:
    """Key pair of one database, and the public keys of its peers."""

    own: KeyPair | None = None
    bindings: Mapping[str, bytes] = field(default_factory=dict)
    """Remote service bindings: public key of the target database, by remote service name."""
    known: tuple[bytes, ...] = ()
    """Public keys of further databases that may begin dialogs with this one."""
    is_own_locked: bool = False
    """Whether there is an own key pair that cannot be read now: what a binding would protect waits then."""


class InstanceSecurity:
    """Dialog security of an instance. Without keys fragments carry a digest, and encrypted dialogs wait (9727)."""

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
        """Return the protection of a new dialog; None: its messages wait with status 9727."""
        keys = self._databases.get(database)
        peer = keys.bindings.get(far_service) if keys else None
        if keys and peer and keys.is_own_locked:
            return None
        name = self._rings[database].key_id(peer) if peer else None
        kind = protection_kind(
            same_database=False, encryption=encryption, bound=name is not None, integrity=self._integrity
        )
        if kind is None:
            return None
        return DialogProtection(kind, name or NO_KEY)

    def guard(
        self, database: str, protection: DialogProtection, conversation_id: bytes, is_initiator: bool
    ) -> FragmentGuard:
        """Return the guard of a dialog. Raises `Undeliverable` if its keys are not known."""
        ring = self._rings.get(database, self._keyless)
        return ring.guard(protection.integrity, conversation_id, is_initiator, protection.key_id)
