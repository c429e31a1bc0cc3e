"""Failover of a mirrored pair of hosted instances: roles, and all that the database holds, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction

from brokerui.estate.models import AuditEntry, Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from brokerui.messaging import clock
from brokerui.messaging.broker_cache import broker_of, forget_brokers
from brokerui.messaging.errors import (
    BusyError,
    MessagingError,
    NoSuchDatabaseError,
    NotHostedError,
    PartnerElsewhereError,
)
from brokerui.messaging.keys.selectors import keys_of, public_of
from brokerui.messaging.keys.services import key_make, peer_take
from brokerui.messaging.leases.models import Lease
from brokerui.messaging.leases.services import lease_commit, lease_make, lease_roll_back
from brokerui.messaging.models import (
    ConversationEndpoint,
    ConversationGroup,
    HeldFragment,
    HostedInstance,
    OutgoingMessage,
    Queue,
    QueueCounter,
    QueueMessage,
    RetainedMessage,
    RouteRequest,
    TransmissionObject,
)
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_end,
    conversation_send,
    database_fail_over,
    message_receive,
    queue_set_status,
)
from brokerui.messaging.store import moving
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.dialog.batch import ReceiveRequest
from routing.dialog.problems import VerbError
from routing.documents.estate_document import read_estate
from routing.model.estate import MIRROR, PRINCIPAL
from routing.runtime.store import QueueDepth
from tests.brokerui.cli.command_line import call_with, refused
from tests.brokerui.messaging.hosted import LOCAL, ONE, TWO, WORKERS, Wire
from tests.brokerui.product import STOP_SECONDS

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
ADDRESSES = {name: f"tcp://{name.lower()}.example:4022" for name in "ABC"}
FAILOVERS = 6
TABLES = (
    *(ConversationEndpoint, ConversationGroup, HeldFragment, OutgoingMessage),
    *(Queue, QueueCounter, QueueMessage, RetainedMessage, RouteRequest, TransmissionObject),
)


def instance(name: str, *databases: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "addresses": [ADDRESSES[name]],
        "databases": [*databases, {"name": "msdb", "routes": [LOCAL]}],
    }


def pair(role: str) -> dict[str, Any]:
    """Database `pair`, whose service To answers to From."""
    services = [{"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}]
    back = {"name": "back", "remote_service_name": "From", "address": ADDRESSES["C"]}
    queues = [{"name": "ToQ", "retention": True}]
    about = {"name": "pair", "broker_instance": TWO, "mirroring_role": role}
    return {**about, "services": services, "queues": queues, "routes": [back]}


def host() -> None:
    mirrored = {"name": "to", "remote_service_name": "To", "broker_instance": TWO}
    to = {**mirrored, "address": ADDRESSES["A"], "mirror_address": ADDRESSES["B"]}
    services = [{"name": "From", "queue": "FromQ"}]
    one = {"name": "one", "broker_instance": ONE, "services": services, "routes": [to]}
    instances = [instance("A", pair(PRINCIPAL)), instance("B", pair(MIRROR)), instance("C", one)]
    document = {"format": "brokerui.estate/1", "instances": instances}
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    Instance.objects.update(hosted=True)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The moment that workers and verbs see: its only number."""
    moment = [clock.now()]
    for module in (*WORKERS, "exchange.unreachable", "verbs.transactions", "verbs.taking"):
        monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda: moment[0])
    return moment


@pytest.fixture
def wire(lists: None, time: list[int]) -> Wire:
    """Instances A and B, which mirror each other, and C, from where it is spoken to them."""
    host()
    return Wire(ADDRESSES)


def begin() -> str:
    return conversation_begin(
        instance="C", database="one", from_service="From", to_service="To", encryption=False
    ).conversation_handle


def send(handle: str, *bodies: bytes, by: str = "C") -> None:
    conversation_send(instance=by, handles=[handle], messages=[Message(body) for body in bodies])


def bodies(by: str) -> list[bytes | None]:
    queue = ("one", "FromQ") if by == "C" else ("pair", "ToQ")
    return [each.message_body for each in message_receive(instance=by, database=queue[0], queue=queue[1])]


