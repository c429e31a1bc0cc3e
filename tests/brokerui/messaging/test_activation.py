"""Activation: readers are started where messages are, no more than may be, and their failures count."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from django.db import connections, transaction
from redis import RedisError

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging import clock
from brokerui.messaging.activation import starting
from brokerui.messaging.activation.checks import tasks_are_registered
from brokerui.messaging.activation.selectors import ActivatedTaskRow, QueueMonitorRow, activated_tasks, queue_monitors
from brokerui.messaging.activation.starting import start_readers
from brokerui.messaging.activation.tasks import read
from brokerui.messaging.broker_cache import forget_brokers
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors import activated_tasks as readers
from brokerui.messaging.queue_monitors import monitor_state
from brokerui.messaging.queue_monitors.activated_tasks import ActivatedTask
from brokerui.messaging.queue_monitors.monitor_state import (
    INACTIVE,
    NOTIFIED,
    RECEIVES_OCCURRING,
    QueueMonitor,
    is_wanted,
)
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_send,
    message_receive,
)
from routing.common.event_subclasses import ActivationSubclass
from routing.dialog.problems import VerbError
from routing.model.catalog_objects import Activation, Queue
from routing.model.edits import PutDatabase
from routing.model.estate import Database
from tests.brokerui.messaging import procedures
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_store import on_postgres

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
PLACE = QueueAddress("B", "two", "ToQ")
AT = 1_900_000_000_000


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time of monitors and readers: its only number."""
    at = [clock.now()]
    for module in ("queue_monitors.monitor_state", "queue_monitors.activated_tasks", "activation.starting"):
        monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda: at[0])
    return at


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    procedures.seen.clear()
    procedures.steps.clear()


class World:
    """Instances A and B, and the tasks sent to workers, which run when a test calls them."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.sent: list[dict[str, Any]] = []
        """Readers that were started, and have not run."""
        self.woken: list[str] = []
        self.reported: list[tuple[int, str]] = []
        """Subclass and text of the events of readers."""
        self.is_away = False
        """Whether no worker can be reached."""

    def activate(self, procedure: str = "dbo.Take", most: int = 1, **named: Any) -> None:
        live = estate_current()
        here = live.estate.instances["B"].databases["two"]
        queues = (Queue("ToQ", activation=Activation(procedure, most, **named)),)
        there = Database("two", here.broker_instance, services=here.services, queues=queues, table=here.table)
        estate_edit(edits=[PutDatabase("B", there)], base_version=live.version, author="test")

    def say(self, *bodies: bytes) -> None:
        """Each in a conversation of its own."""
        for body in bodies:
            handle = conversation_begin(
                instance="A", database="one", from_service="From", to_service="To", encryption=False
            ).conversation_handle
            conversation_send(instance="A", handles=[handle], messages=[Message(body)])
            self.wire.carry()

    def start(self) -> int:
        """How many readers the look for them has started."""
        before = len(self.sent)
        start_readers()
        return len(self.sent) - before

    def run(self) -> None:
        """The reader that was started first."""
        read(**self.sent.pop(0))

    def send_task(self, name: str, *, kwargs: dict[str, Any], queue: str, **_given: Any) -> None:
        """Celery's."""
        assert (name, queue) == ("brokerui.messaging.activation.tasks.read", "activation")
        if self.is_away:
            raise OSError
        self.sent.append(kwargs)

    def state(self) -> str:
        (row,) = queue_monitors()
        return row.state


