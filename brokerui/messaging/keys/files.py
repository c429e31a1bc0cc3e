"""Keys as files: PEM, as other programs read and write them."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.security.keys import KeyPair

PEM = Encoding.PEM
MOST = 64 << 10
"""Bytes of a file; a key has some hundreds."""


def new_pair() -> KeyPair:
    return _pair(X25519PrivateKey.generate())


def public_file(public: bytes) -> bytes:
    """For everybody."""
    return X25519PublicKey.from_public_bytes(public).public_bytes(PEM, PublicFormat.SubjectPublicKeyInfo)


def public_from(content: bytes) -> bytes:
    """Raises `Invalid`."""
    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        raise Invalid("", say("holds no public key in the form PEM")) from None
    if not isinstance(key, X25519PublicKey):
        raise Invalid("", say("holds a public key, but none for X25519"))
    return key.public_bytes_raw()


def private_file(pair: KeyPair, passphrase: str) -> bytes:
    """Return the private key, encrypted with the passphrase."""
    key = X25519PrivateKey.from_private_bytes(pair.private)
    return key.private_bytes(PEM, PrivateFormat.PKCS8, BestAvailableEncryption(passphrase.encode()))


def pair_from(content: bytes, passphrase: str) -> KeyPair:
    """Raises `Invalid`, in which nothing of the key stands."""
    try:
        key = load_pem_private_key(content, passphrase.encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise Invalid("", say("holds no private key that this passphrase opens")) from None
    if not isinstance(key, X25519PrivateKey):
        raise Invalid("", say("holds a private key, but none for X25519"))
    return _pair(key)


def write_private(path: Path, content: bytes) -> None:
    """A new file that only its owner can read. Raises `OSError`, also where there is one already."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _pair(key: X25519PrivateKey) -> KeyPair:
    return KeyPair(key.private_bytes_raw(), key.public_key().public_bytes_raw())
