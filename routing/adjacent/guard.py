"""Integrity protection of fragments: the interface for the codec, and the keyless digest.

Guards with session keys are in `routing.security.guards`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, Protocol

BytesLike = bytes | memoryview
"""Byte sequences that are joined later, to copy them only once."""

DIGEST: Final = 1
KEYED: Final = 2
SEALED: Final = 3
MD5: Final = 4

TAG_BYTES: Final = 16
"""Bytes of every kind's tag. A truncated digest still takes 2^64 attempts to find a collision."""
SALT_BYTES: Final = 12
"""Bytes of a sealed body's salt, the nonce of ChaCha20-Poly1305."""
KEY_ID_BYTES: Final = 8
NO_KEY: Final = bytes(KEY_ID_BYTES)

OVERHEAD_BYTES: Final[Mapping[int, int]] = {
    DIGEST: TAG_BYTES,
    KEYED: TAG_BYTES,
    SEALED: SALT_BYTES + TAG_BYTES,
    MD5: TAG_BYTES,
}
"""Bytes that each integrity kind adds to a body."""
KINDS: Final[Mapping[int, str]] = {DIGEST: "digest", KEYED: "keyed", SEALED: "sealed", MD5: "md5"}

UNPROTECTED_BYTES: Final = 9
"""Leading bytes of a fragment (length, hops, time) that forwarders change; everything after them is protected."""
WIRE_LABEL: Final = b"brokerui wire 1"
"""Domain separation label of all digests and tags."""


class FragmentGuard(Protocol):
    """Protects the fragments that one endpoint sends, and opens those of its peer."""

    @property
    def integrity(self) -> int:
        """Integrity kind in the header."""

    @property
    def key_id(self) -> bytes:
        """Identifies the keys for a receiver that has several; `NO_KEY` if there are none."""

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        """Return the bytes after the header, in two pieces."""

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        """Return the body of a fragment; None if header or body were changed."""


class DigestGuard:
    """Keyless digest: detects accidental changes only; an attacker can recompute it."""

    integrity = DIGEST
    key_id = NO_KEY

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        digest = blake2b(header, digest_size=TAG_BYTES, person=WIRE_LABEL)
        digest.update(body)
        return body, digest.digest()

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        digest = blake2b(
            memoryview(raw)[UNPROTECTED_BYTES:-TAG_BYTES], digest_size=TAG_BYTES, person=WIRE_LABEL
        ).digest()
        return raw[body_at:-TAG_BYTES] if raw.endswith(digest) else None


DIGEST_GUARD: Final = DigestGuard()
