"""Foreign data in every key that the product keeps in Redis, of every type and of any bytes: it is put aside, told in
one line, and work goes on."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as django_settings
from redis import Redis

from brokerui.changes import presence
from brokerui.core import heartbeat, rate_counter, redis_aside
from brokerui.core.conditions import Condition, conditions_newly_reported
from brokerui.core.redis_aside import INDEX, MOST_KEYS, MOST_VALUES, put_aside, values_put_aside
from brokerui.core.redis_keys import ASIDE, BY_PREFIX, EXACT, form_of
from brokerui.messaging.clock import now
from brokerui.messaging.exchange import wake_debounce
from brokerui.messaging.exchange.forwarded_messages import _write, forwarded_messages
from brokerui.messaging.exchange.frame_bundles import shard_of
from brokerui.messaging.exchange.lists import (
    FrameList,
    connections,
    outgoing_held,
    put_arrived,
    put_events,
    put_notices,
    put_outgoing,
    run,
    show_connections,
    take_events,
    take_notices,
    take_outgoing,
    take_shards,
    waiting,
)
from brokerui.messaging.exchange.messages import ConnectionRow, EndpointMessage, Failed, Notice, Online
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.queue_notify import notify_queues, wait_for_notification
from brokerui.messaging.exchange.unreachable import _key as unreachable_key
from brokerui.messaging.exchange.unreachable import unreachable_address, unreachable_from
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activated_tasks import give_up, readers_of, reserve, running
from brokerui.messaging.queue_monitors.monitor_state import QueueMonitor, monitors, note_receive, note_started
from routing.common.event_subclasses import ConnectionSubclass
from routing.common.network_events import BrokerConnection, ForwardedMessage
from tests.brokerui.messaging.endpoint.scene import fragment

pytestmark = pytest.mark.usefixtures("lists")

PLACE = QueueAddress("A", "one", "ToQ")
TASK = SimpleNamespace(name="some.task")
ADDRESS = "tcp://there:4022"
CONNECTION = ConnectionRow(**dict.fromkeys(ConnectionRow._fields, "something") | {"is_accept": True})  # type: ignore[arg-type]  # as JSON
FRAME = fragment(0)
SHARD = shard_of(FRAME, 4)
GARBAGE = [
    b"",
    b"garbage",
    b"\xff\xfe\x00\x01",
    b"-1.5e9",
    b"[[[",
    b'"text"',
    b"[1, 2]",
    b"{}",
    b"9" * 40,
    b"\0\0\0\xff",
]


def write_string(client: Redis, key: str, value: bytes) -> None:
    client.set(key, value)


def write_list(client: Redis, key: str, value: bytes) -> None:
    client.rpush(key, value, value)


def write_hash(client: Redis, key: str, value: bytes) -> None:
    for field in (value, b"all", b"state", b"activated", ADDRESS.encode(), FrameList("A", SHARD).key.encode()):
        client.hset(key, field, value)


def write_set(client: Redis, key: str, value: bytes) -> None:
    client.sadd(key, value)


def write_sorted_set(client: Redis, key: str, value: bytes) -> None:
    client.zadd(key, {value: 2.0**60})


def write_stream(client: Redis, key: str, value: bytes) -> None:
    client.xadd(key, {b"field": value})


WRITERS = [write_string, write_list, write_hash, write_set, write_sorted_set, write_stream]


# ---------------------------------------------------------------- what the product does with each key
def pulse() -> None:
    heartbeat.heartbeat_last()
    heartbeat.heartbeat_send()
    assert not heartbeat.heartbeat_is_late(heartbeat.heartbeat_last())
    assert heartbeat.heartbeats().since is not None


def pulse_of_pipeline() -> None:
    heartbeat.heartbeats()
    heartbeat.heartbeat_of_pipeline_send()
    assert not heartbeat.heartbeat_is_late(heartbeat.heartbeats().of_pipeline)


def count() -> None:
    first = rate_counter._in_valkey("somebody", 60)
    second = rate_counter._in_valkey("somebody", 60)
    assert (second.times - first.times, 0 < second.left <= 60) == (1, True)


def open_draft() -> None:
    presence._NotAsked.until = 0.0  # a test before this one may have been without Redis
    presence.note_reader(7, "ann")
    assert "ann" in presence.note_reader(7, "ben")
    redis().delete("brokerui:draft:7")


def bell() -> None:
    notify_queues([PLACE])
    wait_for_notification(PLACE, 0.001)
    notify_queues([PLACE])
    assert redis().llen(f"brokerui:bell:{'/'.join(PLACE)}") >= 1


def wake(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []

    def wake(task: Any) -> bool:
        sent.append(task)
        return True

    monkeypatch.setattr(wake_debounce, "wake", wake)
    assert wake_debounce.wake_once(TASK)
    done: list[int] = []

    def work() -> bool:
        done.append(1)
        return False

    wake_debounce.run_until_idle(TASK, work)
    assert (len(sent), len(done) >= 1) == (1, True)
    assert wake_debounce.wake_once(TASK)
    assert len(sent) == 2, "nobody is at work any more"
    wake_debounce.clear_pending(TASK)


def arrive() -> None:
    """What arrives is taken by one worker, and nothing else is."""
    waiting(redis())
    assert run(redis(), put_arrived("A", [FRAME])) == []
    assert FrameList("A", SHARD) in waiting(redis())
    taken = [run(redis(), take_shards("A", range(4), limit, "one")).frames for limit in (1 << 20, 1)]
    assert taken == [[FRAME], []]
    assert waiting(redis()).get(FrameList("A", SHARD), 0) == 0


def leave() -> None:
    run(redis(), outgoing_held("A"))
    assert run(redis(), put_outgoing("A", [(ADDRESS, FRAME)])) == []
    assert run(redis(), take_outgoing("A", ADDRESS, 1 << 20)) == [FRAME]
    assert run(redis(), outgoing_held("A")) == {}


def tell() -> None:
    event = EndpointMessage("A", 1, BrokerConnection(ConnectionSubclass.CONNECTED, "", ADDRESS, "", 1))
    run(redis(), put_events([event]))
    assert run(redis(), take_events(100)) == [event]
    notices: list[Notice] = [Online("A", ADDRESS), Failed("A", ADDRESS, 9754, "refused")]
    run(redis(), put_notices(notices))
    assert run(redis(), take_notices(100)) == notices


def show() -> None:
    connections(redis())
    run(redis(), show_connections([CONNECTION], ()))
    assert connections(redis()) == [CONNECTION]
    unreachable_from("A")
    redis().hset(unreachable_key("A"), ADDRESS, json.dumps([9754, "refused"]))
    assert list(unreachable_from("A")) == [ADDRESS]
    assert unreachable_address("A", ADDRESS) == (9754, "refused")
    forwarded_messages(redis())
    texts: dict[str, Any] = dict.fromkeys(ForwardedMessage._fields, "x")
    message = ForwardedMessage(**texts | {"message_fragment_number": 0})
    _write("A\x001\x002", [message])
    assert forwarded_messages(redis()) == [("A", message)]


def read() -> None:
    readers_of(PLACE)
    assert len(monitors([PLACE])) == 1
    reader = reserve(PLACE, "dbo.Ship", 1)
    assert reader is not None
    assert readers_of(PLACE) == [reader]
    with running(PLACE, reader) as runs:
        assert runs is not None
    give_up(PLACE, reader)
    note_started(PLACE, is_extra=False)
    note_receive(PLACE, is_empty=True)
    (monitor,) = monitors([PLACE])
    assert (monitor.state, now() - (monitor.last_empty or 0) < 60_000) == ("INACTIVE", True)


def tell_conditions() -> None:
    condition = Condition("brokerui.W999", "something", is_well=False, is_refused=False)
    conditions_newly_reported([])
    assert conditions_newly_reported([condition]) == (condition,)
    assert conditions_newly_reported([condition]) == ()


USES: dict[str, Callable[..., None]] = {
    "brokerui:pulse": pulse,
    "brokerui:pulse:since": pulse,
    "brokerui:pulse:pipeline": pulse_of_pipeline,
    "brokerui:conditions": tell_conditions,
    "brokerui:count:somebody": count,
    "brokerui:draft:7": open_draft,
    f"brokerui:bell:{'/'.join(PLACE)}": bell,
    f"brokerui:pending:{TASK.name}": wake,
    f"brokerui:requested:{TASK.name}": wake,
    "brokerui:endpoint:bytes": arrive,
    FrameList("A", SHARD).key: arrive,
    f"brokerui:endpoint:peers:{FrameList('A', SHARD).key}": arrive,
    f"brokerui:endpoint:worker:{FrameList('A', SHARD).key}": arrive,
    "brokerui:endpoint:wanted": leave,
    FrameList("A", ADDRESS).key: leave,
    "brokerui:endpoint:notices": tell,
    "brokerui:endpoint:events": tell,
    "brokerui:endpoint:connections": show,
    unreachable_key("A"): show,
    "brokerui:forwarded": show,
    f"brokerui:readers:{json.dumps(PLACE)}": read,
    f"brokerui:monitor:{json.dumps(PLACE)}": read,
}


def use(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    USES[key](monkeypatch) if USES[key] is wake else USES[key]()


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(redis_aside, "_reported_at", {})
    monkeypatch.setattr(wake_debounce, "LINGER_S", 0.0)
    settings.ENDPOINT_SHARDS = 4


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.__name__)
@pytest.mark.parametrize("key", USES)
def test_whatever_is_in_a_key_work_goes_on(
    key: str, writer: Callable[[Redis, str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = random.Random(f"{key}{writer.__name__}").randbytes(200)
    for value in (*GARBAGE, noise):
        redis().flushall()
        writer(redis(), key, value)
        use(key, monkeypatch)
        use(key, monkeypatch)


@pytest.mark.parametrize("key", USES)
def test_a_key_of_another_type_is_put_aside_as_it_is_and_told_in_one_line(
    key: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    redis().xadd(key, {b"field": b"of somebody else"})
    with caplog.at_level(logging.WARNING):
        use(key, monkeypatch)
        use(key, monkeypatch)
    kept: Any = redis().xrange(f"{ASIDE}{key}")
    assert [fields for _, fields in kept] == [{b"field": b"of somebody else"}]
    (line,) = [record.getMessage() for record in caplog.records if "Redis: the key" in record.getMessage()]
    shown = json.dumps(key)[1:-1]
    problem = f"the key {shown} holds a stream that the product has not written"
    assert line == f"Redis: {problem}; it is kept for 7 days as {ASIDE}{shown}"
    assert [found.key for found in put_aside(redis())] == [shown]
    assert 0 < redis().ttl(f"{ASIDE}{key}") <= 7 * 24 * 3600


# ---------------------------------------------------------------- bounds
def test_the_newest_keys_alone_are_kept() -> None:
    keys = [f"brokerui:count:{number}" for number in range(MOST_KEYS + 5)]
    for key in keys:
        redis().rpush(key, "foreign")
        redis().incr(key)
    assert sorted(found.key for found in put_aside(redis())) == sorted(keys[5:])
    assert len(redis().keys(f"{ASIDE}*")) == MOST_KEYS


def test_values_of_a_key_are_bounded_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        values_put_aside(redis(), "brokerui:pulse", [b"x" * (1 << 20)] * (MOST_VALUES + 1))
    kept = redis().lrange(f"{ASIDE}brokerui:pulse", 0, -1)
    assert (len(kept), max(map(len, kept))) == (MOST_VALUES, redis_aside.MOST_BYTES)
    assert len(caplog.records) == 1


def test_the_index_may_hold_foreign_data_too() -> None:
    redis().set(INDEX, "foreign")
    redis().set(f"{ASIDE}brokerui:pulse", "older")
    assert put_aside(redis()) == []
    values_put_aside(redis(), "brokerui:pulse", [b"x"])
    assert [found.key for found in put_aside(redis())] == ["brokerui:pulse"]


def test_a_name_is_told_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    values_put_aside(redis(), "brokerui:count:a\nERROR forged" + "x" * 1000, [b"x"])
    (record,) = caplog.records
    assert "\n" not in record.getMessage()
    assert len(record.getMessage()) < 1000


def test_foreign_keys_that_are_none_of_ours_stay() -> None:
    redis().set("theirs", "text")
    with pytest.raises(Exception, match="WRONGTYPE"):
        redis().lpush("theirs", 1)
    assert redis().get("theirs") == b"text"


# ---------------------------------------------------------------- the list of keys is whole
def test_every_key_of_the_product_has_its_form() -> None:
    assert all(form_of(key) for key in USES)
    assert {queue.name for queue in django_settings.CELERY_TASK_QUEUES} <= set(EXACT)
    ours = {name for name in (*EXACT, *BY_PREFIX) if name.startswith("brokerui:")}
    assert ours == {name for name in ours if any(key.startswith(name) for key in USES)}, "each is tried here"


def test_a_monitor_that_cannot_be_read_is_one_of_which_nothing_is_known() -> None:
    redis().hset(f"brokerui:monitor:{json.dumps(PLACE)}", mapping={"state": "FOO", "activated": "yesterday"})
    assert monitors([PLACE]) == [QueueMonitor()]
