"""Port for the cryptography that dialog security needs and the standard library lacks: X25519 and an AEAD cipher."""

from __future__ import annotations

from typing import Final, Protocol

from routing.adjacent.guard import BytesLike

KEY_BYTES: Final = 32
"""Bytes of every key: X25519 private and public keys, and derived keys."""


class Aead(Protocol):
    """ChaCha20-Poly1305 (RFC 8439) under one key."""

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        """Return the encrypted body followed by a 16-byte tag over body and header."""

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        """Return the body; None if the tag does not match."""


class Cipher(Protocol):
    def exchange(self, private: bytes, public: bytes) -> bytes | None:
        """Return the X25519 shared secret (RFC 7748); None if it is all zeros (low-order key)."""

    def aead(self, key: bytes) -> Aead:
        """Return the AEAD for a key; created once and used for many fragments."""
