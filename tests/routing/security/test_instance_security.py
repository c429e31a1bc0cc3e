"""Dialogs over the network under each protection: by what bindings a database has, and nothing else."""

from __future__ import annotations

import pytest

from routing.adjacent.guard import DIGEST, KEYED, MD5, NO_KEY, SEALED
from routing.common.errors import Invalid
from routing.common.event_subclasses import AuditSubclass
from routing.dialog.end_conversation import end_conversation
from routing.security.instance_security import DatabaseKeys, DialogProtection, InstanceSecurity
from routing.security.keys import KeyPair
from routing.security.policy import Integrity, Undeliverable
from tests.routing.dialog.joined import Joined
from tests.routing.dialog.local import SECOND
from tests.routing.security.ciphers import Quick
from tests.routing.security.test_keys import ONE, OTHER, THIRD


def securities(
    *,
    bound: bool = True,
    known: bool = True,
    back: bool = True,
    integrity: Integrity = "authenticated",
    target: KeyPair = OTHER,
) -> dict[str, InstanceSecurity]:
    """Database one has a binding for the service To, database two one for From."""
    one = DatabaseKeys(ONE, {"To": OTHER.public} if bound else {})
    two = DatabaseKeys(target, {"From": ONE.public} if back else {}, (ONE.public,) if known else ())
    given = {"a": {"one": one}, "b": {"two": two}}
    return {host: InstanceSecurity(Quick(), keys, integrity) for host, keys in given.items()}


@pytest.mark.parametrize(
    ("encryption", "bound", "integrity", "kind"),
    [
        (True, True, "authenticated", SEALED),
        (True, True, "md5", SEALED),
        (False, True, "authenticated", KEYED),
        (False, False, "authenticated", DIGEST),
        (False, True, "md5", MD5),
        (False, False, "md5", MD5),
    ],
)
def test_a_whole_dialog(encryption: bool, bound: bool, integrity: Integrity, kind: int) -> None:
    world = Joined(securities=securities(bound=bound, integrity=integrity))
    handle, target = world.open(encryption=encryption)
    assert {world.there(side).integrity for side in (handle, target)} == {kind}
    assert {parcel.read.integrity for parcel in world.passed} == {kind}
    world.send(target, b"a reply")
    world.send(handle, b"and more")
    world.settle()
    assert (world.received("one"), world.received("two")) == (["a reply"], ["and more"])
    readable = any(b"and more" in parcel.raw for parcel in world.passed)
    assert readable == (kind != SEALED)
    world.on(end_conversation, handle)
    world.settle()
    assert world.received("two") == ["END"]


def test_a_dialog_without_a_binding_waits_until_there_is_one() -> None:
    """9727."""
    world = Joined(securities=securities(bound=False))
    handle = world.begin(encryption=True)
    world.send(handle, b"x")
    world.settle()
    assert (world.there(handle).transmission_status, world.passed) == (9727, [])
    world.brokers["a"].security = securities()["a"]
    world.brokers["a"].retry_all(world.now)
    world.settle()
    assert (world.there(handle).transmission_status, world.received()) == (0, ["x"])


@pytest.mark.parametrize("encryption", [True, False])
def test_a_target_that_does_not_know_the_key_says_nothing(encryption: bool) -> None:
    """11229: not acknowledged, and its sender sees nothing."""
    world = Joined(securities=securities(known=False, back=False))
    handle = world.begin(encryption=encryption)
    world.send(handle, b"x")
    world.settle()
    (event,) = world.reported("b", 160)
    assert (event.reason, event.database) == (11229, "two")
    (audited,) = world.reported("b", 158)
    assert (audited.subclass, audited.text) == (
        AuditSubclass.NO_CERTIFICATE,
        "key id: names keys that are not known here",
    )
    assert (world.there(handle).outgoing, len(world.passed)) == (1, 1)
    assert world.there(handle).transmission_status == 0
    world.brokers["b"].security = securities()["b"]
    world.later(5 * SECOND)
    assert world.received() == ["x"]


def test_a_target_needs_no_binding_of_its_own_to_answer() -> None:
    """A dialog keeps the protection of its first message."""
    world = Joined(securities=securities(back=False))
    handle, target = world.open(encryption=True)
    world.send(target, b"a reply")
    world.settle()
    assert world.received("one") == ["a reply"]
    assert world.there(handle).integrity == SEALED


