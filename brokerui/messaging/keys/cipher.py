"""The ciphers of dialog security, from the `cryptography` package (`routing.security.cipher_port`)."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from routing.adjacent.guard import BytesLike


class _Aead:
    """One key; each call stands for itself."""

    def __init__(self, key: bytes) -> None:
        self._cipher = ChaCha20Poly1305(key)

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        return self._cipher.encrypt(nonce, body, header)

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        try:
            return self._cipher.decrypt(nonce, sealed, header)
        except InvalidTag:
            return None


class OpenSsl:
    """X25519 and ChaCha20-Poly1305 of OpenSSL."""

    def exchange(self, private: bytes, public: bytes) -> bytes | None:
        try:
            return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError:
            return None

    def aead(self, key: bytes) -> _Aead:
        return _Aead(key)
