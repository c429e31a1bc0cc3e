"""MATCH-4 at run time: routes that are missing are asked for, and made, and used."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.dialog import route_request
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.end_conversation import end_conversation, end_with_error
from routing.dialog.endpoint import MAX_LIFETIME_S
from routing.dialog.problems import VerbError
from routing.dialog.receive import receive
from routing.dialog.route_request import missing_route_body
from routing.dialog.send import send
from routing.dialog.system_names import MISSING_ROUTE_TYPE, NOTICE_CONTRACT, SYSTEM_QUEUE, SYSTEM_SERVICE
from routing.dialog.validation import is_well_formed
from routing.model.estate import Estate
from routing.runtime.store import Conflict
from tests.routing.dialog.joined import Joined, joined_estate, way
from tests.routing.dialog.local import ONE, SECOND, TWO, Local, small_estate

ASKS = {"name": "Ask", "remote_service_name": DYNAMIC_ROUTING_SERVICE, "address": "LOCAL"}
RESPONDER = {"name": DYNAMIC_ROUTING_SERVICE, "queue": "BcnQ", "contracts": [NOTICE_CONTRACT]}
TO = {"name": "To", "queue": "ToQ", "contracts": ["C", "DEFAULT"]}
ROUTE_TO = {"name": "Made", "remote_service_name": "To", "address": "LOCAL"}
WAITING, REQUESTED = 9793, 9770


def one_instance(*routes: dict[str, Any], responder: str = "two") -> Estate:
    """`one` has routes for the dynamic routing service and these; a database of the same instance answers."""
    changes: dict[str, Any] = {"one": {"routes": [ASKS, *routes]}, "two": {"services": [TO, RESPONDER]}}
    if responder == "one":
        changes["one"]["services"] = [{"name": "From", "queue": "FromQ"}, RESPONDER]
        changes["two"]["services"] = [TO]
    return small_estate(**changes)


def status(world: Local | Joined, handle: str) -> int:
    return world.there(handle).transmission_status


def requests(world: Local, host: str = "a") -> dict[tuple[str, str], str]:
    batch = world.broker.work(ClaimRequest(), world.now).batch
    world.store.release(batch.token)
    return dict(batch.requests)


def received_request(world: Local, database: str = "two") -> tuple[str, bytes]:
    """What the responder receives: its handle, and the question."""
    (message,) = world.receive(database, queue="BcnQ")
    assert message.message_type_name == MISSING_ROUTE_TYPE
    assert message.service_contract_name == NOTICE_CONTRACT
    assert message.validation == "X"
    return message.conversation_handle, message.message_body or b""


# ---------------------------------------------------------------- within one instance


def test_a_route_that_is_missing_is_asked_for_made_and_used_at_once() -> None:
    world = Local(one_instance())
    handle = world.begin()
    world.send(handle, body=b"hello")
    assert (status(world, handle), world.received()) == (REQUESTED, [])
    responder, body = received_request(world)
    assert body == missing_route_body("To", None)
    assert list(requests(world)) == [("one", "To")]
    world.broker.change_estate(one_instance(ROUTE_TO))
    world.on(end_conversation, responder)
    assert requests(world) == {}
    world.later(0)
    assert (status(world, handle), world.received()) == (0, ["hello"])


@pytest.mark.parametrize("responder", ["one", "two"])
def test_the_question_is_asked_once_for_any_number_of_conversations(responder: str) -> None:
    world = Local(one_instance(responder=responder))
    handles = [world.begin() for _ in range(3)]
    world.send(*handles)
    other = world.begin()
    world.send(other)
    assert {status(world, handle) for handle in (*handles, other)} == {REQUESTED}
    world.later(9 * SECOND)
    received_request(world, responder)
    assert world.receive(responder, queue="BcnQ") == ()
    assert len(requests(world)) == 1


def test_each_service_is_asked_for_by_itself() -> None:
    world = Local(one_instance())
    world.send(world.begin())
    world.send(world.begin(to="<Else>", to_broker_instance=TWO))
    bodies = {received_request(world)[1] for _ in range(2)}
    assert bodies == {missing_route_body("To", None), missing_route_body("<Else>", TWO)}


def test_while_it_is_pending_matching_goes_on() -> None:
    world = Local(one_instance({"name": "AutoCreatedLocal", "address": "LOCAL"}))
    handle = world.begin()
    world.send(handle, body=b"hello")
    assert status(world, handle) == REQUESTED
    world.later(5 * SECOND)
    assert world.received() == ["hello"]


@pytest.mark.parametrize("with_error", [False, True])
def test_when_it_ends_without_a_route_it_is_asked_for_anew(with_error: bool) -> None:
    world = Local(one_instance())
    handle = world.begin()
    world.send(handle)
    responder, _ = received_request(world)
    first = requests(world)
    if with_error:
        world.on(end_with_error, responder, 1, "no such service")
    else:
        world.on(end_conversation, responder)
    assert requests(world) == {}
    world.later(0)
    assert status(world, handle) == REQUESTED
    assert requests(world).keys() == first.keys()
    assert requests(world) != first
    received_request(world)


def test_a_request_lasts_as_long_as_its_dialog() -> None:
    world = Local(one_instance())
    handle = world.begin()
    world.send(handle)
    request = requests(world)["one", "To"]
    there = world.there(request)
    assert (there.service_name, there.far_service, there.queue) == (
        SYSTEM_SERVICE,
        DYNAMIC_ROUTING_SERVICE,
        SYSTEM_QUEUE,
    )
    assert there.lifetime == world.now + MAX_LIFETIME_S * SECOND
    world.later(MAX_LIFETIME_S * SECOND - 1)
    assert requests(world) == {("one", "To"): request}
    world.later(1)
    assert requests(world).get(("one", "To")) != request


def test_the_dialog_leaves_no_trace_and_no_application_sees_it() -> None:
    world = Local(one_instance())
    world.send(world.begin())
    request = requests(world)["one", "To"]
    responder, _ = received_request(world)
    world.on(end_conversation, responder)
    assert world.endpoint(request) is None
    assert world.store.depth(("one", SYSTEM_QUEUE)).messages == 0
    assert world.receive("one", queue=SYSTEM_QUEUE) == ()


def test_without_anybody_to_ask_the_question_waits_itself() -> None:
    world = Local(small_estate(one={"routes": [ASKS]}))
    handle = world.begin()
    world.send(handle)
    request = requests(world)["one", "To"]
    assert (status(world, handle), status(world, request)) == (REQUESTED, 9796)
    world.later(70 * SECOND)
    assert (status(world, handle), list(requests(world).values())) == (REQUESTED, [request])


def test_a_conversation_with_the_dynamic_routing_service_itself_asks_for_nothing() -> None:
    world = Local(one_instance())
    handle = world.begin(NOTICE_CONTRACT, to=DYNAMIC_ROUTING_SERVICE)
    world.send(handle, message_type=MISSING_ROUTE_TYPE, body=b"<x/>")
    assert requests(world) == {}
    assert received_request(world)[1] == b"<x/>"


def test_no_application_begins_a_dialog_as_the_database_itself_or_with_it() -> None:
    world = Local()
    with pytest.raises(VerbError, match=r"^8423:"):
        world.do(begin_dialog, "one", SYSTEM_SERVICE, "To", wanted=ClaimRequest())
    handle = world.begin(to=SYSTEM_SERVICE, to_broker_instance=TWO)
    world.send(handle)
    assert status(world, handle) == 9796


def test_what_has_no_route_and_no_request_is_not_said_to_have_one() -> None:
    world = Local(small_estate(one={"routes": []}))
    handle = world.begin()
    world.send(handle)
    assert status(world, handle) == WAITING


def test_the_number_of_requests_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route_request, "MAX_PENDING_REQUESTS", 3)
    world = Local(one_instance())
    handles = [world.begin(to=f"S{number}") for number in range(5)]
    world.send(*handles[:2])
    world.send(*handles[2:])
    assert len(requests(world)) == 3
    assert {status(world, handle) for handle in handles} == {REQUESTED}
    responder, _ = received_request(world)
    world.on(end_conversation, responder)
    world.later(70 * SECOND)
    assert len(requests(world)) == 3


def test_two_that_ask_at_the_same_time_ask_once() -> None:
    world = Local(one_instance())
    first, second = world.begin(), world.begin()
    works = [world.broker.work(ClaimRequest(handles=(handle,)), world.now) for handle in (first, second)]
    for work, handle in zip(works, (first, second), strict=True):
        send(work, (handle,), body=b"x")
    world.broker.commit(works[0])
    with pytest.raises(Conflict):
        world.broker.commit(works[1])
    received_request(world)
    assert world.receive("two", queue="BcnQ") == ()


# ---------------------------------------------------------------- the request


@pytest.mark.parametrize("service", ["To", "<&>", "a\x01b", "\ufffe", "x\r\ny", "']]>"])
@pytest.mark.parametrize("identifier", [None, ONE])
def test_the_question_is_xml(service: str, identifier: str | None) -> None:
    body = missing_route_body(service, identifier)
    assert is_well_formed(body)
    root = ElementTree.fromstring(body)
    elements = {child.tag.rpartition("}")[2]: child.text for child in root}
    assert root.tag == f"{{{MISSING_ROUTE_TYPE}}}MissingRoute"
    assert elements.get("BROKER_INSTANCE") == identifier
    assert elements["SERVICE_NAME"] == service.replace("\x01", "\ufffd").replace("\ufffe", "\ufffd")


# ---------------------------------------------------------------- between instances


def several(*routes: dict[str, Any], is_enabled: bool = True, **changes: Any) -> Estate:
    """`one` on host a asks on host b, whose database `two` answers; and `three` on host c has To."""
    return joined_estate(
        one={"routes": [way(DYNAMIC_ROUTING_SERVICE, "b"), *routes], "broker_enabled": is_enabled},
        two={"services": [RESPONDER], "routes": [way(SYSTEM_SERVICE, "a"), way("From", "a")]},
        **changes,
    )


def answer_of(world: Joined) -> str:
    """The responder's handle of a question that came."""
    request = ReceiveRequest(("two", "BcnQ"))
    (message,) = world.do("b", receive, request, wanted=ClaimRequest(receive=request))
    assert message.message_body == missing_route_body("To", None)
    return message.conversation_handle


