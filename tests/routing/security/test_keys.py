"""Keys: the same on both sides, different for everything else, and as documented."""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.errors import Invalid
from routing.security.keys import KeyAgreement, KeyPair, key_id
from tests.routing.adjacent.wire import CONVERSATION, MESSAGE, vectors
from tests.routing.security.ciphers import BASE, Exact, Quick, x25519

CIPHER = Quick()
(VECTOR,) = vectors("session")


def pair_of(private: bytes) -> KeyPair:
    return KeyPair(private, x25519(private, BASE))


ONE, OTHER, THIRD = (pair_of(bytes([number]) * 32) for number in (0x11, 0x22, 0x33))


def test_the_documented_keys() -> None:
    given = {name: bytes.fromhex(text) for name, text in VECTOR.fields.items() if name != "conversation id"}
    initiator = KeyPair(given["initiator private"], given["initiator public"])
    target = KeyPair(given["target private"], given["target public"])
    assert initiator == ONE
    assert target == OTHER
    assert Exact().exchange(initiator.private, target.public) == VECTOR.raw
    pair = KeyAgreement(Exact(), initiator, target.public)
    session = pair.session(CONVERSATION, is_initiator=True)
    assert session.key_id == pair.key_id == given["key id"]
    assert session.sending == tuple(given[f"initiator {name}"] for name in ("seal", "tag", "salt"))
    assert session.receiving == tuple(given[f"target {name}"] for name in ("seal", "tag", "salt"))


def test_both_sides_have_the_same_keys_the_other_way_round() -> None:
    initiator = KeyAgreement(CIPHER, ONE, OTHER.public).session(CONVERSATION, is_initiator=True)
    target = KeyAgreement(CIPHER, OTHER, ONE.public).session(CONVERSATION, is_initiator=False)
    assert (initiator.sending, initiator.receiving) == (target.receiving, target.sending)
    assert initiator.key_id == target.key_id == key_id(OTHER.public, ONE.public)


def test_no_key_is_used_twice() -> None:
    """Not for two purposes, directions, dialogs, databases or roles."""
    sessions = [
        KeyAgreement(CIPHER, ONE, OTHER.public).session(CONVERSATION, is_initiator=True),
        KeyAgreement(CIPHER, ONE, OTHER.public).session(CONVERSATION, is_initiator=False),
        KeyAgreement(CIPHER, ONE, OTHER.public).session(MESSAGE, is_initiator=True),
        KeyAgreement(CIPHER, ONE, THIRD.public).session(CONVERSATION, is_initiator=True),
    ]
    keys = [key for session in sessions for keys in (session.sending, session.receiving) for key in keys]
    assert len(set(keys)) == len(keys) == 24
    assert {len(key) for key in keys} == {32}
    assert len({session.key_id for session in sessions}) == 2


@pytest.mark.parametrize("field", ["private", "public"])
@pytest.mark.parametrize("key", [b"", b"x" * 31, b"x" * 33])
def test_what_is_no_key_is_refused_and_not_shown(field: str, key: bytes) -> None:
    given: dict[str, Any] = {"private": b"x" * 32, "public": b"x" * 32, field: key}
    with pytest.raises(Invalid) as error:
        KeyPair(**given)
    assert str(error.value) == f"{field} key: must have 32 bytes"


def test_a_peer_without_a_usable_key_is_refused() -> None:
    with pytest.raises(Invalid, match="public key: must have 32 bytes"):
        KeyAgreement(CIPHER, ONE, b"x")
    with pytest.raises(Invalid, match="public key: shares no secret"):
        KeyAgreement(CIPHER, ONE, bytes(32))


def test_a_private_key_is_never_shown() -> None:
    assert ONE.private.hex() not in repr(ONE)
    assert repr(ONE.private) not in repr(ONE)
    assert repr(ONE.public) in repr(ONE)
