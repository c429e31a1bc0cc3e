"""The hosted instances of the demo: conversations end, waiting messages are bounded, and nothing outlives the demo."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.conf import settings as site
from django.utils import timezone

from brokerui.demo import playing
from brokerui.demo.hosted import BAKERY, BANK, BREAD, CAFE, FLOWERS, HOSTED, free_ports
from brokerui.demo.playing import play
from brokerui.demo.selectors import demo_plays
from brokerui.demo.services import demo_load
from brokerui.demo.tasks import demo_act
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from brokerui.messaging.broker_cache import forget_brokers, hosted_names
from brokerui.messaging.exchange import outbox
from brokerui.messaging.exchange.lists import put_arrived, run, take_outgoing
from brokerui.messaging.models import (
    ConversationEndpoint,
    HostedInstance,
    OutgoingMessage,
    QueueMessage,
)
from brokerui.messaging.store.postgres_pool import pool_of
from brokerui.messaging.workers.arrived_frames import process_arrived
from brokerui.messaging.workers.due_conversations import is_due, send_due
from routing.dialog.states import CD
from routing.lint.registry import lint
from routing.model.estate import Instance as Observed
from tests.brokerui.demo.helpers import demo_remove
from tests.brokerui.messaging.endpoint.conftest import client, one_valkey, valkey
from tests.brokerui.messaging.endpoint.valkey import Valkey

__all__ = ["client", "one_valkey", "valkey"]


@pytest.fixture
def demo(transactional_db: Any, valkey: Valkey, settings: Any) -> Iterator[None]:
    """Loaded, with a Valkey that carries frames, and no worker but the test."""
    settings.REDIS_URL = valkey.url
    settings.CELERY_BROKER_URL = ""
    demo_load()
    yield
    forget_brokers()
    outbox.redis().close()
    pool_of("default").close()


def carry() -> None:
    """Workers and endpoints do all that there is to do now."""
    instances = estate_current().estate.instances
    addresses = {instances[name].addresses[0].key: name for name in HOSTED}
    passed = True
    while passed:
        list(map(send_due, HOSTED))
        passed = False
        for sender in HOSTED:
            for address, receiver in addresses.items():
                frames = run(outbox.redis(), take_outgoing(sender, address, 1 << 30))
                run(outbox.redis(), put_arrived(receiver, frames))
                passed = passed or bool(frames)
        for name in HOSTED:
            process_arrived(name, range(site.ENDPOINT_SHARDS))


def test_orders_are_answered_and_ended_by_both(demo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "STUCK_CHANCE", 0)
    for _ in range(3):
        play()
        carry()
    monkeypatch.setattr(playing, "ORDERS", 0)
    for _ in range(3):
        play()
        carry()
    left = ConversationEndpoint.objects.all()
    assert {(one.instance.name, one.state) for one in left} == {(BAKERY, CD)}, "only what a copy could begin anew"
    assert len(left) == 24
    assert not OutgoingMessage.objects.exists()
    assert not QueueMessage.objects.exists()


def test_what_is_stuck_is_so_on_purpose_and_is_bounded(demo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "STUCK_CHANCE", 1.0)
    monkeypatch.setattr(playing, "STUCK", {FLOWERS: 2, BANK: 1})
    for _ in range(4):
        play()
        carry()
    stuck = ConversationEndpoint.objects.filter(instance__name=CAFE).exclude(far_service=BREAD)
    assert sorted(stuck.values_list("far_service", "transmission_status")) == [
        (BANK, 9727),
        (FLOWERS, 9793),
        (FLOWERS, 9793),
    ]


def test_the_cafe_waits_while_the_bakery_is_away(demo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "OPEN", 10)
    for _ in range(5):
        play()
    assert ConversationEndpoint.objects.filter(far_service=BREAD).count() == 2 * playing.ORDERS


def test_it_stands_still_where_the_demo_is_off(demo: None, settings: Any) -> None:
    settings.DEMO = False
    demo_act()
    assert not ConversationEndpoint.objects.exists()
    settings.DEMO = True
    demo_act()
    assert ConversationEndpoint.objects.exists()


def test_a_users_instance_of_the_same_name_is_left_alone(demo: None) -> None:
    estate_import(estate=estate_current().estate, author="me", imported=[CAFE])
    assert not demo_plays()
    demo_act()
    assert not ConversationEndpoint.objects.exists()


def test_nothing_outlives_the_demo(demo: None) -> None:
    for _ in range(2):
        demo_act()
        carry()
    run(outbox.redis(), put_arrived(BAKERY, []))
    demo_remove(author="me")
    for _ in range(2):
        demo_act()
    assert not HostedInstance.objects.exists()
    assert not ConversationEndpoint.objects.exists()
    assert not OutgoingMessage.objects.exists()
    assert hosted_names() == ()


def test_workers_in_the_middle_of_it_have_nothing_to_do_any_more(demo: None) -> None:
    demo_act()
    send_due(CAFE)  # its broker is known from now on
    demo_remove(author="me")
    assert not send_due(CAFE)
    assert not is_due(CAFE)
    assert not process_arrived(CAFE, [0])


def test_what_others_host_is_not_cleared_away(demo: None) -> None:
    estate_import(estate=estate_current().estate.with_instance(Observed("mine")), author="me", imported=["mine"])
    Instance.objects.filter(name="mine").update(hosted=True)
    HostedInstance.objects.create(name="mine")
    demo_remove(author="me")
    for _ in range(2):
        demo_act()
    assert list(HostedInstance.objects.values_list("name", flat=True)) == ["mine"]


def test_ports_are_free_and_stay_so(db: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ports = free_ports(40)
        assert len(set(ports)) == 40
        assert taken.getsockname()[1] not in ports
    demo_load()
    first = [estate_current().estate.instances[name].addresses for name in HOSTED]
    assert demo_load() is False
    assert [estate_current().estate.instances[name].addresses for name in HOSTED] == first
    assert len({address.key for address in chain(*first)}) == len(HOSTED)


def test_no_ports_at_all_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerui.demo.hosted._is_free", lambda port, held: False)
    with pytest.raises(OSError, match="no 3 free ports"):
        free_ports(3)


def test_an_instance_that_runs_here_has_an_endpoint(demo: None) -> None:
    found = lint(estate_current().estate, timezone.now())
    assert {finding.code for finding in found if finding.instance in HOSTED} == {"leads-nowhere", "no-autocreatedlocal"}
