"""Foreign data in keys of the product is put aside: renamed, told in one line, and kept for a week, so that its owner
finds it and work goes on.

There is one value put aside for each key, of at most `MOST_KEYS` keys; the oldest are deleted.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from redis import Redis, RedisError, ResponseError

from brokerui.core.redis_keys import ASIDE, HASH, STRING, KeyForm, form_of

logger = logging.getLogger(__name__)

INDEX: Final = ASIDE.removesuffix(":")
"""Key of a sorted set: the keys whose data was put aside, by when, in seconds since 1970."""
MOST_KEYS: Final = 20
MOST_VALUES: Final = 100
"""Values kept of a key from which single values were put aside."""
MOST_BYTES: Final = 64 << 10
"""Bytes kept of one value."""
KEPT_S: Final = 7 * 24 * 3600
TOLD_AGAIN_S: Final = 60.0
"""A process tells of the same key only once in this time, in seconds."""
NAME_MAX_CHARS: Final = 200
NO_END: Final = -1
"""The answer of PTTL for a key that does not expire."""

_NOTE: Final = """
local function kind(key) return redis.call('TYPE', key).ok end
local function note()
  redis.call('EXPIRE', KEYS[2], ARGV[2])
  if kind(KEYS[3]) ~= 'zset' then redis.call('DEL', KEYS[3]) end
  redis.call('ZADD', KEYS[3], ARGV[1], KEYS[1])
  redis.call('EXPIRE', KEYS[3], ARGV[2])
  while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[3]) do
    redis.call('DEL', ARGV[4] .. redis.call('ZPOPMIN', KEYS[3])[1])
  end
end
"""
_KEY: Final = f"""
-- Put a key aside, unless another process has. KEYS: the key, its place aside, the index.
-- ARGV: now, seconds that it is kept, number of keys that are kept, what places begin with, the type that the key has.
{_NOTE}
if kind(KEYS[1]) ~= ARGV[5] then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
note()
return 1
"""
_VALUES: Final = f"""
-- Put values of a key aside. KEYS and ARGV as before; then the number of values that are kept, and the values.
{_NOTE}
if kind(KEYS[2]) ~= 'list' then redis.call('DEL', KEYS[2]) end
for i = 6, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[5]), -1)
note()
return 1
"""
_reported_at: dict[str, float] = {}
"""When this process last told of a key, by the monotonic clock."""


class Aside(NamedTuple):
    """Data that was put aside."""

    key: str
    at: datetime


def unreadable_put_aside(client: Redis, words: Iterable[object]) -> bool:
    """Put those keys aside that are named in a command and have not the form that the product gives them. Return
    whether there were any: then the command is worth another try. Raises `RedisError`."""
    is_any = False
    for key in dict.fromkeys(filter(None, map(_text, words))):
        form = form_of(key)
        found = _call(client, "TYPE", key).decode() if form else "none"
        if form and found != "none" and not _is_readable(client, key, form, found):
            is_any |= bool(_call(client, "EVAL", _KEY, 3, *_places(key), *_limits(), found))
            _tell(key, f"holds a {found} that the product has not written")
    return is_any


def values_put_aside(client: Redis, key: str, values: Sequence[bytes | str]) -> None:
    """Put values aside that were taken from a key, or deleted in it, and cannot be read."""
    kept = [value[:MOST_BYTES] for value in values[-MOST_VALUES:]]
    try:
        _call(client, "EVAL", _VALUES, 3, *_places(key), *_limits(), MOST_VALUES, *kept)
    except (RedisError, OSError) as error:
        logger.info("what cannot be read in %s is not kept: %s", _shown(key), error)
    _tell(key, f"held {len(values)} value(s) that the product has not written")


def put_aside(client: Redis) -> list[Aside]:
    """Return the entries of the index of data put aside, the newest first. Raises `RedisError`."""
    try:
        found = _call(client, "ZREVRANGE", INDEX, 0, -1, "WITHSCORES")
    except ResponseError:
        return []  # the index itself holds foreign data, and is replaced the next time
    pairs = found if found and isinstance(found[0], (list, tuple)) else zip(found[::2], found[1::2], strict=True)
    return [Aside(_shown(key.decode(errors="replace")), datetime.fromtimestamp(float(at), UTC)) for key, at in pairs]


def _is_readable(client: Redis, key: str, form: KeyForm, found: str) -> bool:
    if found != form.type or (form.has_end and _call(client, "PTTL", key) == NO_END):
        return False
    if not form.has_numbers:
        return True
    read = {STRING: ("GET", key), HASH: ("HVALS", key)}[found]
    answer = _call(client, *read)
    return all(map(_is_number, answer if isinstance(answer, list) else [answer]))


def _is_number(value: Any) -> bool:
    """As Redis reads one: digits alone, of 64 bits."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else ""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and abs(int(digits)) < 1 << 63


def _call(client: Redis, *words: Any) -> Any:
    """Run a command without looking at the keys in it."""
    return Redis.execute_command(client, *words)


def _places(key: str) -> Iterator[str]:
    yield from (key, f"{ASIDE}{key}", INDEX)


def _limits() -> tuple[object, ...]:
    return time.time(), KEPT_S, MOST_KEYS, ASIDE


def _text(word: object) -> str | None:
    if isinstance(word, bytes):
        return word.decode(errors="replace")
    return word if isinstance(word, str) else None


def _tell(key: str, problem: str) -> None:
    now = time.monotonic()
    if now - _reported_at.get(key, -TOLD_AGAIN_S) < TOLD_AGAIN_S:
        return
    _reported_at[key] = now
    days, place = KEPT_S // 86_400, _shown(ASIDE + key)
    logger.warning("Redis: the key %s %s; it is kept for %d days as %s", _shown(key), problem, days, place)


def _shown(key: str) -> str:
    """The name in one line, whatever is in it."""
    text = json.dumps(key, ensure_ascii=True)[1:-1]
    return text if len(text) <= NAME_MAX_CHARS else f"{text[:NAME_MAX_CHARS]}…"
