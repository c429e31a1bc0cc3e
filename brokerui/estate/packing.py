"""The packed content of a version: its document or its edits, and the digest of the history until there."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence

from routing.common.gc_control import gc_freeze_if_large
from routing.documents.edits_json import edits_as_json, edits_from
from routing.documents.estate_document import read_estate, write_estate
from routing.model.estate import Edit, Estate

Packed = bytes | memoryview
"""As databases give it back."""
LEVEL = 3
"""Level of zlib: documents shrink to a tenth in half the time of the default level."""


def pack_estate(estate: Estate) -> bytes:
    """The canonical document."""
    return zlib.compress(write_estate(estate).encode(), LEVEL)


def unpack_estate(packed: Packed) -> Estate:
    document = zlib.decompress(packed)
    estate = read_estate(document)
    gc_freeze_if_large(len(document))
    return estate


def pack_edits(edits: Sequence[Edit]) -> bytes:
    """The array of `routing.documents.edits_json`."""
    return zlib.compress(json.dumps(edits_as_json(edits), ensure_ascii=False).encode(), LEVEL)


def unpack_edits(packed: Packed) -> tuple[Edit, ...]:
    return edits_from(json.loads(zlib.decompress(packed)))


def digest_of(before: str, *contents: bytes | None) -> str:
    """Return the digest of a version, from that of the version before (empty: none) and its own content."""
    digest = hashlib.sha256(before.encode())
    for content in contents:
        digest.update(b"-" if content is None else hashlib.sha256(content).digest())
    return digest.hexdigest()