def pending(world: Joined) -> list[tuple[str, str]]:
    batch = world.brokers["a"].work(ClaimRequest(), world.now).batch
    world.stores["a"].release(batch.token)
    return list(batch.requests)


def change(world: Joined, estate: Estate) -> None:
    world.estate = estate
    for broker in world.brokers.values():
        broker.change_estate(estate)


def test_a_route_is_asked_for_over_the_network() -> None:
    world = Joined(several())
    handle = world.begin()
    world.send(handle, b"hello")
    world.settle()
    assert (status(world, handle), pending(world)) == (REQUESTED, [("one", "To")])
    responder = answer_of(world)
    change(world, several(way("To", "c")))
    world.end(responder)
    world.settle()
    assert (pending(world), world.received("three")) == ([], ["hello"])
    world.later(3600 * SECOND)
    assert world.endpoint(responder) is None or world.state(responder) == "CD"


def test_a_database_whose_broker_is_disabled_takes_no_answer_until_it_is_enabled() -> None:
    """LOC, fixed: it is the target of nothing, of its own service as little as of others (seed 8005654)."""
    world = Joined(several())
    world.send(world.begin())
    world.settle()
    responder = answer_of(world)
    change(world, several(is_enabled=False))
    world.end(responder)
    world.settle()
    assert (world.state(responder), pending(world)) == ("DO", [("one", "To")])
    change(world, several(way("To", "c")))
    world.later(5 * SECOND)
    assert (world.state(responder) in {"", "CD"}, pending(world)) == (True, [])


