"""A second reader of fragments, after the document and by nothing else: slow, plain, and without the codec's code."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID


def naive_read(raw: bytes) -> dict[str, Any]:
    """What the document says that the bytes mean, by its names for the fields."""
    rest = list(raw)

    def number(size: int) -> int:
        value = 0
        for _ in range(size):
            value = 256 * value + rest.pop(0)
        return value

    def piece(size: int) -> bytes:
        return bytes(rest.pop(0) for _ in range(size))

    def guid() -> str:
        return str(UUID(bytes=piece(16)))

    found: dict[str, Any] = {"length": number(4), "hops remaining": number(1), "time consumed": number(4)}
    assert found["length"] == len(raw) - 4
    protected = bytes(rest)
    found |= {"version": number(1), "flags": number(1), "integrity": number(1)}
    found |= {"conversation id": guid(), "message id": guid()}
    found |= {"sequence": number(8), "fragment": number(4), "fragments": number(4), "time to live": number(4)}
    found["key id"] = piece(8)
    count = number(1)
    size_of_names = number(2)
    found["acknowledged"] = tuple((number(8), number(4), number(8), number(4)) for _ in range(count))
    before = len(rest)
    has = number(1)
    found["to broker instance"] = guid() if has & 1 else None
    found["from broker instance"] = guid() if has & 2 else None
    for name in ("to service", "from service", "contract", "message type"):
        found[name] = piece(number(2)).decode()
    assert before - len(rest) == size_of_names
    found["body"], found["tag"] = bytes(rest[:-16]), bytes(rest[-16:])
    if found["integrity"] == 1:
        assert hashlib.blake2b(protected[:-16], digest_size=16, person=b"brokerui wire 1").digest() == found["tag"]
    return found
