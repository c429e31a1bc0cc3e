"""Private keys at rest: encrypted with the secret of the deployment, each for its own place in the table.

The secret is `KEYS_SECRET`, the same on all machines of one deployment, else made at random and kept in the home, in a
file that only its owner can read. The database alone, or a copy of it, gives no key.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from brokerui.core.home import secret_kept
from brokerui.messaging.keys.models import DatabaseKey
from routing.common.errors import Invalid
from routing.common.sentence import say

FILE = "keys.secret"
KEY = 32
NONCE = 12
PURPOSE = b"brokerui keys at rest 1"
REMEDY = "put keys.secret back into the home or set KEYS_SECRET to what it was, then start again"


def seal(private: bytes, place: str, public: bytes) -> bytes:
    """Encrypt a private key for storage; it can be decrypted only for the same place and public key. Raises `Invalid`
    where stored keys are encrypted with a secret that is not here: another secret would hide that."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + _cipher(_secret_to_seal_with(place)).encrypt(nonce, private, _around(place, public))


def unseal(sealed: bytes, place: str, public: bytes) -> bytes:
    """Raises `Invalid` where it was sealed with another secret, or was changed. Makes no secret."""
    try:
        return _cipher(_secret_here()).decrypt(sealed[:NONCE], sealed[NONCE:], _around(place, public))
    except InvalidTag:
        problem = say("its private key is encrypted with another secret than the one here: {remedy}", remedy=REMEDY)
        raise Invalid(place, problem) from None


def _secret_to_seal_with(place: str) -> str:
    """Return the secret; make it where none was ever needed."""
    secret = _secret_here()
    if not secret and DatabaseKey.objects.exists():
        raise Invalid(place, say("stored keys are encrypted with a secret that is not here: {remedy}", remedy=REMEDY))
    if secret := secret or secret_kept(settings.HOME, FILE):
        return secret
    raise Invalid(place, say("the file {file} in the home is empty; remove it", file=FILE))


def _secret_here() -> str:
    """Return the secret of this deployment; empty where there is none, or its file cannot be read."""
    if settings.KEYS_SECRET:
        return str(settings.KEYS_SECRET)
    try:
        return (Path(settings.HOME) / FILE).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _cipher(secret: str) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(HKDF(SHA256(), KEY, None, PURPOSE).derive(secret.encode()))


def _around(place: str, public: bytes) -> bytes:
    return PURPOSE + place.encode() + public
