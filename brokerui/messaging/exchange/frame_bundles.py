"""Many frames as one value of a list: one after the other, as each begins with its own length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

from routing.adjacent.fragment import conversation_of
from routing.adjacent.roles import is_role

BUNDLE = 64 << 10
"""Bytes of a bundle, unless one frame has more; also the granularity in which bytes are taken."""
_LENGTH = 4


def shard_of(raw: bytes, shards: int) -> int:
    """Where a frame that came goes: all fragments of a conversation to one place. Roles are asked in the first one."""
    return 0 if is_role(raw) else crc32(conversation_of(raw)) % shards


def bundled(frames: Sequence[bytes]) -> list[bytes]:
    """The frames in their order, in as few bundles as may be."""
    if frames and sum(map(len, frames)) <= BUNDLE:
        return [b"".join(frames)]
    return _divided(frames)


def _divided(frames: Iterable[bytes]) -> list[bytes]:
    bundles: list[bytes] = []
    pieces: list[bytes] = []
    size = 0
    for raw in frames:
        if pieces and size + len(raw) > BUNDLE:
            bundles.append(b"".join(pieces))
            pieces, size = [], 0
        pieces.append(raw)
        size += len(raw)
    if pieces:
        bundles.append(b"".join(pieces))
    return bundles


def unbundled(bundles: Sequence[bytes]) -> list[bytes]:
    """The frames in their order."""
    return [frame for bundle in bundles for frame in frames_of(bundle)]


def frames_of(bundle: bytes) -> list[bytes]:
    """The frames of one bundle. Raises `ValueError` where it is none: its lengths do not fill it."""
    frames = []
    at, size = 0, len(bundle)
    while at < size:
        end = at + _LENGTH + int.from_bytes(bundle[at : at + _LENGTH], "big")
        frames.append(bundle[at:end])
        at = end
    if at > size:
        raise ValueError("a frame goes beyond its bundle")
    return frames
