"""The exchange between the endpoint and the workers: lists in Redis, bounded in bytes, each with one meaning.

| list | from | to | holds |
|---|---|---|---|
| arrived | the endpoint | workers | frames that came, a list for each instance and shard |
| outgoing | workers | the endpoint | frames to be sent, a list for each instance and address of a next hop |
| notices | the endpoint | workers | which address can be reached now, and which cannot |
| events | the endpoint | workers | broker events 138 and 159 |
| connections | the endpoint | pages and REST | rows of sys.dm_broker_connections |

A frame is a fragment, or a question or answer about a role. All fragments of a conversation arrive in the same shard
(`bundles.shard_of`), and one worker at a time works on a shard. In a list of arrived
frames no peer has more than its share, nor more than is left free: a peer that sends more than workers take does not
block the others. Nothing here is durable: the dialog layer sends lost fragments again.

Each function gives a command, which `run` carries out; a worker writes

    frames = run(client, take_arrived("SERVER1", 0, 1 << 20))
    taken = run(client, put_outgoing("SERVER1", [("tcp://server2:4022", raw)]))

`run` raises `redis.RedisError` where Redis cannot be reached or is full, and then nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.conf import settings
from redis import Redis, ResponseError
from redis.exceptions import NoScriptError

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.read_once import read_once
from brokerui.core.redis_client import ThreadRedis
from brokerui.core.redis_connection import Script
from brokerui.core.redis_keys import ENDPOINT
from brokerui.core.redis_values import CANNOT_READ, fields_readable, taken_readable
from brokerui.messaging.exchange.frame_bundles import bundled, frames_of, shard_of, unbundled
from brokerui.messaging.exchange.messages import (
    ConnectionRow,
    EndpointMessage,
    Notice,
    connection_from,
    event_from,
    notice_from,
    written,
)
from brokerui.messaging.exchange.scripts import (
    DISCARD,
    HEAR,
    HELD,
    LEAVE,
    PUT,
    SHOW,
    TAKE,
    TAKE_ALONE,
    TELL,
)

T = TypeVar("T")

BYTES = f"{ENDPOINT}bytes"
"""Key of a hash: the bytes of each list by its name, and of `all`."""
WANTED = f"{ENDPOINT}wanted"
"""Key of a list: the outgoing lists that were empty and hold frames now. The endpoint waits for it."""
ARRIVED = f"{ENDPOINT}arrived:"
OUTGOING = f"{ENDPOINT}outgoing:"
PEERS = f"{ENDPOINT}peers:"
WORKERS = f"{ENDPOINT}worker:"
NOTICES = f"{ENDPOINT}notices"
EVENTS = f"{ENDPOINT}events"
CONNECTIONS = f"{ENDPOINT}connections"
MOST_NOTICES = 1_000
MOST_EVENTS = 10_000
"""Entries kept of each list; older ones are lost when no worker takes them."""
WORKER_LEASE_MS = 5_000
"""Lease of a worker on a shard, in milliseconds; longer than a turn. Two workers on one shard would only slow each
other down."""
NOBODY = ""
"""A peer without a limit of its own."""
CONNECTIONS_KEPT = 10
"""Seconds after which the rows of connections expire unless the endpoint refreshes them."""


class FrameList(NamedTuple):
    """The list of one instance: of what arrived in a shard, or of what goes to an address."""

    instance: str
    to: int | str
    """The shard, or the network address in its canonical form."""

    @property
    def key(self) -> str:
        return f"{ARRIVED if isinstance(self.to, int) else OUTGOING}{self.to} {self.instance}"

    @property
    def keys(self) -> tuple[str, str]:
        """The list, and a hash with the bytes of each peer in it."""
        return _keys_of(self)


KEPT: Final = 10_000
"""Lists whose keys a process remembers."""
frame_list: Final = lru_cache(maxsize=KEPT)(FrameList)


@lru_cache(maxsize=KEPT)
def _keys_of(place: FrameList) -> tuple[str, str]:
    return place.key, f"{PEERS}{place.key}"


@read_once
def list_limits() -> tuple[int, int, int]:
    """Return the bytes that a list may have, all lists together, and one peer in a list."""
    return settings.ENDPOINT_LIST_BYTES, settings.ENDPOINT_LISTS_BYTES, settings.ENDPOINT_LIST_BYTES_OF_PEER


class Arrived(NamedTuple):
    """Frames that a worker has taken from several shards."""

    frames: list[bytes]
    shards: list[int]
    """Those that are the worker's now."""
    is_more: bool
    """Whether something is left in them."""


