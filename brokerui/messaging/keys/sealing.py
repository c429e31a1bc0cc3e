"""Private keys at rest: encrypted with the secret of the deployment, each for its own place in the table.

The secret is `KEYS_SECRET`, the same on all machines of one deployment, else made at random and kept in the home, in a
file that only its owner can read. The database alone, or a copy of it, gives no key.
"""

from __future__ import annotations

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from brokerui.core.home import secret_kept
from routing.common.errors import Invalid
from routing.common.sentence import say

FILE = "keys.secret"
KEY = 32
NONCE = 12
PURPOSE = b"brokerui keys at rest 1"


def seal(private: bytes, place: str, public: bytes) -> bytes:
    """Encrypt a private key for storage; it can be decrypted only for the same place and public key."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + _cipher().encrypt(nonce, private, _around(place, public))


def unseal(sealed: bytes, place: str, public: bytes) -> bytes:
    """Raises `Invalid` where it was sealed with another secret, or was changed."""
    try:
        return _cipher().decrypt(sealed[:NONCE], sealed[NONCE:], _around(place, public))
    except InvalidTag:
        raise Invalid(place, say("its private key cannot be read: KEYS_SECRET is another one")) from None


def _cipher() -> ChaCha20Poly1305:
    secret = settings.KEYS_SECRET or secret_kept(settings.HOME, FILE)
    return ChaCha20Poly1305(HKDF(SHA256(), KEY, None, PURPOSE).derive(secret.encode()))


def _around(place: str, public: bytes) -> bytes:
    return PURPOSE + place.encode() + public
