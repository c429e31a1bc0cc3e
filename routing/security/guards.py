"""Guards of dialogs with session keys, and the MD5 form of the original specification."""

from __future__ import annotations

import hmac
from hashlib import blake2b, md5
from typing import Final

from routing.adjacent.guard import (
    KEYED,
    MD5,
    NO_KEY,
    SALT_BYTES,
    SEALED,
    TAG_BYTES,
    UNPROTECTED_BYTES,
    WIRE_LABEL,
    BytesLike,
)
from routing.security.cipher_port import Cipher
from routing.security.keys import SessionKeys

_MASK: Final = b"brokerui md5 1"


class KeyedGuard:
    """ENCRYPTION = OFF between databases that share keys: readable, but protected against changes and forgery."""

    integrity = KEYED

    def __init__(self, session: SessionKeys) -> None:
        self.key_id = session.key_id
        self._sending = session.sending.tag
        self._receiving = session.receiving.tag

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        tag = blake2b(header, digest_size=TAG_BYTES, key=self._sending, person=WIRE_LABEL)
        tag.update(body)
        return body, tag.digest()

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        protected = memoryview(raw)[UNPROTECTED_BYTES:-TAG_BYTES]
        tag = blake2b(protected, digest_size=TAG_BYTES, key=self._receiving, person=WIRE_LABEL).digest()
        return raw[body_at:-TAG_BYTES] if hmac.compare_digest(tag, raw[-TAG_BYTES:]) else None


class SealedGuard:
    """ENCRYPTION = ON: encrypted body and authenticated header.

    A nonce must never be reused for different content, and no counter survives every crash. The nonce is therefore a
    keyed digest of the content: a retransmitted fragment is sealed to the same bytes, and any other gets another nonce.
    An observer sees only that a fragment was retransmitted.
    """

    integrity = SEALED

    def __init__(self, cipher: Cipher, session: SessionKeys) -> None:
        self.key_id = session.key_id
        self._salt = session.sending.salt
        self._sending = cipher.aead(session.sending.seal)
        self._receiving = cipher.aead(session.receiving.seal)

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        digest = blake2b(header, digest_size=SALT_BYTES, key=self._salt, person=WIRE_LABEL)
        digest.update(body)
        salt = digest.digest()
        return salt, self._sending.seal(salt, body, header)

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        sealed_at = body_at + SALT_BYTES
        return self._receiving.open(raw[body_at:sealed_at], memoryview(raw)[sealed_at:], raw[UNPROTECTED_BYTES:body_at])


class Md5Guard:
    """INT-1 as specified: MD5 digest of the body, masked with the session key if there is one.

    For literal conformance only. MD5 is broken: an attacker who chooses bodies can create collisions.
    """

    integrity = MD5

    def __init__(self, session: SessionKeys | None = None) -> None:
        self.key_id = session.key_id if session else NO_KEY
        self._sending = session.sending.tag if session else None
        self._receiving = session.receiving.tag if session else None

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        return body, self._digest(header, body, self._sending)

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        body = raw[body_at:-TAG_BYTES]
        digest = self._digest(raw[UNPROTECTED_BYTES:body_at], body, self._receiving)
        return body if hmac.compare_digest(digest, raw[-TAG_BYTES:]) else None

    @staticmethod
    def _digest(header: bytes, body: BytesLike, key: bytes | None) -> bytes:
        digest = md5(body, usedforsecurity=False).digest()
        if key is None:
            return digest
        mask = blake2b(header, digest_size=TAG_BYTES, key=key, person=_MASK).digest()
        return bytes(one ^ other for one, other in zip(digest, mask, strict=True))