def test_within_an_instance_the_answer_waits_for_the_broker_to_be_enabled() -> None:
    changes: dict[str, Any] = {"one": {"routes": [ASKS]}, "two": {"services": [TO, RESPONDER]}}
    world = Local(small_estate(**changes))
    world.send(world.begin())
    responder, _ = received_request(world)
    world.broker.change_estate(small_estate(one={**changes["one"], "broker_enabled": False}, two=changes["two"]))
    world.on(end_conversation, responder)
    world.later(0)
    assert (status(world, responder), list(requests(world))) == (9796, [("one", "To")])
    world.broker.change_estate(small_estate(**changes))
    world.later(5 * SECOND)
    assert requests(world) == {}


def test_an_end_whose_acknowledgement_is_lost_ends_all_the_same() -> None:
    """The dialog is gone by then; a second END CONVERSATION is refused."""
    world = Joined(several())
    world.send(world.begin())
    world.settle()
    responder = answer_of(world)
    world.fate = lambda parcel: [] if parcel.source == "a" else [parcel.raw]
    world.end(responder)
    world.settle()
    assert world.state(responder) == "DO"
    world.fate = lambda parcel: [parcel.raw]
    world.later(5 * SECOND)
    assert world.state(responder) in {"", "CD"}


def test_a_crash_forgets_no_request() -> None:
    world = Joined(several())
    handle = world.begin()
    world.send(handle, b"hello")
    world.restart("a")
    world.settle()
    responder = answer_of(world)
    world.restart("a")
    world.estate = several(way("To", "c"))
    world.restart("a")
    world.restart("c")
    world.end(responder)
    world.settle()
    assert world.received("three") == ["hello"]


def test_a_message_from_outside_is_dropped_and_its_route_asked_for() -> None:
    """By the instance itself: msdb asks. The sender sends again."""
    world = Joined(through_c())
    world.send(world.begin(), b"hello")
    world.settle()
    assert world.received() == []
    responder = answer_of(world)
    change(world, through_c(way("To", "b")))
    world.end(responder)
    world.later(5 * SECOND)
    assert world.received() == ["hello"]


def through_c(*routes: dict[str, Any]) -> Estate:
    """Host c forwards what `one` sends, by these routes and one for the dynamic routing service of host b."""
    asking = [way(DYNAMIC_ROUTING_SERVICE, "b"), *routes]
    return joined_estate(
        one={"routes": [way("To", "c")]},
        two={"services": [TO, RESPONDER], "routes": [way(SYSTEM_SERVICE, "c"), way("From", "a")]},
        msdb_c={"routes": asking, "broker_instance": ONE[:-1] + "9"},
        c={"forwarding": True},
    )