def settle(wire: Wire, time: list[int], seconds: int = 150) -> None:
    """The estate is followed, and two retry periods and more go by."""
    for name in ADDRESSES:
        follow_estate(name)
    wire.carry()
    for _ in range(seconds // 5):
        time[0] += 5_000
        wire.carry()


def roles() -> dict[str, str | None]:
    instances = estate_current().estate.instances
    return {name: instances[name].databases["pair"].mirroring_role for name in "AB"}


def held() -> dict[str, list[Any]]:
    """All rows of all tables, those of instances by their names."""
    names = dict(HostedInstance.objects.values_list("id", "name"))
    rows: dict[str, list[Any]] = {}
    for table in TABLES:
        columns = sorted(field.name for field in table._meta.concrete_fields)
        found = table._default_manager.values(*columns)
        rows[table.__name__] = sorted([names[row["instance"]], repr(row)] for row in found)
    return rows


# ---------------------------------------------------------------- what goes over


def test_conversations_go_on_with_the_partner_and_nothing_is_lost_or_doubled(wire: Wire, time: list[int]) -> None:
    """MIR-2, MIR-3: the partner claims the role, and gets everything from then on."""
    handle = begin()
    send(handle, b"1", b"2")
    settle(wire, time)
    (first,) = message_receive(instance="A", database="pair", queue="ToQ", top=1)
    send(first.conversation_handle, b"answer", by="A")  # in the transmission queue as it goes over
    assert database_fail_over(instance="A", database="pair", author="me") == ("B", "A")
    assert roles() == {"A": MIRROR, "B": PRINCIPAL}
    send(handle, b"3")
    settle(wire, time)
    assert (bodies("B"), bodies("C")) == ([b"2", b"3"], [b"answer"])
    with pytest.raises(VerbError) as raised:
        bodies("A")
    assert raised.value.number == 954
    conversation_end(instance="B", handle=first.conversation_handle)
    settle(wire, time)
    (end,) = message_receive(instance="C", database="one", queue="FromQ")
    assert end.message_type_name.endswith("EndDialog")
    entry = AuditEntry.objects.order_by("-id")[0]
    assert (entry.author, entry.note) == ("me", "pair: failover between A and B")


def test_failed_over_twice_it_is_as_before(wire: Wire, time: list[int]) -> None:
    handles = [begin() for _ in range(3)]
    for number, handle in enumerate(handles):
        send(handle, b"%d" % number, bytes(100_000))
    settle(wire, time)
    there = message_receive(instance="A", database="pair", queue="ToQ")[0].conversation_handle
    wire.is_cut = True
    send(there, b"answer", by="A")
    queue_set_status(instance="A", database="pair", queue="ToQ", is_on=False)
    wire.carry()
    before, estate = held(), estate_current().estate
    for _ in range(2):
        database_fail_over(instance="A", database="pair")
    assert held() == before
    assert estate_current().estate == estate
    wire.is_cut = False
    queue_set_status(instance="A", database="pair", queue="ToQ", is_on=True)
    send(handles[1], b"last")
    settle(wire, time)
    # Which conversation was received before is open: the last message is the third of one, or the only one left.
    sizes = [[len(body or b"") for body in bodies("A")] for _ in range(3)]
    assert sorted(sizes) in ([[], [1, 100_000], [1, 100_000, 4]], [[1, 100_000], [1, 100_000], [4]])
    assert bodies("C") == [b"answer"]


def test_counts_and_states_of_queues_go_over(wire: Wire, time: list[int]) -> None:
    send(begin(), b"1", b"2")
    settle(wire, time)
    queue_set_status(instance="A", database="pair", queue="ToQ", is_on=False)
    database_fail_over(instance="B", database="pair")
    key = ("pair", "ToQ")
    depths = [broker_of(name).store.depth(key) for name in "AB"]
    assert (depths[0], depths[1].messages) == (QueueDepth(0, None), 2)
    with pytest.raises(VerbError) as raised:
        bodies("B")
    assert raised.value.number == 9617
    queue_set_status(instance="B", database="pair", queue="ToQ", is_on=True)
    assert bodies("B") == [b"1", b"2"]
    assert broker_of("B").store.depth(key) == QueueDepth(0, None)


def test_what_comes_in_parts_goes_on_where_it_was(wire: Wire, time: list[int]) -> None:
    """FRAG-3: the received fragments of a message are kept, and the rest goes to the partner."""
    handle = begin()
    send(handle, b"1")
    settle(wire, time)
    large = bytes(range(256)) * 16_000
    send(handle, large)
    for _ in range(3):
        wire._carry_once()  # some of its fragments, and not all
        if HeldFragment.objects.exists():
            break
    held_there = HeldFragment.objects.count()
    assert held_there
    database_fail_over(instance="A", database="pair")
    names = dict(HostedInstance.objects.values_list("name", "id"))
    assert HeldFragment.objects.filter(instance=names["B"]).count() == held_there
    settle(wire, time)
    assert bodies("B") == [b"1", large]


def test_both_partners_may_hold_something(wire: Wire, time: list[int]) -> None:
    """As where somebody has edited the roles by hand."""
    send(begin(), b"1")
    settle(wire, time)
    ids = [HostedInstance.objects.get_or_create(name=name)[0].id for name in "AB"]
    with transaction.atomic():
        moving.exchange("pair", *ids)
    queue_set_status(instance="A", database="pair", queue="ToQ", is_on=False)
    before = held()
    with transaction.atomic():
        moving.exchange("pair", *ids)
    assert held() != before
    with transaction.atomic():
        moving.exchange("pair", *ids)
    assert held() == before


def test_its_keys_go_over_too(wire: Wire) -> None:
    public = key_make(instance="A", database="pair", author="test")
    peer_take(instance="A", database="pair", service="From", public=public, author="test")
    peer_take(instance="A", database="pair", service="", public=public, author="test")
    before = keys_of("A")["pair"]
    database_fail_over(instance="A", database="pair")
    assert (keys_of("A"), keys_of("B")["pair"]) == ({}, before)
    other = key_make(instance="A", database="pair", author="test")
    database_fail_over(instance="A", database="pair")
    assert (keys_of("A")["pair"], public_of("B", "pair")) == (before, other)


def leased() -> str:
    """The receipt of a message in the pair's queue."""
    made = lease_make(instance="A", request=ReceiveRequest(("pair", "ToQ")), owner="me", lease_ms=3_600_000)
    assert made is not None
    return made.receipt


def test_leases_go_over_and_are_committed_there(wire: Wire, time: list[int]) -> None:
    send(begin(), b"1", b"2")
    settle(wire, time)
    receipt = leased()
    database_fail_over(instance="A", database="pair")
    assert bodies("B") == [], "it is still handed out"
    assert lease_commit(receipt=receipt, owner="me") == 2
    assert bodies("B") == []
    database_fail_over(instance="A", database="pair")
    assert lease_commit(receipt=receipt, owner="me") == 2, "answered as it was"
    assert bodies("A") == []


def test_leases_go_there_and_back_and_are_rolled_back(wire: Wire, time: list[int]) -> None:
    send(begin(), b"1")
    settle(wire, time)
    receipt = leased()
    database_fail_over(instance="A", database="pair")
    database_fail_over(instance="A", database="pair")
    assert bodies("A") == []
    lease_roll_back(receipt=receipt, owner="me")
    assert bodies("A") == [b"1"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="who writes to SQLite is alone")
def test_who_settles_a_lease_meanwhile_is_not_waited_for_and_refused(wire: Wire, time: list[int]) -> None:
    send(begin(), b"1")
    settle(wire, time)
    receipt = leased()
    with ThreadPoolExecutor(1) as other, transaction.atomic():
        Lease.objects.select_for_update().get(pk=receipt)
        other.submit(_failed_over_elsewhere).result(timeout=120)
    with pytest.raises((VerbError, MessagingError)):
        lease_commit(receipt=receipt, owner="me")
    assert bodies("B") == [b"1"]


def _failed_over_elsewhere() -> None:
    try:
        database_fail_over(instance="A", database="pair")
    finally:
        connection.close()


# ---------------------------------------------------------------- refused failovers


def test_what_has_no_partner_here_cannot_fail_over(wire: Wire) -> None:
    for given, error in (
        ({"instance": "C", "database": "one"}, 1416),
        ({"instance": "C", "database": "msdb"}, 1416),
    ):
        with pytest.raises(VerbError) as raised:
            database_fail_over(**given)
        assert raised.value.number == error
    with pytest.raises(NoSuchDatabaseError):
        database_fail_over(instance="A", database="none")
    with pytest.raises(NotHostedError):
        database_fail_over(instance="Z", database="pair")
    Instance.objects.filter(name="B").update(hosted=False)
    with pytest.raises(PartnerElsewhereError, match='"B", which is not hosted here'):
        database_fail_over(instance="A", database="pair")
    assert roles() == {"A": PRINCIPAL, "B": MIRROR}


def test_what_is_rolled_back_did_not_fail_over(wire: Wire, time: list[int]) -> None:
    send(begin(), b"1")
    settle(wire, time)
    with transaction.atomic():
        database_fail_over(instance="A", database="pair")
        transaction.set_rollback(True)
    assert (roles(), bodies("A")) == ({"A": PRINCIPAL, "B": MIRROR}, [b"1"])


# ---------------------------------------------------------------- the command


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    return call_with(capsys, monkeypatch)


def test_the_command_prints_who_is_the_principal(wire: Wire, call: Callable[..., Any]) -> None:
    for words, principal, mirror in (("A/pair", "B", "A"), ("A/pair", "A", "B"), ("B/pair", "B", "A")):
        result = call("failover", words)
        assert (result.status, result.err) == (0, "")
        assert json.loads(result.out) == {"database": "pair", "principal": principal, "mirror": mirror}
    assert roles() == {"A": MIRROR, "B": PRINCIPAL}


def test_a_dry_run_prints_the_roles_and_changes_none(wire: Wire, time: list[int], call: Callable[..., Any]) -> None:
    send(begin(), b"1")
    settle(wire, time)
    plan = json.loads(call("failover", "A/pair", "--dry-run").out)
    assert (plan["principal"], plan["mirror"], plan["conversations"]) == ("B", "A", 1)
    assert roles() == {"A": PRINCIPAL, "B": MIRROR}


def test_the_command_says_why_not(wire: Wire, call: Callable[..., Any]) -> None:
    assert refused(call("failover", "C/one")).startswith("C/one: 1416: ")
    Instance.objects.filter(name="A").update(hosted=False)
    assert "not hosted here" in refused(call("failover", "B/pair"))
    assert call("failover", "A").status == 2


# ---------------------------------------------------------------- while all are at work


class Traffic:
    """Applications and workers, each in a thread of its own, until they are stopped."""

    def __init__(self, *handles: str) -> None:
        self.numbers = dict.fromkeys(handles, 0)
        """By handle: how many were sent, and committed."""
        self.got: dict[str, list[bytes]] = {}
        """By handle of the target, as it was received and committed."""
        self.failed: list[BaseException] = []
        self._is_over = Event()
        self._threads: list[Thread] = []

    def begin(self, *steps: Callable[[], object]) -> None:
        self._threads = [Thread(target=self._work, args=(step,)) for step in steps]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _work(self, step: Callable[[], object]) -> None:
        try:
            while not self._is_over.is_set():
                until_done(step)
        except BaseException as error:
            self.failed.append(error)
            raise
        finally:
            forget_brokers()
            connections.close_all()

    def say(self) -> None:
        for handle, number in self.numbers.items():
            with transaction.atomic():
                send(handle, b"%d" % number)
            self.numbers[handle] += 1
            sleep(0.005)

    def hear(self) -> None:
        principal = next(name for name, role in roles().items() if role == PRINCIPAL)
        with transaction.atomic():
            messages = message_receive(instance=principal, database="pair", queue="ToQ")
        for message in messages:
            self.got.setdefault(message.conversation_handle, []).append(message.message_body or b"")
        sleep(0.005)

    def sent_bodies(self) -> list[list[bytes]]:
        return [[b"%d" % each for each in range(number)] for number in self.numbers.values()]


def until_done(verb: Callable[..., object], *given: Any, **named: Any) -> None:
    """Held by another, a mirror just now, or a deadlock: tried again, and not for ever."""
    until = monotonic() + STOP_SECONDS
    while True:
        try:
            verb(*given, **named)
            return
        except (BusyError, VerbError, OperationalError):
            if monotonic() > until:
                raise
            sleep(0.02)


@pytest.mark.thorough("SQLite has one writer; the locks are those of PostgreSQL", on="sqlite")
def test_it_fails_over_again_and_again_while_others_are_at_work(wire: Wire, time: list[int]) -> None:
    """Exactly once and in order, whatever claims and commits meet a failover (MIR-4, fixed)."""
    traffic = Traffic(*(begin() for _ in range(4)))
    traffic.begin(traffic.say, traffic.hear, wire.carry)
    for _ in range(FAILOVERS):
        sleep(0.3)
        time[0] += 10_000
        until_done(database_fail_over, instance="A", database="pair")
        for name in ADDRESSES:
            until_done(follow_estate, name)
    traffic.end()
    assert traffic.failed == []
    settle(wire, time)
    for _ in traffic.numbers:
        traffic.hear()
    bodies = traffic.sent_bodies()
    assert all(bodies)
    assert sorted(traffic.got.values()) == sorted(bodies)