@pytest.fixture
def world(wire: Wire, settings: Any, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.ACTIVATION_TASKS = ["dbo.Take", "dbo.Echo", "dbo.Idle", "dbo.Fail"]
    world = World(wire)
    redis().flushdb()

    def note(_instance: str, _frames: Any, events: Any) -> None:
        world.reported.extend((event.subclass, event.text) for _, event in events)

    monkeypatch.setattr("brokerui.messaging.queue_monitors.activation_events.hand_over", note)
    monkeypatch.setattr(starting, "current_app", world)
    monkeypatch.setattr(
        "brokerui.messaging.exchange.wake_debounce.wake", lambda task: world.woken.append(task.name) or True
    )
    return world


# ---------------------------------------------------------------- when one is wanted


@pytest.mark.parametrize(
    ("monitor", "readers", "wanted"),
    [
        (QueueMonitor(), 0, True),
        (QueueMonitor(), 1, True),
        (QueueMonitor(), 2, False),  # as many as may be
        (QueueMonitor(NOTIFIED, AT - 29_000), 0, False),
        (QueueMonitor(NOTIFIED, AT - 30_000), 0, True),  # it was lost, or has not received
        (QueueMonitor(NOTIFIED, AT - 60_000), 1, False),
        (QueueMonitor(RECEIVES_OCCURRING, AT - 1), 0, True),
        (QueueMonitor(RECEIVES_OCCURRING, AT - 4_999), 1, False),
        (QueueMonitor(RECEIVES_OCCURRING, AT - 5_000), 1, True),
        (QueueMonitor(RECEIVES_OCCURRING, AT - 5_000), 2, False),
        (QueueMonitor(INACTIVE, AT - 10, AT - 5, AT - 999), 0, False),  # the last has failed just now
        (QueueMonitor(INACTIVE, AT - 10, AT - 5, AT - 1_000), 0, True),
    ],
)
def test_when_another_reader_is_wanted(monitor: QueueMonitor, readers: int, wanted: bool) -> None:
    assert is_wanted(monitor, readers, 2, AT) == wanted


# ---------------------------------------------------------------- from the first message to the last


def test_a_message_wakes_and_a_reader_takes_it_and_ends(world: World, moment: list[int]) -> None:
    world.activate()
    assert (world.start(), world.state()) == (0, INACTIVE)
    world.say(b"1", b"2")
    assert "brokerui.messaging.tasks.activate" in world.woken
    assert (world.start(), world.state()) == (1, NOTIFIED)
    assert (world.start(), activated_tasks()) == (0, [])  # one is on its way
    during: list[Any] = []
    procedures.steps.append(lambda: during.extend((world.state(), *activated_tasks())))
    world.run()
    assert procedures.seen == [b"1", b"2"]
    state, task = during
    assert (state, task[:3], task.procedure_name) == (RECEIVES_OCCURRING, PLACE, "dbo.Take")
    assert isinstance(task, ActivatedTaskRow)
    at = moment[0]
    assert queue_monitors() == [QueueMonitorRow(*PLACE, INACTIVE, at, at)]
    assert (world.start(), activated_tasks()) == (0, [])
    expected = [(ActivationSubclass.NOTIFIED, ""), (ActivationSubclass.STARTED, ""), (ActivationSubclass.ENDED, "")]
    assert world.reported == expected
    world.say(b"3")
    assert world.start() == 1
    world.run()
    assert procedures.seen == [b"1", b"2", b"3"]


def test_nothing_is_started_for_a_queue_without_activation(world: World) -> None:
    world.say(b"1")
    assert (world.start(), queue_monitors(), world.woken.count("brokerui.messaging.tasks.activate")) == (0, [], 0)
    for given in ({"enabled": False}, {"most": 0}):
        world.activate(**given)
        assert world.start() == 0, given
    assert world.reported == []


@pytest.mark.parametrize("procedure", ["dbo.Unlisted", "dbo.NotThere"])
def test_a_procedure_that_may_not_run_here_is_told_and_not_again_and_again(
    world: World, moment: list[int], procedure: str
) -> None:
    world.activate(procedure)
    assert (world.start(), world.reported) == (0, [])
    world.say(b"1")
    expected = (ActivationSubclass.FAILED_TO_START, "no Celery task of this name may run here")
    for seconds in (0, 5, 5):
        moment[0] += seconds * 1000
        assert (world.start(), world.reported) == (0, [expected])
    moment[0] += 30_000
    assert (world.start(), world.reported) == (0, [expected, expected])


def test_a_task_that_nobody_allowed_does_not_run_though_somebody_sent_it(world: World) -> None:
    world.activate("dbo.Unlisted")
    world.say(b"1")
    reserved = readers.reserve(PLACE, "dbo.Unlisted", 1)
    assert reserved is not None
    read(*PLACE, reserved.token, "dbo.Unlisted")
    assert procedures.seen == []


def test_a_task_of_an_estate_that_has_changed_does_not_run(world: World) -> None:
    world.activate()
    world.say(b"1")
    world.start()
    world.activate("dbo.Echo")
    world.run()
    assert (procedures.seen, activated_tasks()) == ([], [])


def test_an_instance_that_is_hosted_no_more_has_no_readers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.activate()
    world.say(b"1")
    world.start()

    def gone(instance: str) -> None:
        raise NotHostedError(instance)

    monkeypatch.setattr("brokerui.messaging.activation.reading.broker_of", gone)
    world.run()
    assert procedures.seen == []


# ---------------------------------------------------------------- how many


def test_another_reader_comes_every_five_seconds_while_the_queue_is_not_found_empty(
    world: World, moment: list[int]
) -> None:
    world.activate(most=3)
    world.say(*(b"%d" % number for number in range(9)))
    started: list[int] = []

    def meanwhile() -> None:
        for seconds in (4, 1, 4, 1, 9):
            moment[0] += seconds * 1000
            live(moment[0])
            started.append(world.start())

    assert world.start() == 1
    procedures.steps.append(meanwhile)
    world.run()
    assert started == [0, 1, 0, 1, 0]  # and no more than may be
    assert sorted(procedures.seen) == [b"%d" % number for number in range(9)]


def live(at: int) -> None:
    """All readers say that they live, those on their way too."""
    for member in readers.readers_of(PLACE):
        redis().zadd(readers._key(PLACE), {json.dumps(member): at + readers.RESERVED_MS})


def test_a_reader_that_was_lost_on_its_way_is_followed_by_another(world: World, moment: list[int]) -> None:
    world.activate()
    world.say(b"1")
    assert world.start() == 1
    lost = world.sent.pop()
    moment[0] += 29_000
    assert world.start() == 0
    moment[0] += 1_001
    assert world.start() == 1
    world.run()
    assert procedures.seen == [b"1"]
    read(**lost)  # it comes anyway, and has no place any more
    assert (procedures.seen, activated_tasks()) == ([b"1"], [])


def test_a_task_that_comes_twice_runs_once(world: World) -> None:
    world.activate("dbo.Idle")
    world.say(b"1")
    world.start()
    reserved = ActivatedTask(world.sent[0]["token"], "dbo.Idle")
    with readers.running(PLACE, reserved) as first, readers.running(PLACE, reserved) as second:
        assert (first is not None, second) == (True, None)
    assert readers.readers_of(PLACE) == []


def test_a_reader_that_was_killed_is_followed_by_another(world: World, moment: list[int]) -> None:
    world.activate()
    world.say(b"1")
    world.start()
    reserved = ActivatedTask(world.sent.pop()["token"], "dbo.Take")
    killed = readers.running(PLACE, reserved)
    killed.__enter__()
    message_receive(**PLACE._asdict(), top=0)
    assert world.start() == 0
    moment[0] += readers.ALIVE_MS + 20_000
    assert world.start() == 1
    killed.__exit__(None, None, None)


@pytest.mark.thorough("what readers say stands in Redis alone", on="postgresql")
def test_who_runs_says_so_again_and_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "SAID_SECONDS", 0.01)
    monkeypatch.setattr(readers, "ALIVE_MS", 1_500)
    reserved = readers.reserve(PLACE, "dbo.Take", 1)
    assert reserved is not None
    with readers.running(PLACE, reserved):
        time.sleep(2)  # longer than one sign of life counts
        assert [one.procedure for one in readers.readers_of(PLACE)] == ["dbo.Take"]
        assert readers.reserve(PLACE, "dbo.Take", 1) is None
    assert readers.readers_of(PLACE) == []


