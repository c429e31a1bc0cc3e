"""Which protection a dialog has, who can open it, and what is refused.

Rule 1: inside one database nothing is protected but from accidents: nothing leaves it.
Rule 2: ENCRYPTION = ON needs the key of the peer's database, from the remote service binding for the target service.
Without a binding the message waits in the transmission queue, with status 9727.
Rule 3: ENCRYPTION = OFF with a binding uses its key all the same, for integrity; bodies stay readable.
Rule 4: without a key there is a digest, which finds accidents and nothing else.
Rule 5: a dialog keeps the protection of its first message. What comes secured for one that is not, or the other way
round, is not delivered (11231, 11232): else whoever is on the way could take the protection off.
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
"""The default, and the original document's form in place of digests and keyed tags; what is encrypted stays sealed."""

NO_BINDING: Final = 9727
"""transmission_status of a message that needs a remote service binding and has none."""
GUARD_CACHE_SIZE: Final = 4_000
"""Dialogs whose keys are kept ready, of one database: 20 MB with OpenSSL's ciphers. Those of another are derived again
when it is used, in some 20 microseconds."""

SECURED: Final = frozenset({KEYED, SEALED})
"""The kinds that need keys."""
_NO_KEYS: Final = 11229
_ENDPOINT_NOTSECURED: Final = 11231
_MESSAGE_NOTSECURED: Final = 11232


class Undeliverable(RemoteProtocolError):
    """A fragment that is whole and not for this dialog, or for nobody here: event 160, and not acknowledged."""


def protection_kind(
    *, same_database: bool, encryption: bool, bound: bool, integrity: Integrity = "authenticated"
) -> int | None:
    """The kind of protection for a dialog that begins; None: its messages wait, with status `NO_BINDING`."""
    if same_database:
        return DIGEST
    if encryption:
        return SEALED if bound else None
    if integrity == "md5":
        return MD5
    return KEYED if bound else DIGEST


class Keyring:
    """The keys of one database: its own, and the public ones of those that it is bound to."""

    def __init__(
        self,
        cipher: Cipher | None,
        own: KeyPair | None,
        peers: Iterable[bytes] = (),
        integrity: Integrity = "authenticated",
    ) -> None:
        """`Invalid` for a peer's key that cannot be one. Without cipher or keys of its own, a database shares none."""
        self._takes_md5 = integrity == "md5"
        pairs = [KeyAgreement(cipher, own, peer) for peer in peers] if own and cipher else []
        self._own = own
        self._cipher = cipher
        self._pairs = {pair.key_id: pair for pair in pairs}
        self._guards = lru_cache(GUARD_CACHE_SIZE)(self._made)

    def key_id(self, peer: bytes) -> bytes | None:
        """What names the key that is shared with a peer; None when none is."""
        name = key_id(self._own.public, peer) if self._own else NO_KEY
        return name if name in self._pairs else None

    def guard(self, kind: int, conversation_id: bytes, is_initiator: bool, key_name: bytes = NO_KEY) -> FragmentGuard:
        """What protects a dialog, for the side that has begun it or for the other.

        At a target, kind and key are those of the first message; `Undeliverable` when its key is not one of these.
        Whether a service takes messages that are not secured is for its permissions to say, not for its keys.
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
    """The body of a fragment of a dialog. `Undeliverable` or `Corrupted`: it is discarded and not acknowledged."""
    secured, expected = fragment.integrity in SECURED, guard.integrity in SECURED
    if secured and not expected:
        raise Undeliverable("integrity", say("the message is secured, and the dialog is not"), _ENDPOINT_NOTSECURED)
    if expected and not secured:
        raise Undeliverable("integrity", say("the dialog is secured, and the message is not"), _MESSAGE_NOTSECURED)
    return fragment.open(guard)
