"""Values that were read from keys of ours: those that cannot be read are taken out of their key and put aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from redis import Redis

from brokerui.core.redis_aside import values_put_aside
from brokerui.core.redis_client import redis_client

T = TypeVar("T")
ANSWER_S: Final = 2.0
CANNOT_READ: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""The errors that reading a value raises that another program has written."""


def taken_readable(key: str, values: Iterable[bytes], read: Callable[[bytes], T]) -> list[T]:
    """Read values that were taken from a list."""
    return _readable(key, ((value, value) for value in values), read, lambda _client, _foreign: None)


def fields_readable(key: str, found: Mapping[Any, Any], read: Callable[[tuple[bytes, bytes]], T]) -> list[T]:
    """Read the fields of a hash, each with its value."""
    pairs = ((b"%s: %s" % pair, pair) for pair in found.items())
    return _readable(key, pairs, read, lambda client, foreign: client.hdel(key, *(field for field, _ in foreign)))


def members_readable(key: str, members: Iterable[bytes], read: Callable[[bytes], T]) -> list[T]:
    """Read the members of a sorted set."""
    pairs = ((member, member) for member in members)
    return _readable(key, pairs, read, lambda client, foreign: client.zrem(key, *foreign))


def set_members_readable(key: str, members: Iterable[bytes], read: Callable[[bytes], T]) -> list[T]:
    """Read the members of a set."""
    pairs = ((member, member) for member in members)
    return _readable(key, pairs, read, lambda client, foreign: client.srem(key, *foreign))


def _readable(
    key: str, pairs: Iterable[tuple[bytes, Any]], read: Callable[[Any], T], take_out: Callable[[Redis, list[Any]], Any]
) -> list[T]:
    done: list[T] = []
    foreign: list[tuple[bytes, Any]] = []
    for text, value in pairs:
        try:
            done.append(read(value))
        except CANNOT_READ:
            foreign.append((text, value))
    if foreign:
        client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
        take_out(client, [value for _, value in foreign])
        values_put_aside(client, key, [text for text, _ in foreign])
    return done