# ---------------------------------------------------------------- those that do not do their work


def test_a_task_that_raises_is_a_rollback_and_five_switch_the_queue_off(world: World, moment: list[int]) -> None:
    world.activate("dbo.Fail")
    world.say(b"poison")
    for _ in range(5):
        moment[0] += 1_000
        assert world.start() == 1
        world.run()
        assert world.start() == 0  # a failing reader is not started again at once
    assert world.reported.count((ActivationSubclass.ABORTED, "ValueError: ToQ")) == 5
    moment[0] += 60_000
    assert (world.start(), queue_monitors()) == (0, [])  # it is off: nothing is activated
    with pytest.raises(VerbError) as raised:
        message_receive(**PLACE._asdict())
    assert raised.value.number == 9617


def test_a_task_that_does_not_receive_is_started_again_only_after_a_while(world: World, moment: list[int]) -> None:
    """The product would wait for ever for a receive (28087)."""
    world.activate("dbo.Idle")
    world.say(b"1")
    assert world.start() == 1
    world.run()
    assert (world.start(), world.state()) == (0, NOTIFIED)
    moment[0] += 30_000
    assert world.start() == 1


@on_postgres  # on SQLite no reader looks while another transaction writes
def test_what_another_has_locked_starts_nobody(world: World) -> None:
    world.activate()
    world.say(b"1")
    started: list[int] = []

    def other() -> None:
        started.append(world.start())
        forget_brokers()
        connections.close_all()

    with transaction.atomic():
        if not message_receive(**PLACE._asdict()):
            raise AssertionError
        thread = Thread(target=other)
        thread.start()
        thread.join()
        transaction.set_rollback(True)
    assert started == [0]
    assert world.start() == 1


# ---------------------------------------------------------------- without Redis


def test_without_redis_nothing_is_started_and_nothing_else_is_hindered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.activate()

    def away() -> None:
        raise RedisError

    with monkeypatch.context() as broken:
        for module in (monitor_state, readers):
            broken.setattr(module, "redis", away)
        world.say(b"1")
        assert world.start() == 0
        assert (queue_monitors(), activated_tasks()) == ([QueueMonitorRow(*PLACE, INACTIVE, None, None)], [])
        assert message_receive(**PLACE._asdict(), top=0) == ()
    assert world.start() == 1


def test_without_workers_a_place_is_given_up(world: World) -> None:
    world.activate()
    world.say(b"1")
    world.is_away = True
    assert world.start() == 0
    world.is_away = False
    assert (readers.readers_of(PLACE), world.state(), world.start()) == ([], INACTIVE, 1)


# ---------------------------------------------------------------- settings


def test_names_without_a_task_are_told_at_the_start(settings: Any) -> None:
    settings.ACTIVATION_TASKS = []
    assert tasks_are_registered(None) == []
    settings.ACTIVATION_TASKS = ["dbo.Take", "dbo.NotThere"]
    (problem,) = tasks_are_registered(None)
    assert (problem.id, "dbo.NotThere" in problem.msg) == ("brokerui.E013", True)
