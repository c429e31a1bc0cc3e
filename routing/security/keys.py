"""Keys of a database, of two databases, and of a dialog.

The session keys of a dialog are derived from the key pairs of its two databases and its conversation id. They are
neither sent nor stored, so a restarted broker and a mirror of the database can derive them again. The price: an
attacker with one of the two private keys can decrypt recorded traffic.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

from routing.adjacent.guard import KEY_ID_BYTES
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.security.cipher_port import KEY_BYTES, Cipher

_KEY_ID: Final = b"brokerui key id 1"
_DIALOG: Final = b"brokerui dialog 1"


@dataclass(frozen=True, slots=True)
class KeyPair:
    """X25519 key pair of a database."""

    private: bytes = field(repr=False)
    public: bytes

    def __post_init__(self) -> None:
        check_key(self.private, "private key")
        check_key(self.public, "public key")


def check_key(key: bytes, name: str) -> None:
    """Raise `Invalid` for a key of the wrong size. The error never contains the key."""
    if len(key) != KEY_BYTES:
        raise Invalid(name, say("must have {size} bytes", size=KEY_BYTES))


class DirectionKeys(NamedTuple):
    """Keys of one direction of a dialog, one per purpose."""

    seal: bytes
    tag: bytes
    salt: bytes


class SessionKeys(NamedTuple):
    """Keys of a dialog as seen by one side."""

    sending: DirectionKeys
    receiving: DirectionKeys
    key_id: bytes


class KeyAgreement:
    """Shared secret of two databases, from which the keys of their dialogs are derived."""

    def __init__(self, cipher: Cipher, own: KeyPair, peer: bytes) -> None:
        check_key(peer, "public key")
        secret = cipher.exchange(own.private, peer)
        if secret is None:
            raise Invalid("public key", say("shares no secret with any other: it is no key of a database"))
        self._secret = secret
        self._own = own.public
        self._peer = peer
        self.key_id = key_id(own.public, peer)

    def session(self, conversation_id: bytes, is_initiator: bool) -> SessionKeys:
        """Derive the keys of a dialog for the initiator or the target."""
        initiator, target = (self._own, self._peer) if is_initiator else (self._peer, self._own)
        derived = _hkdf_sha256(self._secret, conversation_id, _DIALOG + initiator + target, 6 * KEY_BYTES)
        keys = [derived[at : at + KEY_BYTES] for at in range(0, len(derived), KEY_BYTES)]
        from_initiator, from_target = DirectionKeys(*keys[:3]), DirectionKeys(*keys[3:])
        if is_initiator:
            return SessionKeys(from_initiator, from_target, self.key_id)
        return SessionKeys(from_target, from_initiator, self.key_id)


def key_id(one: bytes, other: bytes) -> bytes:
    """Return the id of two public keys in a header; the same for both sides."""
    return sha256(_KEY_ID + min(one, other) + max(one, other)).digest()[:KEY_ID_BYTES]


def _hkdf_sha256(secret: bytes, salt: bytes, info: bytes, size: int) -> bytes:
    """HKDF with SHA-256 (RFC 5869)."""
    key = hmac.digest(salt, secret, "sha256")
    derived = block = b""
    number = 1
    while len(derived) < size:
        block = hmac.digest(key, block + info + bytes([number]), "sha256")
        derived += block
        number += 1
    return derived[:size]