class Put(NamedTuple):
    """The outcome of putting one bundle."""

    taken: bool
    first: bool
    """Put into a list that was empty, and no worker at work was told: one has to be woken."""


class Command(NamedTuple, Generic[T]):
    """A script with its keys and arguments, and the function that reads its reply."""

    script: Script
    keys: Sequence[str]
    arguments: Sequence[str | bytes | int]
    meaning: Callable[[Any], T]

    @property
    def words(self) -> tuple[Any, ...]:
        """After the script: the number of keys, the keys and the arguments."""
        return (len(self.keys), *self.keys, *self.arguments)


def run(client: Redis, command: Command[T]) -> T:
    """For workers. The client must not decode answers (`decode_responses=False`, the default)."""
    try:
        answer = client.evalsha(command.script.digest, *command.words)
    except NoScriptError:
        answer = client.eval(command.script.text, *command.words)
    return command.meaning(answer)


def run_when_popped(
    client: ThreadRedis, key: str, wait_s: float, commands: Sequence[Command[T]]
) -> tuple[bool, list[T | None]]:
    """Wait for a value in a list, `wait_s` seconds at most, and run commands on the same way to Redis and back. Returns
    whether there was a value, and the outcome of each command: None where Redis could not run it, as it does not know
    the script yet or has met foreign data, which `run` mends."""
    scripts = [("EVALSHA", one.script.digest, *one.words) for one in commands]
    popped, *answers = client.run_all([("BLPOP", key, wait_s), *scripts])
    if isinstance(popped, ResponseError):
        popped = client.blpop([key], timeout=wait_s)  # puts foreign data aside
    outcomes = [
        None if isinstance(answer, ResponseError) else command.meaning(answer)
        for command, answer in zip(commands, answers, strict=True)
    ]
    return popped is not None, outcomes


def post(client: ThreadRedis, command: Command[Any]) -> None:
    """Run a command whose answer nobody needs, without waiting for it. Errors are as those of `run`, or come with the
    next command of this thread."""
    client.post_script(command.script, command.words)


async def run_async(client: AsyncRedis, command: Command[T]) -> T:
    """For the endpoint."""
    try:
        answer = await client.call("EVALSHA", command.script.digest, *command.words)
    except NoScriptError:
        answer = await client.call("EVAL", command.script.text, *command.words)
    return command.meaning(answer)


async def run_async_when_popped(
    client: AsyncRedis, key: str, wait_s: float, commands: Sequence[Command[T]]
) -> tuple[bytes | None, list[T | None]]:
    """For the endpoint, as `run_when_popped`; returns the value."""
    scripts = [("EVALSHA", one.script.digest, *one.words) for one in commands]
    popped, answers = await client.popped_before(key, wait_s, scripts)
    outcomes = [
        None if isinstance(answer, ResponseError) else command.meaning(answer)
        for command, answer in zip(commands, answers, strict=True)
    ]
    return None if popped is None else popped[1], outcomes


# ------------------------------------------------------------------------------------------------ frames
def put_arrived(instance: str, frames: Iterable[bytes]) -> Command[list[bytes]]:
    """Put frames without a peer, each to its shard; returns those for which there was no room."""
    shards: dict[int, list[bytes]] = {}
    for raw in frames:
        shards.setdefault(shard_of(raw, settings.ENDPOINT_SHARDS), []).append(raw)
    return _all_of(instance, shards, tell=False)


