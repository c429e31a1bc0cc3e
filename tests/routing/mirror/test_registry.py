"""All mirrored routes of an instance: questions, answers, time, memory; and routing that asks here."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from routing.adjacent.roles import RoleAnswer, RoleQuestion, read_role
from routing.common.choices import Choices
from routing.common.event_subclasses import MirroredRouteSubclass
from routing.common.network_events import MirroredRouteStateChanged
from routing.mirror import registry as p
from routing.mirror.registry import (
    CLAIM_VALID_MS,
    IDLE_AFTER_MS,
    PrincipalRegistry,
    answer_role_question,
    reply_address,
)
from routing.mirror.state_machine import ASKING, DOUBTING, LOST, SENDING, MirroredRouteKey
from routing.model.address import Address, parse_address
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.model.route import Route
from routing.rules.decision import Decision, Delay, Drop, Send, StickyChoice
from routing.rules.mirroring import role_held
from routing.rules.router import route
from routing.rules.trace import Trace
from tests.routing.small import ELSEWHERE, ID, STRANGER, database, estate, host, to
from tests.strategies import AT

A, B, C = (f"tcp://{name}:4022" for name in "abc")
OPERATIONAL, ALONE, NOT = MirroredRouteSubclass


def mirrored(address: str, mirror: str) -> Route:
    return Route("M", "S", None, None, parse_address(address), parse_address(mirror))


M = mirrored("tcp://a", "tcp://b")


def made(**rest: object) -> PrincipalRegistry:
    return PrincipalRegistry(Choices(random.Random(1).getrandbits), **rest)  # type: ignore[arg-type] - the rest are options of the registry


def to_of(book: PrincipalRegistry, service: str = "S", identifier: str | None = None, of: Route = M) -> tuple[str, ...]:
    """Where messages go now, by the canonical addresses."""
    return tuple(address.key for address in book.principals(of, service, identifier))


def questions(book: PrincipalRegistry) -> dict[str, RoleQuestion]:
    """Return the questions sent since the last call, by address."""
    sent = {}
    for address, frame in book.frames():
        message = read_role(frame)
        assert isinstance(message, RoleQuestion)
        assert address not in sent
        sent[address] = message
    return sent


def reply(book: PrincipalRegistry, questions: dict[str, RoleQuestion], now: int, **roles: str | None) -> None:
    for host_, role in roles.items():
        book.hear(RoleAnswer(questions[f"tcp://{host_}:4022"].question_id, role), now)


def in_use(book: PrincipalRegistry, now: int = 0) -> PrincipalRegistry:
    """With `a` as the principal for S."""
    to_of(book)
    book.handle(now)
    reply(book, questions(book), now, a="PRINCIPAL", b="MIRROR")
    book.events()
    book.changed()
    return book


# ---------------------------------------------------------------- asking


def test_the_first_use_asks_both_and_the_answers_tell() -> None:
    book = made(reply_to=C)
    assert to_of(book, identifier=ID) == ()
    assert (book.frames(), book.next_timer()) == ([], None)
    book.handle(1_000)
    sent = questions(book)
    assert list(sent) == [A, B]
    assert {(q.service, q.broker_instance, q.reply_to) for q in sent.values()} == {("S", ID, C)}
    due = book.next_timer()
    assert due is not None
    assert 5_000 <= due <= 5_500
    reply(book, sent, 1_010, b="PRINCIPAL", a="MIRROR")
    assert to_of(book, identifier=ID) == (B,)
    assert book.events() == [MirroredRouteStateChanged(OPERATIONAL, A, B, "S", ID, B)]
    assert (book.events(), book.next_timer(), book.frames()) == ([], None, [])


def test_the_address_is_the_one_of_the_route() -> None:
    book = in_use(made())
    assert book.principals(M, "S", None) == (M.address,)
    assert book.principals(M, "S", None)[0] is M.address


def test_used_again_before_the_answers_nobody_is_asked_again() -> None:
    book = made()
    for now in (0, 10, 20):
        to_of(book)
        book.handle(now)
    assert len(book.frames()) == 2


def test_each_service_identifier_and_pair_is_asked_about_by_itself() -> None:
    book = made()
    other = mirrored("tcp://b", "tcp://a")
    to_of(book)
    to_of(book, identifier=ID)
    to_of(book, "T")
    to_of(book, of=other)
    book.handle(0)
    assert (len(book.frames()), len(book)) == (8, 4)


def test_nobody_claims_both_are_asked_again_at_the_time() -> None:
    book = made()
    to_of(book)
    book.handle(0)
    reply(book, questions(book), 0, a=None, b="MIRROR")
    assert book.events() == [MirroredRouteStateChanged(NOT, A, B, "S", None, "")]
    due = book.next_timer()
    assert due is not None
    book.handle(due - 1)
    assert questions(book) == {}
    book.handle(due)
    sent = questions(book)
    assert set(sent) == {A, B}
    reply(book, sent, due, a="MIRROR", b="PRINCIPAL")
    assert to_of(book) == (B,)


def test_an_answer_that_nobody_asked_for_changes_nothing() -> None:
    book = made()
    to_of(book)
    book.handle(0)
    sent = questions(book)
    book.hear(RoleAnswer(ID, "PRINCIPAL"), 0)
    reply(book, sent, 0, a="MIRROR", b="PRINCIPAL")
    reply(book, sent, 0, a="PRINCIPAL", b="MIRROR")
    assert to_of(book) == (B,)
    assert len(book.events()) == 1


def test_a_route_that_nobody_uses_is_not_asked_about_for_ever() -> None:
    book = made()
    to_of(book)
    book.handle(0)
    last = 0
    while (due := book.next_timer()) is not None:
        book.handle(due)
        last = due
        assert due < IDLE_AFTER_MS + 80_000
    assert last >= IDLE_AFTER_MS
    book.frames()
    to_of(book)
    book.handle(last + 1)
    assert set(questions(book)) == {A, B}


# ---------------------------------------------------------------- doubts and losses


def test_what_is_not_acknowledged_makes_the_principal_doubted() -> None:
    book = in_use(made())
    book.doubt(B, "S", 4_000)
    book.doubt(A, "T", 4_000)
    book.doubt(A, "S", 3_999)  # it has claimed the role since it was sent
    assert questions(book) == {}
    book.doubt(A, "S", 4_000)
    sent = questions(book)
    assert set(sent) == {A}
    assert to_of(book) == (A,)
    reply(book, sent, 4_020, a="MIRROR")
    assert to_of(book) == ()
    assert book.events() == [MirroredRouteStateChanged(NOT, A, B, "S", None, "")]
    reply(book, questions(book), 4_030, b="PRINCIPAL", a="MIRROR")
    assert to_of(book) == (B,)
    assert [event.subclass for event in book.events()] == [ALONE, OPERATIONAL]


def test_a_principal_that_is_used_is_doubted_when_its_claim_is_old() -> None:
    """An instance that forwards gets no acknowledgements."""
    book = in_use(made())
    to_of(book)
    book.handle(CLAIM_VALID_MS - 1)
    assert questions(book) == {}
    to_of(book)
    book.handle(CLAIM_VALID_MS)
    sent = questions(book)
    assert set(sent) == {A}
    reply(book, sent, CLAIM_VALID_MS, a="PRINCIPAL")
    to_of(book)
    book.handle(2 * CLAIM_VALID_MS - 1)
    assert (questions(book), book.events()) == ({}, [])


def test_a_principal_that_nobody_uses_is_not_asked() -> None:
    book = in_use(made())
    assert book.next_timer() is None
    book.handle(1 << 40)
    assert book.frames() == []


def test_a_principal_that_cannot_be_reached_is_lost_wherever_it_is_one() -> None:
    book = in_use(made())
    to_of(book, "T")
    book.handle(0)
    reply(book, questions(book), 0, b="PRINCIPAL", a="MIRROR")
    book.events()
    book.cannot_reach(A, 10)
    assert (to_of(book), to_of(book, "T")) == ((), (B,))
    assert [event.service for event in book.events()] == ["S"]
    book.cannot_reach(C, 10)
    assert book.events() == []


def test_who_was_asked_and_cannot_be_reached_denies() -> None:
    book = made()
    to_of(book)
    book.handle(0)
    sent = questions(book)
    book.cannot_reach(A, 1)
    reply(book, sent, 2, b="PRINCIPAL")
    assert to_of(book) == (B,)
    assert [event.subclass for event in book.events()] == [ALONE]


# ---------------------------------------------------------------- memory


def test_rows_go_to_a_store_and_come_back_from_it() -> None:
    book = made()
    to_of(book)
    to_of(book, "T")
    book.handle(0)
    assert {row.phase for row in book.changed().values() if row} == {ASKING}
    sent = [(address, read_role(frame)) for address, frame in book.frames()]
    book.hear(RoleAnswer(sent[0][1].question_id, "PRINCIPAL"), 0)
    book.hear(RoleAnswer(sent[1][1].question_id, "MIRROR"), 0)
    (row,) = book.changed().values()
    assert row is not None
    assert (row.phase, row.key) == (SENDING, MirroredRouteKey(A, B, "S", None))
    assert book.changed() == {}
    kept = list(book._rows.values())
    again = made(rows=kept)
    assert (to_of(again), to_of(again, "T"), again.next_timer()) == ((A,), (), book.next_timer())
    # A question from before the crash may still be answered; an unanswered one is asked again.
    again.hear(RoleAnswer(sent[2][1].question_id, "PRINCIPAL"), 10)
    again.handle(4_600)
    assert to_of(again, "T") == (A,)


def test_what_was_kept_goes_on_in_its_time() -> None:
    book = in_use(made())
    book.doubt(A, "S", 4_000)
    (row,) = book._rows.values()
    assert row.phase == DOUBTING
    again = made(rows=[row])
    again.handle(8_600)
    assert set(questions(again)) == {A, B}
    assert [row.phase for row in again.changed().values() if row] == [LOST]


def test_the_route_that_was_used_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p, "MAX_REMEMBERED_ROUTES", 2)
    book = in_use(made())
    for number, service in enumerate(["T", "S", "U"]):
        to_of(book, service)
        book.handle(number)
    assert len(book) == 2
    assert book.changed()[MirroredRouteKey(A, B, "T", None)] is None
    assert to_of(book) == (A,)
    sent = questions_of(book.frames(), "T")
    book.hear(RoleAnswer(sent[0].question_id, "PRINCIPAL"), 9)
    book.hear(RoleAnswer(sent[1].question_id, "MIRROR"), 9)
    assert to_of(book, "T") == ()


def questions_of(frames: Iterable[tuple[str, bytes]], service: str) -> list[RoleQuestion]:
    messages = [read_role(frame) for _, frame in frames]
    return [message for message in messages if isinstance(message, RoleQuestion) and message.service == service]


def test_forgetting_all_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    book = made()
    other = mirrored("tcp://c", "tcp://d")
    to_of(book)
    book.handle(0)
    monkeypatch.setattr(p, "MAX_REMEMBERED_ROUTES", 1)
    to_of(book, of=other)
    book.handle(0)
    assert set(book._by_address) == {C, "tcp://d:4022"}
    assert set(book._by_question.values()) == set(book._used_at) == {MirroredRouteKey(C, "tcp://d:4022", "S", None)}
    assert len(book._due) == 1


# ---------------------------------------------------------------- answering

MIRRORED = estate(
    host(
        "a",
        database("p", "S", "T", broker_instance=ID, mirroring_role="PRINCIPAL", broker_enabled=False),
        database("m", "U", "T", broker_instance=ELSEWHERE, mirroring_role="MIRROR"),
        database("n", "V"),
    )
)


@pytest.mark.parametrize(
    ("service", "identifier", "role"),
    [
        ("S", None, "PRINCIPAL"),
        ("S", ID, "PRINCIPAL"),
        ("S", ELSEWHERE, None),
        ("U", None, "MIRROR"),
        ("U", ELSEWHERE, "MIRROR"),
        ("U", ID, None),
        ("T", None, "PRINCIPAL"),
        ("T", ELSEWHERE, "MIRROR"),
        ("T", STRANGER, None),
        ("V", None, None),
        ("W", None, None),
    ],
)
def test_an_instance_answers_for_its_databases(service: str, identifier: str | None, role: str | None) -> None:
    assert role_held(MIRRORED.instances["a"], service, identifier) == role
    assert answer_role_question(MIRRORED, "a", RoleQuestion(STRANGER, service, identifier)) == RoleAnswer(
        STRANGER, role
    )


def test_answers_come_to_the_first_address_that_fits_into_a_question() -> None:
    long = Address(f"tcp://{'x' * 250}:4022", "")
    assert reply_address(()) == reply_address([long]) == ""
    assert reply_address([long, parse_address("tcp://A")]) == A


# ---------------------------------------------------------------- routing asks here

ROUTED = estate(
    host("o", database("db", routes=[to("a", "S", mirror="b")]), outside=[to("a", "S", mirror="b")]),
    host("a", database("m", "S", broker_instance=ID, mirroring_role="PRINCIPAL")),
    host("b", database("m", "S", broker_instance=ID, mirroring_role="MIRROR")),
)


def decided(book: PrincipalRegistry | None, database_: str | None = "db", kept: str | None = None) -> Decision:
    trace = Trace()
    conversation = Conversation("o", database_, "S", ID)
    (decision,) = route(ROUTED, conversation, AT, roles=book, kept=StickyChoice(kept))
    assert route(ROUTED, conversation, AT, roles=book, kept=StickyChoice(kept), trace=trace) == (decision,)
    return decision


def learnt(a: str | None, b: str | None) -> PrincipalRegistry:
    book = made()
    to_of(book, identifier=ID)
    book.handle(0)
    reply(book, questions(book), 0, a=a, b=b)
    return book


def test_without_what_is_known_at_run_time_the_estate_tells() -> None:
    decision = decided(None)
    assert isinstance(decision, Send)
    assert decision.to == "a"


@pytest.mark.parametrize("kept", [None, "R0"])
@pytest.mark.parametrize("database_", ["db", None])
def test_what_is_known_at_run_time_decides_alone(database_: str | None, kept: str | None) -> None:
    decision = decided(learnt("MIRROR", "PRINCIPAL"), database_, kept)
    assert isinstance(decision, Send)
    assert (decision.to, decision.route) == ("b", "R0")


def test_while_nothing_is_known_messages_wait_or_are_dropped() -> None:
    for book in (made(), learnt(None, "MIRROR"), learnt("PRINCIPAL", "PRINCIPAL")):
        assert decided(book) == Delay("o", "no_principal")
        assert decided(book, None) == Drop("o", "no_principal")


def test_routing_tells_what_is_used() -> None:
    book = made()
    decided(book)
    book.handle(0)
    assert set(questions(book)) == {A, B}


# ---------------------------------------------------------------- a failover, all of it


@pytest.mark.parametrize("seed", range(20))
def test_messages_follow_the_principal_over_a_network_that_loses(seed: int) -> None:
    """Two partners, half of all frames lost: nobody is sent anything who never claimed the role, and in the end the
    principal is found. With odd seeds they change roles."""
    chance = random.Random(seed)
    book = PrincipalRegistry(Choices(chance.getrandbits))
    world = {A: roles_of("PRINCIPAL"), B: roles_of("MIRROR")}
    claimed: set[str] = set()
    under_way: list[tuple[int, str, RoleAnswer]] = []
    now = 0
    for step in range(400):
        heals = step > 300
        now += chance.choice([50, 500, 3_000])
        if seed % 2 and step in {100, 200, 250}:
            world[A], world[B] = world[B], world[A]
        to_now = to_of(book)
        assert claimed.issuperset(to_now)
        book.handle(now)
        for address in to_now:
            if world[address] is not PRINCIPAL_HERE and chance.random() < 0.3:
                book.doubt(address, "S", now)
            if chance.random() < 0.02 and not heals:
                book.cannot_reach(address, now)
        for address, frame in book.frames():
            message = read_role(frame)
            assert isinstance(message, RoleQuestion)
            if heals or chance.random() < 0.5:
                reply_ = answer_role_question(world[address], "x", message)
                under_way.append((now + chance.randrange(2_000), address, reply_))
        arrived = [one for one in under_way if one[0] <= now]
        under_way = [one for one in under_way if one[0] > now]
        for _, address, reply_ in arrived:
            if reply_.role == "PRINCIPAL":
                claimed.add(address)
            book.hear(reply_, now)
    assert to_of(book) == tuple(address for address in (A, B) if world[address] is PRINCIPAL_HERE)


def roles_of(role: str) -> Estate:
    return {"PRINCIPAL": PRINCIPAL_HERE, "MIRROR": MIRROR_HERE}[role]


PRINCIPAL_HERE, MIRROR_HERE = (
    estate(host("x", database("m", "S", mirroring_role=role))) for role in ("PRINCIPAL", "MIRROR")
)


def test_what_others_of_the_instance_have_learnt_is_known() -> None:
    """Two workers of one instance: one has asked, the other hears the answers."""
    asking, hearing = made(), made()
    to_of(asking)
    asking.handle(0)
    sent = questions(asking)
    hearing.learn(filter(None, asking.changed().values()))
    reply(hearing, sent, 1, a="PRINCIPAL", b="MIRROR")
    assert to_of(hearing) == (A,)
    assert questions(hearing) == {}
    asking.learn(filter(None, hearing.changed().values()))
    assert to_of(asking) == (A,)
    reply(asking, sent, 2, a="MIRROR")  # its question was answered before
    assert to_of(asking) == (A,)
