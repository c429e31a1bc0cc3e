"""Any fragments in any order: no exception, and each message is received in order and once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.errors import LocalProtocolError
from routing.adjacent.fragment import (
    BEGUN,
    END,
    ERROR,
    INITIATOR,
    UNSEQUENCED,
    AckRange,
    Header,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.common.identifier import identifier_bytes
from routing.dialog.settings import DialogSettings
from tests.routing.dialog.joined import THREE, Joined
from tests.routing.dialog.local import ONE, TWO

KINDS = (0, 0, 0, 0, END, ERROR, UNSEQUENCED, UNSEQUENCED | ERROR, BEGUN, END | BEGUN)


@st.composite
def fragments(draw: st.DrawFn) -> tuple[bool, Header, bytes]:
    """To the target, or else to the initiator, with the conversation left open."""
    to_target = draw(st.booleans())
    flags = draw(st.sampled_from(KINDS))
    is_sequenced = not flags & UNSEQUENCED
    of = draw(st.sampled_from((1, 1, 1, 2, 3))) if is_sequenced else 1
    sequence = draw(st.integers(0, 4)) if is_sequenced else 0
    ranges = tuple(AckRange(0, 0, last, 2**20 - 1) for last in draw(st.lists(st.integers(0, 3), max_size=1)))
    services = ("To", "From") if to_target else ("From", "To")
    known = draw(st.sampled_from(((None, ONE), (TWO, ONE), (THREE, ONE), (None, THREE), (None, None))))
    contract = draw(st.sampled_from(("DEFAULT", "C", "?")))
    names = FragmentNames(*services, contract, "DEFAULT", *(known if to_target else known[::-1]))
    at = draw(st.integers(0, of - 1))
    flags |= INITIATOR * to_target
    header = Header(bytes(16), bytes(range(16)), names, flags, sequence, 60_000, 9, at, of, ranges)
    return to_target, header, b"%d" % sequence


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(fragments(), max_size=6), max_size=8), st.booleans())
def test_nothing_breaks(batches: list[list[tuple[bool, Header, bytes]]], is_off: bool) -> None:
    world = Joined(settings=DialogSettings(held_bytes=4, window=2))
    handle = world.begin()
    world.send(handle, b"0", b"1")
    world.collect()
    conversation = identifier_bytes(world.there(handle).conversation_id)
    if is_off:
        world.switch(on=False)
    for batch in batches:
        for to_target, header, body in batch:
            try:
                raw = write_fragment(header._replace(conversation_id=conversation), body)
            except LocalProtocolError:
                continue  # no sender can write it
            world.under_way += [parcel._replace(raw=raw, target="ab"[to_target]) for parcel in world.passed[:1]]
        world.carry()
        world.collect()
    if is_off:
        world.switch(on=True)
    for _ in range(3):
        world.later(70_000)
    for host in "ab":
        assert not world.stores[host]._claims
    for database in ("one", "two"):
        bodies = [body for body in world.received(database) if body.isdigit()]
        numbers = [int(body[0]) for body in bodies]
        assert numbers == sorted(set(numbers))
