"""What one side says by itself, over the network and where routing leads back to the same instance."""

from __future__ import annotations

import pytest

from routing.dialog.batch import ClaimRequest
from routing.dialog.control_messages import send_ack, send_error
from routing.dialog.error_message import broker_error, read_error
from routing.dialog.fragment_writer import guard_for
from routing.security.instance_security import InstanceSecurity
from tests.routing.dialog.joined import LOCAL, Joined, joined_estate, way
from tests.routing.dialog.local import CONTRACTS, ONE, SECOND, TWO
from tests.routing.security.test_instance_security import securities

FOUR = "6f3f0d5e-0000-4000-8000-000000000004"


def round_trip() -> Joined:
    """Both services on host `a`; the way there leads over the network, by `c`; the way back is a local one."""
    one = {"name": "one", "broker_instance": ONE, "services": [{"name": "From", "queue": "FromQ"}]}
    to = [{"name": "To", "queue": "ToQ", "contracts": ["C", "DEFAULT"]}]
    four = {"name": "four", "broker_instance": FOUR, "services": to, "routes": LOCAL}
    databases = [one | {"routes": [way("To", "c")]} | CONTRACTS, four | CONTRACTS, {"name": "msdb", "routes": LOCAL}]
    return Joined(
        joined_estate(
            a={"databases": databases},
            three={"services": [], "routes": []},
            msdb_c={"routes": [way("To", "a")]},
            c={"forwarding": True},
        )
    )


def test_an_acknowledgement_for_a_side_of_the_same_instance_stays_here() -> None:
    world = round_trip()
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert [parcel.source for parcel in world.passed] == ["a", "c"]
    assert world.there(handle).outgoing == 0
    assert world.there(handle).far_broker_instance == FOUR  # RT-PIN
    assert world.received("four") == ["x"]


def test_a_side_of_the_same_instance_that_is_not_the_peer_is_not_heard() -> None:
    """RT-STICKY."""
    world = round_trip()
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    target = world.target(handle, "four")
    assert target
    work = world.brokers["a"].work(ClaimRequest(handles=(handle, target.conversation_handle)), world.now)
    work.for_update(work.require(handle)).far_broker_instance = TWO
    guard = guard_for(work, target)
    assert guard is not None
    send_error(work, target, broker_error(8462), guard)
    assert work.require(handle).state == "CO"
    world.brokers["a"].release(work)


def test_an_error_for_a_side_of_the_same_instance_stays_here() -> None:
    world = round_trip()
    handle = world.begin("C")
    world.send(handle, b"<bad", message_type="Xml")
    world.settle()
    assert [parcel.source for parcel in world.passed] == ["a", "c"]
    (error,) = world.receive("one")
    assert (read_error(error.message_body or b"") or (0, ""))[0] == -9615
    assert (world.state(handle), world.there(handle).outgoing) == ("ER", 0)


@pytest.mark.parametrize("what", ["error", "acknowledgement"])
def test_where_routing_finds_nobody_nothing_is_said(what: str) -> None:
    world = Joined()
    handle, target = world.open()
    world.brokers["b"].change_estate(joined_estate(two={"routes": []}))
    broker = world.brokers["b"]
    work = broker.work(ClaimRequest(handles=(target,)), world.now)
    side = work.require(target)
    guard = guard_for(work, side)
    assert guard is not None
    if what == "error":
        send_error(work, side, broker_error(8462), guard)
    else:
        send_ack(work, side)
    assert (work.outbound, work.changes.events) == ([], [])
    broker.release(work)
    world.later(70 * SECOND)
    assert world.state(handle) == "CO"


def test_an_acknowledgement_that_cannot_find_its_way_is_said_again_with_the_next_copy() -> None:
    world = Joined(joined_estate(two={"routes": []}))
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert (world.received(), world.there(handle).outgoing) == (["x"], 1)
    world.brokers["b"].change_estate(joined_estate())
    world.later(5 * SECOND)
    assert (world.received(), world.there(handle).outgoing) == ([], 0)


def test_without_its_keys_a_side_says_nothing() -> None:
    world = Joined(securities=securities())
    handle, target = world.open(encryption=True)
    broker = world.brokers["b"]
    broker.security = InstanceSecurity()
    work = broker.work(ClaimRequest(handles=(target,)), world.now)
    send_ack(work, work.require(target))
    assert work.outbound == []
    broker.release(work)
    assert world.state(handle) == "CO"


def test_a_side_that_has_received_nothing_has_nothing_to_say() -> None:
    world = Joined()
    handle = world.begin()
    broker = world.brokers["a"]
    work = broker.work(ClaimRequest(handles=(handle,)), world.now)
    send_ack(work, work.require(handle))
    assert work.outbound == []
    broker.release(work)


def test_what_is_owed_to_a_conversation_that_has_gone_in_the_same_batch_is_not_said() -> None:
    """Its end was acknowledged on the fragment after what it had received."""
    world = Joined()
    handle, target = world.open()
    world.send(target, b"late")
    world.end(handle)
    world.collect()
    parcels = {parcel.target: parcel for parcel in world.under_way}
    world.under_way = [parcels["b"]]
    world.carry()
    world.collect()
    world.under_way.insert(0, parcels["a"])
    sent = len(world.passed)
    world.carry()
    assert world.state(handle) == ""
    assert [parcel for parcel in world.collect() if parcel.source == "a"] == []
    assert len(world.passed) >= sent
