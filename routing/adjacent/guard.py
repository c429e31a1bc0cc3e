"""What keeps a fragment from being changed on its way, as the codec sees it.

The kinds that need a session key are in `routing.security`. Here is the one that needs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, Protocol

BytesLike = bytes | memoryview
"""Bytes that are joined later, so that they are copied once."""

DIGEST: Final = 1
KEYED: Final = 2
SEALED: Final = 3
MD5: Final = 4

TAG_BYTES: Final = 16
"""Bytes of each kind's tag. Half of a digest's, where one is cut, and still 2^64 tries to find any two alike."""
SALT_BYTES: Final = 12
"""Bytes of a sealed body's salt: the nonce of AES-GCM and of ChaCha20-Poly1305."""
KEY_ID_BYTES: Final = 8
NO_KEY: Final = bytes(KEY_ID_BYTES)

OVERHEAD_BYTES: Final[Mapping[int, int]] = {
    DIGEST: TAG_BYTES,
    KEYED: TAG_BYTES,
    SEALED: SALT_BYTES + TAG_BYTES,
    MD5: TAG_BYTES,
}
"""Bytes that a kind adds to a body."""
KINDS: Final[Mapping[int, str]] = {DIGEST: "digest", KEYED: "keyed", SEALED: "sealed", MD5: "md5"}

UNPROTECTED_BYTES: Final = 9
"""The first bytes of a fragment: length, hops and time, which forwarders change. All that follows is protected."""
WIRE_LABEL: Final = b"brokerui wire 1"
"""Makes a digest or tag of ours useless anywhere else."""


class FragmentGuard(Protocol):
    """One way to protect what one side of a conversation sends, or to open what its peer has sent."""

    @property
    def integrity(self) -> int:
        """The kind, as it stands in the header."""

    @property
    def key_id(self) -> bytes:
        """Which keys, for a receiver that has several; `NO_KEY` where there is none."""

    def close(self, header: bytes, body: BytesLike) -> tuple[BytesLike, BytesLike]:
        """What follows the header, in two pieces."""

    def open(self, raw: bytes, body_at: int) -> bytes | None:
        """The body of a fragment, or None when header or body are not what was closed."""


class DigestGuard:
    """Without a key: against what breaks by accident. Whoever changes a fragment on purpose makes the digest anew."""

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
