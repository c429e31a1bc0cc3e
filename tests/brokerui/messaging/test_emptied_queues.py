"""A reader that has just emptied a queue waits for the next notification before it asks; any other asks first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import transaction

from brokerui.messaging import emptied_queues, services
from brokerui.messaging.exchange import outbox, queue_notify
from brokerui.messaging.queue_address import QueueAddress
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, receive, send

HERE = QueueAddress("B", "two", "ToQ")
pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("lists"),
]


@pytest.fixture(autouse=True)
def nothing_emptied() -> None:
    emptied_queues.taken(HERE)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a reader does, in its order: it asks, or waits."""
    done: list[str] = []

    def noted(step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*words: Any) -> Any:
            done.append(step)
            return function(*words)

        return run

    monkeypatch.setattr(services, "_received", noted("asks", services._received))
    hear = queue_notify.wait_for_notification
    monkeypatch.setattr("brokerui.messaging.waiting.wait_for_notification", noted("waits", hear))
    return done


def come(wire: Wire, *handles: str) -> None:
    """A message in each conversation, one commit after the other."""
    for handle in handles:
        send(handle, b"1")
        wire.carry()


def test_one_claim_finds_the_next_message_of_an_emptied_queue(wire: Wire, steps: list[str]) -> None:
    handle = begin()
    come(wire, handle)
    assert len(receive(wait_s=60)) == 1
    hear(HERE)
    del steps[:]
    come(wire, handle)
    assert len(receive(wait_s=60)) == 1
    assert steps == ["waits", "asks"]


def hear(place: QueueAddress) -> None:
    """Take the notification of a message that was received without it."""
    assert outbox.redis().delete(queue_notify._bell(place)) == 1


def test_where_messages_are_left_the_reader_asks_at_once(wire: Wire, steps: list[str]) -> None:
    come(wire, begin(), begin())
    assert len(receive()) == 1
    hear(HERE)
    assert len(receive(wait_s=60)) == 1
    assert steps == ["asks", "asks"]


def test_where_messages_of_the_same_group_are_left_the_reader_asks_at_once(wire: Wire, steps: list[str]) -> None:
    handle = begin()
    come(wire, handle, handle)
    assert len(receive(top=1)) == 1
    hear(HERE)
    assert len(receive(top=1, wait_s=60)) == 1
    assert steps == ["asks", "asks"]


def test_messages_that_are_rolled_back_are_found_at_once(wire: Wire, steps: list[str]) -> None:
    come(wire, begin())
    hear(HERE)
    for _ in range(2):
        with suppress(KeyError), transaction.atomic():
            assert len(receive(wait_s=60)) == 1
            raise KeyError
    assert steps == ["asks", "asks"]


def test_who_asks_again_knows_no_more_of_the_queue(wire: Wire, steps: list[str]) -> None:
    """What another receive of the same thread finds and gives back stands in the queue."""
    handle = begin()
    come(wire, handle)
    assert len(receive()) == 1
    come(wire, handle)
    with suppress(KeyError), transaction.atomic():
        assert len(receive()) == 1
        raise KeyError
    hear(HERE)
    assert len(receive(wait_s=60)) == 1
    assert steps == ["asks", "asks", "asks"]


def test_a_lost_notification_costs_a_poll(wire: Wire, steps: list[str]) -> None:
    handle = begin()
    come(wire, handle)
    assert len(receive()) == 1
    come(wire, handle)
    hear(HERE)
    assert len(receive(wait_s=60)) == 1
    assert steps == ["asks", "waits", "asks"]


def test_after_a_while_a_reader_asks_first(wire: Wire, steps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Notifications last for ten seconds."""
    come(wire, begin())
    assert len(receive()) == 1
    monkeypatch.setattr(emptied_queues, "SECONDS", 0.0)
    assert receive(wait_s=0.2) == ()
    assert steps[:3] == ["asks", "asks", "waits"]


def test_a_reader_that_does_not_wait_asks(wire: Wire, steps: list[str]) -> None:
    come(wire, begin())
    assert (len(receive()), receive()) == (1, ())
    assert steps == ["asks", "asks"]
