"""What dialog security needs and the standard library has not: a curve and a cipher. Given from outside."""

from __future__ import annotations

from typing import Final, Protocol

from routing.adjacent.guard import BytesLike

KEY_BYTES: Final = 32
"""Bytes of every key: X25519's private and public ones, and those that are derived."""


class Aead(Protocol):
    """ChaCha20-Poly1305 (RFC 8439) under one key."""

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        """The body as nobody can read it, then a tag of 16 bytes over it and the header."""

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        """The body; None when the tag does not fit."""


class Cipher(Protocol):
    def exchange(self, private: bytes, public: bytes) -> bytes | None:
        """X25519 (RFC 7748): the secret that two key pairs share; None when it is all zeros (a key of low order)."""

    def aead(self, key: bytes) -> Aead:
        """What is made once for a key, and used for many fragments."""
