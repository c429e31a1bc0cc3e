"""A fast cipher for simulations, from the standard library. Not secure.

It has the properties that dialog security needs: two key pairs share a secret, a sealed body cannot be read without its
key, and every bit of body and header is authenticated.
"""

from __future__ import annotations

import hmac
from hashlib import blake2b, sha256, shake_256
from typing import Final, Protocol

from routing.adjacent.guard import TAG_BYTES, BytesLike
from routing.security.cipher_port import KEY_BYTES, Cipher
from routing.security.keys import KeyPair

PRIME: Final = 2**255 - 19


class KeyGeneratingCipher(Cipher, Protocol):
    """A cipher that can also derive public keys."""

    def public(self, private: bytes) -> bytes:
        """Return the public key of a private key."""


class SimulatedAead:
    """SHAKE-256 as a stream cipher, with HMAC-SHA256 over nonce, header and sealed body."""

    def __init__(self, key: bytes) -> None:
        self._stream = sha256(b"stream" + key).digest()
        self._tag = sha256(b"tag" + key).digest()

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        sealed = self._mixed(nonce, body)
        return sealed + self._tag_of(nonce, header, sealed)

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        body, tag = bytes(sealed[:-TAG_BYTES]), bytes(sealed[-TAG_BYTES:])
        return self._mixed(nonce, body) if hmac.compare_digest(tag, self._tag_of(nonce, header, body)) else None

    def _mixed(self, nonce: bytes, body: BytesLike) -> bytes:
        size = len(body)
        stream = shake_256(self._stream + nonce).digest(size)
        return (int.from_bytes(body, "big") ^ int.from_bytes(stream, "big")).to_bytes(size, "big")

    def _tag_of(self, nonce: bytes, header: bytes, sealed: bytes) -> bytes:
        return hmac.digest(self._tag, nonce + len(header).to_bytes(4, "big") + header + sealed, "sha256")[:TAG_BYTES]


class SimulatedCipher:
    """Diffie-Hellman key exchange with a prime that is large enough for simulations."""

    def public(self, private: bytes) -> bytes:
        return pow(2, int.from_bytes(private, "big"), PRIME).to_bytes(KEY_BYTES, "big")

    def exchange(self, private: bytes, public: bytes) -> bytes | None:
        return pow(int.from_bytes(public, "big"), int.from_bytes(private, "big"), PRIME).to_bytes(KEY_BYTES, "big")

    def aead(self, key: bytes) -> SimulatedAead:
        return SimulatedAead(key)


SIMULATED_CIPHER: Final = SimulatedCipher()


def key_pair_of(cipher: KeyGeneratingCipher, name: str) -> KeyPair:
    """Return the key pair of a name, always the same."""
    private = blake2b(name.encode(), digest_size=KEY_BYTES).digest()
    return KeyPair(private, cipher.public(private))
