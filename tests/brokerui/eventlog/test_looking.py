"""Samples of each minute, and events of brokers and endpoints, over real tables and lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from redis import Redis

from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit
from brokerui.eventlog.collecting import collect
from brokerui.eventlog.models import EventCount, ExceptionalEvent, Sampled
from brokerui.eventlog.recording import recorder
from brokerui.eventlog.samples import OfSample, Sample
from brokerui.eventlog.sampling import looked_at
from brokerui.eventlog.tasks import events_collect, events_sample, events_tidy
from brokerui.messaging import services
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.lists import put_events, run
from brokerui.messaging.exchange.messages import EndpointMessage
from brokerui.messaging.models import HostedInstance, MirroredRoute, QueueCounter, QueueMessage
from brokerui.messaging.store.numbers import queue_number
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from routing.common.network_events import AuditBrokerLogin, BrokerConnection
from routing.mirror.state_machine import ASKING, SENDING
from routing.model.edits import PutDatabase
from tests.brokerui.eventlog.test_files import rows
from tests.brokerui.messaging.hosted import Wire

pytestmark = pytest.mark.both_databases


def begun(to: str = "To") -> str:
    return services.conversation_begin(
        instance="A", database="one", from_service="From", to_service=to, encryption=False
    ).conversation_handle


def send(handle: str, *bodies: bytes) -> None:
    services.conversation_send(instance="A", handles=[handle], messages=[services.Message(body) for body in bodies])


def of(kind: OfSample, samples: list[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.subclass == kind]


def test_depth_and_age_of_queues_and_transmission_queues(wire: Wire) -> None:
    before = now()
    send(begun(), b"0", b"1", b"2")
    at = now()
    found = looked_at(at)
    (waiting,) = [one for one in of(OfSample.TRANSMISSION_QUEUE, found["A"]) if one.depth]
    assert (waiting.database, waiting.depth) == ("one", 3)
    assert 0 <= (waiting.oldest_age_ms or 0) <= at - before
    assert of(OfSample.WAITING_CONVERSATIONS, found["A"])[0][:5] == (3, "one", "", 0, 1)
    wire.carry()
    at = now()
    found = looked_at(at + 1_000)
    assert [one.depth for one in of(OfSample.TRANSMISSION_QUEUE, found["A"])] == [0, 0]
    assert of(OfSample.WAITING_CONVERSATIONS, found["A"]) == []
    (queue,) = of(OfSample.QUEUE, found["B"])
    assert (queue.database, queue.queue, queue.depth) == ("two", "ToQ", 3)
    assert 1_000 <= (queue.oldest_age_ms or 0) <= at + 1_000 - before
    services.message_receive(instance="B", database="two", queue="ToQ")
    (queue,) = of(OfSample.QUEUE, looked_at(now())["B"])
    assert (queue.depth, queue.oldest_age_ms) == (0, None)


def test_conversations_that_wait_are_counted_by_cause(wire: Wire) -> None:
    for to in ("Nobody", "Nowhere", "To"):
        send(begun(to), b"x")
    wire.is_cut = True
    wire.carry()
    found = of(OfSample.WAITING_CONVERSATIONS, looked_at(now())["A"])
    assert [(one.database, one.error, one.depth) for one in found] == [("one", 0, 1), ("one", 9796, 2)]


def test_messages_for_a_queue_that_is_off_wait_in_the_transmission_queue_of_its_database(wire: Wire) -> None:
    before = now()
    one, other = begun(), begun()
    send(one, b"first")
    services.conversation_send(instance="A", handles=[other], messages=[services.Message(b"x" * 100_000)])
    queue = {"instance": "B", "database": "two", "queue": "ToQ"}
    services.queue_set_status(**queue, is_on=False)
    wire.carry()
    send(one, b"second")
    wire.carry()
    (sample,) = [one for one in of(OfSample.TRANSMISSION_QUEUE, looked_at(now() + 1_000)["B"]) if one.database == "two"]
    assert sample.depth == 3, "of one message there are several fragments"
    assert 1_000 <= (sample.oldest_age_ms or 0) <= now() + 1_000 - before
    services.queue_set_status(**queue, is_on=True)
    wire.carry()
    assert {(one.depth, one.oldest_age_ms) for one in of(OfSample.TRANSMISSION_QUEUE, looked_at(now())["B"])} == {
        (0, None)
    }


def test_roles_of_mirrored_databases_and_routes(wire: Wire) -> None:
    live = estate_current()
    one = live.estate.instances["A"].databases["one"]
    edit = PutDatabase("A", replace(one, mirroring_role="PRINCIPAL"))
    estate_edit(edits=(edit,), base_version=live_version(), author="test", note="")
    here, _ = HostedInstance.objects.get_or_create(name="A")
    given: dict[str, Any] = {"address": "tcp://p:4022", "mirror_address": "tcp://m:4022", "rounds": 0, "claimed_at": 0}
    for service, phase in (("S", SENDING), ("T", ASKING)):
        MirroredRoute.objects.create(instance=here, service=service, identifier="", phase=phase, principal=1, **given)
    found = looked_at(now())["A"]
    assert [(role.database, role.role) for role in of(OfSample.MIRRORING_ROLE, found)] == [("one", "PRINCIPAL")]
    assert [(one.service, one.principal) for one in of(OfSample.MIRRORED_ROUTE, found)] == [
        ("S", "tcp://m:4022"),
        ("T", ""),
    ]


def test_what_is_no_longer_hosted_is_not_looked_at(wire: Wire) -> None:
    send(begun(), b"x")
    Instance.objects.filter(name="A").update(hosted=False)
    assert set(looked_at(now())) <= {"B"}


def test_a_message_from_send_to_receive_is_in_the_counters_and_in_the_log(wire: Wire, folder: Path) -> None:
    send(begun(), b"first", b"second!")
    wire.carry()
    services.message_receive(instance="B", database="two", queue="ToQ")
    events_sample()
    recorder.close()
    events_collect()
    sums = {
        (row.instance, row.event_class, row.event_subclass): (row.messages, row.bytes)
        for row in EventCount.objects.all()
    }
    assert sums["A", 124, 1] == sums["B", 124, 6] == sums["A", 1001, 1] == sums["B", 1002, 0] == (2, 12)
    assert {row.kind for row in Sampled.objects.all()} == {1, 2, 6, 7}
    found = rows(folder)
    by_event = {(row["instance"], row["event_class"], row["event_subclass"]): row for row in found}
    sent, left, came = by_event["A", 124, 1], by_event["A", 1001, 1], by_event["B", 124, 6]
    received, heard = by_event["B", 1002, None], by_event["A", 149, 4]
    assert sent["at"] <= left["at"] <= came["at"] <= received["at"]
    assert left["enqueued_at"] == sent["at"]
    assert (left["route"], left["next_hop"]) == ("to", "tcp://b.example:4022")
    assert (heard["from_initiator"], heard["message_sequence_number"]) == (True, 1)
    assert received["conversation_handle"] == came["conversation_handle"]
    assert {row["event_subclass"] for row in found if row["event_class"] == 1004} == {1, 2}


def test_a_send_that_is_rolled_back_is_not_told(wire: Wire) -> None:
    handle = begun()
    with transaction.atomic():
        send(handle, b"x")
        transaction.set_rollback(True)
    recorder.flush()
    assert not EventCount.objects.filter(event_class=124, event_subclass=1).exists()


def test_what_endpoints_tell_comes_into_the_same_books(wire: Wire, client: Redis) -> None:
    failed = BrokerConnection(ConnectionSubclass.CONNECT_FAILED, "", "tcp://b:4022", "refused")
    login = AuditBrokerLogin(LoginSubclass.LOGIN_SUCCESS, "i", "tcp://b:4022", "B", "", "")
    run(
        client,
        put_events(
            [EndpointMessage("A", 1_900_000_000_000, failed)] * 1_500 + [EndpointMessage("B", 1_900_000_000_000, login)]
        ),
    )
    assert collect() == 1_501
    assert collect() == 0
    recorder.flush()
    assert {(row.instance, row.event_class, row.event_subclass): row.events for row in EventCount.objects.all()} == {
        ("A", 138, 3): 1_500,
        ("B", 159, 1): 1,
    }
    (row,) = ExceptionalEvent.objects.all()
    assert (row.occurrences, row.address, row.text_data) == (1_500, "tcp://b:4022", "refused")


@pytest.mark.django_db(transaction=True)
def test_without_redis_collecting_and_publishing_go_on(settings: Any, folder: Path) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    folder.parent.mkdir(exist_ok=True)
    events_collect()
    events_tidy()


@pytest.mark.parametrize("oldest", [1, 5, 9])
def test_the_oldest_message_is_found_whatever_its_priority(wire: Wire, oldest: int) -> None:
    here, _ = HostedInstance.objects.get_or_create(name="B")
    number = queue_number(here.pk, ("two", "ToQ"))
    QueueCounter.objects.create(queue_number=number, slot=0, instance=here, database="two", queue="ToQ", messages=6)
    order = [oldest, *(priority for priority in (9, 5, 1) if priority != oldest)] * 2
    for place, priority in enumerate(order):
        named = dict.fromkeys(("conversation_group_id", "conversation_handle", "service_name"), f"{place}")
        named |= {"service_contract_name": "C", "message_type_name": "T", "validation": "N"}
        numbers = {"status": 1, "rank": 2, "message_sequence_number": place, "message_enqueue_time": 1_000 + place}
        QueueMessage.objects.create(instance=here, queue_number=number, priority=priority, **named, **numbers)
    (queue,) = of(OfSample.QUEUE, looked_at(5_000)["B"])
    assert (queue.depth, queue.oldest_age_ms) == (6, 4_000)