@pytest.mark.parametrize("at", [20, 40, 60, 100, 150, -20, -1])
@pytest.mark.parametrize("encryption", [True, False])
def test_whatever_is_changed_on_the_way_is_discarded(at: int, encryption: bool) -> None:
    """INT-1: event 161, no acknowledgement; and an unchanged copy is accepted."""
    world = Joined(securities=securities())
    handle = world.begin(encryption=encryption)
    world.send(handle, b"x" * 50)
    (parcel,) = world.collect()
    raw = bytearray(parcel.raw)
    raw[at] ^= 0x10
    world.under_way = [parcel._replace(raw=bytes(raw))]
    world.carry()
    assert world.collect() == []
    assert world.depth() == 0
    assert len(world.reported("b", 161)) + len(world.reported("b", 160)) == 1
    signature = [
        event.subclass for event in world.reported("b", 158) if event.subclass == AuditSubclass.INVALID_SIGNATURE
    ]
    assert len(signature) == sum("tag" in event.what for event in world.reported("b", 161))
    world.later(5 * SECOND)
    assert len(world.received()) == 1


def test_a_sealed_dialog_takes_nothing_that_is_not_sealed() -> None:
    """11232, and 11231 the other way round."""
    sealed, plain = Joined(securities=securities()), Joined(securities=securities(bound=False))
    handle, target = sealed.open(encryption=True)
    other, far = plain.open()
    sealed.send(handle, b"sealed")
    plain.send(other, b"plain")
    (one,), (two,) = sealed.collect(), plain.collect()
    sealed.under_way, plain.under_way = [two], [one]  # by the same seed the same conversation
    for world, reason in ((sealed, 11232), (plain, 11231)):
        world.carry()
        assert [event.reason for event in world.reported("b", 160)] == [reason]
        audits = [AuditSubclass.NO_SECURITY_HEADER] if reason == 11232 else []
        assert [event.subclass for event in world.reported("b", 158)] == audits
        assert world.depth() == 0
    assert (sealed.there(target).receive_sequence, plain.there(far).receive_sequence) == (1, 1)


def test_errors_of_the_broker_are_protected_as_the_dialog_is() -> None:
    world = Joined(securities=securities())
    handle = world.begin(contract="C", encryption=True)
    world.send(handle, b"<bad", message_type="Xml")
    world.settle()
    error = world.passed[-1]
    assert (error.source, error.read.integrity) == ("b", SEALED)
    assert world.state(handle) == "ER"
    assert world.received("one") == ["ERROR"]


def test_the_document_s_md5_is_read_only_where_it_is_switched_on() -> None:
    world = Joined(securities={"a": securities(bound=False, integrity="md5")["a"]})
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert [event.reason for event in world.reported("b", 160)] == [0]
    assert (world.depth(), world.there(handle).outgoing) == (0, 1)


def test_without_keys_everything_is_a_digest() -> None:
    security = InstanceSecurity()
    assert security.protection("one", "To", False) == DialogProtection(DIGEST, NO_KEY)
    assert security.protection("one", "To", True) is None
    with pytest.raises(Undeliverable):
        security.guard("one", DialogProtection(SEALED, b"12345678"), bytes(16), True)


def test_a_binding_without_a_key_of_ones_own_is_none() -> None:
    security = InstanceSecurity(Quick(), {"one": DatabaseKeys(None, {"To": OTHER.public})})
    assert security.protection("one", "To", True) is None
    assert security.protection("one", "To", False) == DialogProtection(DIGEST, NO_KEY)


def test_a_key_that_can_be_none_is_refused() -> None:
    with pytest.raises(Invalid):
        InstanceSecurity(Quick(), {"one": DatabaseKeys(ONE, {"To": b"short"})})


def test_keys_of_one_database_open_nothing_of_another() -> None:
    world = Joined(securities=securities(target=THIRD))
    handle = world.begin(encryption=True)
    world.send(handle, b"x")
    world.settle()
    assert [event.reason for event in world.reported("b", 160)] == [11229]


def test_a_dialog_whose_keys_were_taken_away_waits_and_holds_up_nobody() -> None:
    world = Joined(securities=securities())
    handle, target = world.open(encryption=True)
    other = world.begin()
    world.brokers["a"].security = InstanceSecurity()
    world.send(handle, b"waits")
    world.send(other, b"goes")
    world.send(target, b"cannot be read")
    world.settle()
    assert (world.there(handle).transmission_status, world.there(handle).outgoing) == (9727, 1)
    assert world.received("two") == ["goes"]
    assert [event.reason for event in world.reported("a", 160)] == [11229]
    world.brokers["a"].security = securities()["a"]
    world.later(5 * SECOND)
    world.later(5 * SECOND)
    assert (world.received("two"), world.received("one")) == (["waits"], ["cannot be read"])


def test_a_target_whose_keys_were_taken_away_acknowledges_nothing() -> None:
    """What it has taken already it would acknowledge again, if it could."""
    world = Joined(securities=securities())
    handle = world.begin(encryption=True)
    world.send(handle, b"x")
    world.collect()
    world.carry()
    world.collect()
    world.under_way.clear()
    world.brokers["b"].security = InstanceSecurity()
    world.later(5 * SECOND)
    assert (world.received("two"), world.there(handle).outgoing) == (["x"], 1)
