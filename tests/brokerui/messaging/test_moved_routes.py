"""Messages between two hosted instances while drafts move their route and are rolled back: once each, in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from threading import Event, Thread

import pytest
from django.db import connection

from brokerui.analysis.confirmation.tasks import confirmations_look
from brokerui.changes.applying import Confirmation, draft_apply, draft_roll_back
from brokerui.changes.models import DraftState, SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.changes.services import draft_create
from brokerui.estate.cache import estates
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from brokerui.messaging.models import OutgoingMessage
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.documents.estate_document import read_estate, write_estate
from routing.model.address import parse_address
from routing.model.edits import DropRoute, PutRoute, SetForwarding
from routing.model.estate import Edit
from routing.model.route import Route
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire
from tests.brokerui.messaging.test_services import begin, receive, send, time

__all__ = ["time"]
pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

OTHER = "tcp://b2.example:4022"
"""Where B listens too."""
NOWHERE = "tcp://nobody.example:4022"
MOVES = 4
IN_A_STEP = 3
"""Messages that are sent between two steps of a draft."""
PAUSE_S = 0.005
"""Between two messages of an application that sends all the while: without it a thousand wait for a lost route, and the
work grows with their square."""
STORM = 6
"""Conversations of a storm."""
RETRY_MS = 70_000
"""More than the longest time between two attempts."""


@pytest.fixture
def wires(lists: None) -> tuple[Wire, Wire]:
    """A and B, hosted here; B listens at two addresses, and each has a wire."""
    document = json.loads(json.dumps(DOCUMENT))
    document["instances"][1]["addresses"].append(OTHER)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    Instance.objects.update(hosted=True)
    return Wire(), Wire(ADDRESSES | {"B": OTHER})


def moved(address: str) -> SavedDraft:
    """The route of A leads to this address, by a draft that is applied; workers follow."""
    route = Route("to", "To", None, None, parse_address(address))
    draft = draft_create(name="move", author="ada", edits=[PutRoute("A", "one", route)])
    draft = draft_apply(number=draft.id, revision=draft.revision, author="ada")
    follow()
    return draft


def moved_back(draft: SavedDraft) -> None:
    draft_roll_back(number=draft.id, revision=draft.revision, author="ada")
    follow()


def follow() -> None:
    for name in ADDRESSES:
        follow_estate(name)


def live_document() -> str:
    estates.clear()
    return write_estate(estate_current().estate)


def received() -> list[bytes | None]:
    """All that the queue has: a receive gives the messages of one conversation group."""
    found: list[bytes | None] = []
    while messages := receive():
        found += [message.message_body for message in messages]
    return found


def drained(wires: tuple[Wire, Wire], time: list[int]) -> list[bytes | None]:
    """What arrives until nothing is unacknowledged any more."""
    found: list[bytes | None] = []
    for _ in range(8):
        for wire in wires:
            wire.carry()
        found += received()
        time[0] += RETRY_MS
    assert not OutgoingMessage.objects.exists(), "all are acknowledged"
    return found


def numbered(count: Iterator[int]) -> list[bytes]:
    return [b"%d" % next(count) for _ in range(IN_A_STEP)]


@pytest.mark.parametrize("address", [OTHER, NOWHERE])
@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "losing"])
def test_messages_that_are_on_their_way_when_the_route_moves(
    wires: tuple[Wire, Wire], time: list[int], address: str, is_cut: bool
) -> None:
    """Frames to the old address are still in the list when those to the new one arrive, or are lost."""
    direct, other = wires
    handle, before, count = begin(), live_document(), iter(range(10_000))
    arrived: list[bytes | None] = []
    for _ in range(MOVES):
        send(handle, *numbered(count))
        draft = moved(address)
        send(handle, *numbered(count))
        other.carry()
        arrived += received()
        moved_back(draft)
        assert live_document() == before
        send(handle, *numbered(count))
        direct.is_cut = is_cut
        direct.carry()
        direct.is_cut = False
        arrived += received()
    every = [b"%d" % number for number in range(3 * IN_A_STEP * MOVES)]
    assert (arrived == every) == (not is_cut), "what waited leaves when the route is back, before its next attempt"
    arrived += drained(wires, time)
    assert (direct.lost > 0) == is_cut
    assert arrived == every


@pytest.mark.skipif(connection.vendor == "sqlite", reason="of PostgreSQL: SQLite in memory is of one thread")
def test_an_application_that_sends_all_the_while(wires: tuple[Wire, Wire], time: list[int]) -> None:
    """In a thread and transactions of its own."""
    handle, before = begin(), live_document()
    sent, arrived = list[bytes](), list[bytes | None]()
    failures, is_over = list[Exception](), Event()

    def sends() -> None:
        try:
            while not is_over.wait(PAUSE_S):
                send(handle, b"%d" % len(sent))
                sent.append(b"%d" % len(sent))
        except Exception as error:  # noqa: BLE001 - the test looks at it
            failures.append(error)
        finally:
            connection.close()

    sender, counts = Thread(target=sends, daemon=True), list[int]()
    sender.start()
    for address in (OTHER, NOWHERE) * (MOVES // 2):
        draft = moved(address)
        wires[1].carry()
        arrived += received()
        moved_back(draft)
        wires[0].carry()
        arrived += received()
        counts.append(len(sent))
    is_over.set()
    sender.join()
    arrived += drained(wires, time)
    assert failures == []
    assert len(set(counts)) > 1, "it sent while the route was moved"
    assert arrived == sent
    assert live_document() == before


@pytest.mark.parametrize(
    ("edit", "limits", "why"),
    [
        (DropRoute("A", "one", "to"), {"delayed_limit": STORM - 1}, f"delayed conversations: {STORM}; the limit is"),
        (SetForwarding("B", forwarding=True), {"depth_limit": STORM}, "messages in one queue: "),
    ],
    ids=["the way is broken", "nobody receives"],
)
def test_a_storm_that_crosses_a_limit_rolls_the_draft_back_and_every_message_arrives_once(
    wires: tuple[Wire, Wire], time: list[int], edit: Edit, limits: dict[str, int], why: str
) -> None:
    """What the beat runs looks again and again, as in a deployment; nobody confirms, and nobody presses a button."""
    wire, before = wires[0], live_document()
    handles = [begin() for _ in range(STORM)]
    storm(handles, 0)
    wire.carry()
    draft = draft_create(name="bold", author="ada", edits=[edit])
    draft = draft_apply(
        number=draft.id,
        revision=draft.revision,
        author="ada",
        confirmation=Confirmation(timedelta(minutes=5), **limits),
    )
    follow()
    arrived = received()
    confirmations_look()
    assert draft_get(draft.id).state == DraftState.APPLIED, "no limit is crossed yet"
    for turn in range(1, STORM):
        storm(handles, turn)
        wire.carry()
        confirmations_look()
        if draft_get(draft.id).state != DraftState.APPLIED:
            break
        time[0] += RETRY_MS
    assert draft_get(draft.id).state == DraftState.ROLLED_BACK
    entry = draft_get(draft.id).review.get(action="roll_back")
    assert (entry.author, entry.text.startswith(why)) == ("brokerui", True)
    assert live_document() == before
    follow()
    arrived += drained(wires, time)
    sent = [b"%d of %d" % (number, conversation) for number in range(turn + 1) for conversation in range(STORM)]
    assert sorted(map(bytes, arrived)) == sorted(sent)


def storm(handles: list[str], turn: int) -> None:
    """A message of each conversation, which says the turn and its conversation."""
    for number, handle in enumerate(handles):
        send(handle, b"%d of %d" % (turn, number))