def put_outgoing(instance: str, frames: Iterable[tuple[str, bytes]]) -> Command[list[bytes]]:
    """Frames to be sent, each with the address of its next hop; gives those for which there was no room.

    They count as lost on the network: nothing is to be done about them.
    """
    addresses: dict[str, list[bytes]] = {}
    for address, raw in frames:
        addresses.setdefault(address, []).append(raw)
    return _all_of(instance, addresses, tell=True)


class Bell(NamedTuple):
    """Where a worker at work listens: it takes what arrives without a task."""

    state_key: str
    key: str
    ms: int
    """How long it rings, in milliseconds."""


NO_BELL = Bell(f"{WORKERS}none", f"{WORKERS}none", 0)


def put(peer: str, bundles: Sequence[tuple[FrameList, bytes]], bell: Bell = NO_BELL) -> Command[list[Put]]:
    """Bundles that came from one peer, each to its list. A worker at work is told of lists that were empty."""
    return _put(peer, bundles, False, lambda answers: [Put(answer > 0, answer > 1) for answer in answers], bell)


def _all_of(instance: str, places: Mapping[Any, Sequence[bytes]], *, tell: bool) -> Command[list[bytes]]:
    """Frames without a peer, by their shard or address."""
    bundles = [(frame_list(instance, to), bundle) for to, own in places.items() for bundle in bundled(own)]
    return _put(NOBODY, bundles, tell, partial(_refused, bundles))


def _refused(bundles: Sequence[tuple[FrameList, bytes]], answers: Sequence[int]) -> list[bytes]:
    return unbundled([bundle for (_, bundle), answer in zip(bundles, answers, strict=True) if not answer])


def _put(
    peer: str,
    bundles: Sequence[tuple[FrameList, bytes]],
    tell: bool,
    meaning: Callable[[Any], T],
    bell: Bell = NO_BELL,
) -> Command[T]:
    """`tell` the endpoint of lists that were empty."""
    keys = [BYTES, WANTED, bell.state_key, bell.key]
    arguments: list[str | bytes | int] = [*list_limits(), int(tell), peer, bell.ms]
    before = f"{peer}\0".encode()
    for place, bundle in bundles:
        keys += _keys_of(place)
        arguments.append(before + bundle)
    return Command(PUT, keys, arguments, meaning)


def take_arrived(instance: str, shard: int, limit: int) -> Command[list[bytes]]:
    """Take the oldest frames: `limit` bytes of them, and the rest of the last bundle."""
    place = FrameList(instance, shard)
    return Command(TAKE, (BYTES, *place.keys), (limit,), _frames_of(place))


def take_shards(instance: str, shards: Sequence[int], limit: int, worker: str) -> Command[Arrived]:
    """The same from each of several shards, for one worker alone; nothing of a shard that another worker holds. The
    lease of a shard ends when the worker leaves it, or `WORKER_LEASE_MS` after it has taken something from it."""
    places = [FrameList(instance, shard) for shard in shards]
    keys = (BYTES, *(key for place in places for key in (*place.keys, _worker_of(place))))

    def arrived(answer: list[Any]) -> Arrived:
        taken = [(place, some) for place, some in zip(places, answer[1:], strict=True) if some]
        frames = [frame for place, some in taken for frame in _frames_of(place)(some)]
        return Arrived(frames, [shard for shard, some in zip(shards, answer[1:], strict=True) if some], answer[0] > 0)

    return Command(TAKE_ALONE, keys, (limit, worker, WORKER_LEASE_MS), arrived)


def leave_shards(instance: str, shards: Sequence[int], worker: str) -> Command[int]:
    """End the worker's lease of each shard that it has."""
    return Command(LEAVE, tuple(_worker_of(FrameList(instance, shard)) for shard in shards), (worker,), int)


def _worker_of(place: FrameList) -> str:
    return f"{WORKERS}{place.key}"


def take_outgoing(instance: str, address: str, limit: int) -> Command[list[bytes]]:
    """Take the oldest frames that are to be sent to an address."""
    place = FrameList(instance, address)
    return Command(TAKE, (BYTES, *place.keys), (limit,), _frames_of(place))


