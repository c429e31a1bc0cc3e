"""Protection policy: the protection of a dialog, the keys that open it, and the reasons to refuse a fragment.

Rule 1: inside one database fragments carry only a digest: nothing leaves the database.
Rule 2: ENCRYPTION = ON needs the key of the peer's database, from the remote service binding for the target service.
Without a binding the message waits in the transmission queue with status 9727.
Rule 3: ENCRYPTION = OFF with a binding uses its key for integrity; bodies stay readable.
Rule 4: without a key there is a digest, which detects accidental changes only.
Rule 5: a dialog keeps the protection of its first message. A secured message for an unsecured dialog, or the reverse,
is not delivered (11231, 11232): otherwise an attacker in between could remove the protection.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

from routing.adjacent.errors import RemoteProtocolError
from routing.adjacent.fragment import Fragment
from routing.adjacent.guard import DIGEST, DIGEST_GUARD, KEYED, MD5, NO_KEY, SEALED, FragmentGuard
from routing.common.sentence import say
from routing.security.cipher_port import Cipher
from routing.security.guards import KeyedGuard, Md5Guard, SealedGuard
from routing.security.keys import KeyAgreement, KeyPair, key_id

Integrity = Literal["authenticated", "md5"]
"""Default, or MD5 instead of digests and keyed tags as in the specification. Encrypted dialogs stay sealed."""

NO_BINDING: Final = 9727
"""transmission_status of a message that lacks its remote service binding."""
GUARD_CACHE_SIZE: Final = 4_000
"""Guards cached per database: 20 MB with OpenSSL's ciphers. Others are derived again in about 20 microseconds."""

SECURED: Final = frozenset({KEYED, SEALED})
"""Integrity kinds that need keys."""
_NO_KEYS: Final = 11229
_ENDPOINT_NOTSECURED: Final = 11231
_MESSAGE_NOTSECURED: Final = 11232


class Undeliverable(RemoteProtocolError):
    """An intact fragment that this dialog or instance cannot accept: event 160, not acknowledged."""


def protection_kind(
    *, same_database: bool, encryption: bool, bound: bool, integrity: Integrity = "authenticated"
) -> int | None:
    """Return the integrity kind of a new dialog; None: its messages wait with status `NO_BINDING`."""
    if same_database:
        return DIGEST
    if encryption:
        return SEALED if bound else None
    if integrity == "md5":
        return MD5
    return KEYED if bound else DIGEST


class Keyring:
    """Keys of one database: its own, and the public keys of the databases it is bound to."""

    def __init__(
        self,
        cipher: Cipher | None,
        own: KeyPair | None,
        peers: Iterable[bytes] = (),
        integrity: Integrity = "authenticated",
    ) -> None:
        """Raises `Invalid` for an invalid peer key. Without cipher or own key pair no key is shared."""
        self._takes_md5 = integrity == "md5"
        pairs = [KeyAgreement(cipher, own, peer) for peer in peers] if own and cipher else []
        self._own = own
        self._cipher = cipher
        self._pairs = {pair.key_id: pair for pair in pairs}
        self._guards = lru_cache(GUARD_CACHE_SIZE)(self._made)

    def key_id(self, peer: bytes) -> bytes | None:
        """Return the id of the key shared with a peer; None if none is shared."""
        name = key_id(self._own.public, peer) if self._own else NO_KEY
        return name if name in self._pairs else None

    def guard(self, kind: int, conversation_id: bytes, is_initiator: bool, key_name: bytes = NO_KEY) -> FragmentGuard:
        """Return the guard of a dialog for the initiator or the target.

        A target uses kind and key of the first message. Raises `Undeliverable` for an unknown key. Whether a service
        accepts unsecured messages is decided by permissions, not here.
        """
        if kind == MD5 and not self._takes_md5:
            raise Undeliverable("integrity", say("is of the kind md5, which is not switched on here"))
        if key_name == NO_KEY and kind in {DIGEST, MD5}:
            return DIGEST_GUARD if kind == DIGEST else Md5Guard()
        if key_name not in self._pairs or kind == DIGEST:
            raise Undeliverable("key id", say("names keys that are not known here"), _NO_KEYS)
        return self._guards(kind, conversation_id, is_initiator, key_name)

    def _made(self, kind: int, conversation_id: bytes, is_initiator: bool, key_name: bytes) -> FragmentGuard:
        session = self._pairs[key_name].session(conversation_id, is_initiator)
        if kind == SEALED:
            assert self._cipher is not None, "keys were derived by it"
            return SealedGuard(self._cipher, session)
        return KeyedGuard(session) if kind == KEYED else Md5Guard(session)


def open_fragment(fragment: Fragment, guard: FragmentGuard) -> bytes:
    """Return the body of a fragment. Raises `Undeliverable` or `Corrupted`: discard it without acknowledgement."""
    secured, expected = fragment.integrity in SECURED, guard.integrity in SECURED
    if secured and not expected:
        raise Undeliverable("integrity", say("the message is secured, and the dialog is not"), _ENDPOINT_NOTSECURED)
    if expected and not secured:
        raise Undeliverable("integrity", say("the dialog is secured, and the message is not"), _MESSAGE_NOTSECURED)
    return fragment.open(guard)
