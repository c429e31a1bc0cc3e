"""The protection of a dialog, the keys that open it, and the messages that are refused."""

from __future__ import annotations

import pytest

from routing.adjacent.errors import Corrupted, RemoteProtocolError
from routing.adjacent.fragment import Fragment, read_fragment, write_fragment
from routing.adjacent.guard import DIGEST, DIGEST_GUARD, KEYED, MD5, NO_KEY, SEALED
from routing.common.errors import Invalid
from routing.security.guards import KeyedGuard, Md5Guard, SealedGuard
from routing.security.policy import (
    NO_BINDING,
    Integrity,
    Keyring,
    Undeliverable,
    open_fragment,
    protection_kind,
)
from tests.routing.adjacent.wire import CONVERSATION, HEADER
from tests.routing.security.ciphers import Quick
from tests.routing.security.test_keys import ONE, OTHER, THIRD

RING = Keyring(Quick(), ONE, [OTHER.public], "md5")
PEER = Keyring(Quick(), OTHER, [ONE.public], "md5")
NAME = RING.key_id(OTHER.public) or b""


@pytest.mark.parametrize(
    ("same_database", "encryption", "bound", "authenticated", "md5"),
    [
        (True, True, True, DIGEST, DIGEST),
        (True, True, False, DIGEST, DIGEST),
        (True, False, True, DIGEST, DIGEST),
        (True, False, False, DIGEST, DIGEST),
        (False, True, True, SEALED, SEALED),
        (False, True, False, None, None),
        (False, False, True, KEYED, MD5),
        (False, False, False, DIGEST, MD5),
    ],
)
def test_the_protection_of_a_dialog(
    same_database: bool, encryption: bool, bound: bool, authenticated: int | None, md5: int | None
) -> None:
    protections: list[tuple[Integrity, int | None]] = [("authenticated", authenticated), ("md5", md5)]
    for integrity, expected in protections:
        assert (
            protection_kind(same_database=same_database, encryption=encryption, bound=bound, integrity=integrity)
            == expected
        )
    assert protection_kind(same_database=same_database, encryption=encryption, bound=bound) == authenticated
    assert NO_BINDING == 9727


@pytest.mark.parametrize(("kind", "made"), [(KEYED, KeyedGuard), (SEALED, SealedGuard), (MD5, Md5Guard)])
def test_two_databases_that_are_bound_open_what_the_other_closed(kind: int, made: type) -> None:
    ours = RING.guard(kind, CONVERSATION, True, NAME)
    assert type(ours) is made
    fragment = read_fragment(write_fragment(HEADER, b"hello", ours))
    # The target takes kind and key from the first message.
    theirs = PEER.guard(fragment.integrity, fragment.header.conversation_id, False, fragment.key_id)
    assert open_fragment(fragment, theirs) == b"hello"


def test_without_keys_there_are_digests() -> None:
    ring = Keyring(Quick(), None, [OTHER.public], "md5")
    assert ring.guard(DIGEST, CONVERSATION, True) is DIGEST_GUARD
    assert type(ring.guard(MD5, CONVERSATION, True)) is Md5Guard
    assert ring.key_id(OTHER.public) is None


def test_md5_is_taken_only_where_it_is_switched_on() -> None:
    ring = Keyring(Quick(), ONE, [OTHER.public])
    for name in (NO_KEY, NAME):
        with pytest.raises(Undeliverable, match="integrity: is of the kind md5, which is not switched on here"):
            ring.guard(MD5, CONVERSATION, True, name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (SEALED, NO_KEY),
        (KEYED, NO_KEY),
        (SEALED, b"somebody"),
        (KEYED, b"somebody"),
        (MD5, b"somebody"),
        (DIGEST, NAME),
    ],
)
def test_keys_that_are_not_known_open_nothing(kind: int, name: bytes) -> None:
    with pytest.raises(Undeliverable) as error:
        RING.guard(kind, CONVERSATION, False, name)
    assert error.value.number == 11229
    assert isinstance(error.value, RemoteProtocolError)


def test_a_keyring_knows_its_peers() -> None:
    assert RING.key_id(OTHER.public) == PEER.key_id(ONE.public) == NAME
    assert RING.key_id(THIRD.public) is None
    with pytest.raises(Invalid, match="public key"):
        Keyring(Quick(), ONE, [b"short"])


def test_the_keys_of_a_dialog_are_kept_ready() -> None:
    assert RING.guard(SEALED, CONVERSATION, True, NAME) is RING.guard(SEALED, CONVERSATION, True, NAME)
    assert RING.guard(SEALED, CONVERSATION, True, NAME) is not RING.guard(SEALED, CONVERSATION, False, NAME)


def of(kind: int) -> Fragment:
    name = NO_KEY if kind == DIGEST else NAME
    return read_fragment(write_fragment(HEADER, b"hello", RING.guard(kind, CONVERSATION, True, name)))


@pytest.mark.parametrize("expected", [DIGEST, KEYED, SEALED, MD5])
@pytest.mark.parametrize("came", [DIGEST, KEYED, SEALED, MD5])
def test_a_dialog_keeps_its_protection(came: int, expected: int) -> None:
    guard = PEER.guard(expected, CONVERSATION, False, NO_KEY if expected == DIGEST else NAME)
    if came == expected:
        assert open_fragment(of(came), guard) == b"hello"
        return
    with pytest.raises(RemoteProtocolError) as error:
        open_fragment(of(came), guard)
    secured = {KEYED, SEALED}
    if (came in secured) == (expected in secured):
        assert isinstance(error.value, Corrupted)
    else:
        assert isinstance(error.value, Undeliverable)
        assert error.value.number == (11231 if came in secured else 11232)