def _frames_of(place: FrameList) -> Callable[[list[bytes]], list[bytes]]:
    """Return the function that reads the bundles of a list and puts foreign values aside."""
    return lambda values: list(chain.from_iterable(taken_readable(place.key, values, _frames_behind_peer)))


def _frames_behind_peer(value: bytes) -> list[bytes]:
    return frames_of(value[value.find(b"\0") + 1 :])


def outgoing_held(instance: str) -> Command[dict[str, int]]:
    """The bytes that wait for each address, of those for which any do."""
    return Command(HELD, (BYTES,), (OUTGOING, f" {instance}"), _held)


def discard_outgoing(instance: str, address: str) -> Command[int]:
    """Discard the frames for an address that cannot be reached; returns their bytes."""
    return Command(DISCARD, (BYTES, FrameList(instance, address).key), (), int)


def waiting(client: Redis) -> Mapping[FrameList, int]:
    """The lists that hold frames, with their bytes: read by a worker or the endpoint after a loss."""
    return dict(filter(None, fields_readable(BYTES, client.hgetall(BYTES), _place_and_size)))


async def held_lists(client: AsyncRedis) -> Mapping[FrameList, int]:
    """The same for the endpoint; it skips entries that cannot be read."""
    words = await client.call("HGETALL", BYTES)
    found: dict[FrameList, int] = {}
    for pair in zip(words[::2], words[1::2], strict=True):
        with suppress(*CANNOT_READ):
            found |= dict(filter(None, [_place_and_size(pair)]))
    return found


def _place_and_size(pair: tuple[bytes, bytes]) -> tuple[FrameList, int] | None:
    key, size = pair
    place = _place(key.decode())
    return None if place is None else (place, int(size))


def _place(key: str) -> FrameList | None:
    for prefix, read in ((ARRIVED, int), (OUTGOING, str)):
        if key.startswith(prefix):
            to, _, instance = key.removeprefix(prefix).partition(" ")
            return FrameList(instance, read(to))
    return None


# ------------------------------------------------------------------------------------------------ events and states
def put_notices(notices: Iterable[Notice]) -> Command[int]:
    """News of addresses; gives how many wait now."""
    return Command(TELL, (NOTICES,), (MOST_NOTICES, *map(written, notices)), int)


def take_notices(limit: int) -> Command[list[Notice]]:
    """The oldest ones, each once."""
    return Command(HEAR, (NOTICES,), (limit,), lambda answer: taken_readable(NOTICES, answer, notice_from))


def put_events(events: Iterable[EndpointMessage]) -> Command[int]:
    """Broker events; gives how many wait now."""
    return Command(TELL, (EVENTS,), (MOST_EVENTS, *map(written, events)), int)


def take_events(limit: int) -> Command[list[EndpointMessage]]:
    """The oldest ones, each once."""
    return Command(HEAR, (EVENTS,), (limit,), lambda answer: taken_readable(EVENTS, answer, event_from))


def show_connections(rows: Iterable[ConnectionRow], gone: Sequence[str], *, anew: bool = False) -> Command[bool]:
    """Rows that are new or changed, and the stream ids of those that are gone; gives whether the others are there."""
    words = [word for row in rows for word in (row.transport_stream_id, written(row))]
    return Command(SHOW, (CONNECTIONS,), (CONNECTIONS_KEPT, int(anew), len(gone), *gone, *words), bool)


def connections(client: Redis) -> list[ConnectionRow]:
    """sys.dm_broker_connections, the oldest first; empty where no endpoint runs."""
    rows = fields_readable(CONNECTIONS, client.hgetall(CONNECTIONS), lambda pair: connection_from(pair[1]))
    return sorted(rows, key=lambda row: (str(row.connect_time), str(row.connection_id)))


def _held(answer: list[bytes]) -> dict[str, int]:
    return {name.decode(): int(held) for name, held in zip(answer[::2], answer[1::2], strict=True)}
