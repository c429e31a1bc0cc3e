"""TLS with certificates on both sides: only a peer with a valid one for its own name is accepted."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis import Redis

from brokerui.messaging.endpoint.tls import Tls, tls_of
from brokerui.messaging.exchange.lists import connections
from brokerui.messaging.exchange.messages import Failed, Online
from routing.common.errors import Invalid
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import Scene, address, dialled, fragment, running, send
from tests.brokerui.messaging.endpoint.valkey import Valkey


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def test_two_with_certificates_exchange_fragments(valkey: Valkey, client: Redis, authority: Authority) -> None:
    b = address()

    async def scenario() -> None:
        tls = authority.tls("A", connect=("A.example=A", "a=B"))
        async with running(valkey, {"A": [], "B": [b]}, tls=tls) as scene:
            frames = [fragment(number, 60_000) for number in range(30)]
            assert send(client, "A", b, frames) == []
            await scene.until(lambda: len(scene.came) == 30, "B")
            assert scene.came == frames
            assert {event.principal for event in scene.seen(LoginSubclass.LOGIN_SUCCESS)} == {"A"}
            rows = await scene.until(lambda: connections(client))
            assert {(row.authentication_method, row.encryption_algorithm_desc) for row in rows} == {
                ("CERTIFICATE", "AES")
            }

    played(scenario())


async def refused(
    valkey: Valkey, client: Redis, ours: Tls | None, theirs: Tls | None, name: str = "B"
) -> tuple[Scene, list[Failed]]:
    """`ours` dials, `theirs` listens; nothing goes through. Each has a database of its own in the same Valkey."""
    b = address()
    other = Valkey(valkey.home)
    other.url = f"{valkey.url}?db=1"
    client.flushall()  # what the last ones had to say
    async with AsyncExitStack() as stack:
        accepting = await stack.enter_async_context(running(other, {name: [b]}, tls=theirs))
        dialling = await stack.enter_async_context(running(valkey, {"A": []}, tls=ours))
        send(client, "A", b, [fragment(0)])
        failed = lambda: [one for one in dialling.notices if isinstance(one, Failed)]  # noqa: E731 - asked twice
        await dialling.until(failed)
        await accepting.until(lambda: accepting.seen(ConnectionSubclass.CLOSED), name)
        assert not any(isinstance(one, Online) for one in dialling.notices)
        assert accepting.came == []
        # Others are still let in, or at least spoken with.
        dialled(b).close()
    return accepting, failed()


def test_an_expired_certificate_is_refused(valkey: Valkey, client: Redis, authority: Authority) -> None:
    async def scenario() -> None:
        accepting, _ = await refused(valkey, client, authority.tls("A", days=-1), authority.tls("B"))
        (event, *_) = accepting.seen(LoginSubclass.AUTHENTICATION_FAILURE)
        assert "expired" in event.text

    played(scenario())


def test_a_certificate_of_another_authority_is_refused(
    valkey: Valkey, client: Redis, authority: Authority, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other", "other")

    async def scenario() -> None:
        accepting, _ = await refused(valkey, client, other.tls("A", authority=authority), authority.tls("B"))
        assert accepting.seen(LoginSubclass.AUTHENTICATION_FAILURE)
        _, failed = await refused(valkey, client, authority.tls("A"), other.tls("B"))
        assert {one.error for one in failed} == {9751}

    played(scenario())


def test_the_certificate_of_who_was_dialled_is_for_its_address(
    valkey: Valkey, client: Redis, authority: Authority
) -> None:
    async def scenario() -> None:
        _, failed = await refused(valkey, client, authority.tls("A"), authority.tls("B", places=["127.0.0.9"]))
        assert failed[0].error == 9751
        assert "127.0.0.1" in failed[0].text

    played(scenario())


@pytest.mark.parametrize(
    ("name", "connect"),
    [
        ("C", ()),
        ("A", ("C",)),
        ("A", ("A=C",)),
    ],
    ids=["another's name", "no permission", "permission for another name"],
)
def test_a_peer_comes_in_only_as_the_instance_of_its_certificate(
    valkey: Valkey, client: Redis, authority: Authority, name: str, connect: tuple[str, ...]
) -> None:
    async def scenario() -> None:
        theirs = authority.tls("B", connect=connect)
        accepting, failed = await refused(valkey, client, authority.tls(name), theirs)
        (event, *_) = accepting.seen(LoginSubclass.AUTHORIZATION_FAILURE)
        assert (event.peer, event.principal) == ("A", name)
        assert failed[0].error == 9758, "the other side says no more than that it closes"
        assert name in failed[0].text

    played(scenario())


def test_who_was_dialled_must_be_the_instance_of_its_certificate_too(
    valkey: Valkey, client: Redis, authority: Authority
) -> None:
    async def scenario() -> None:
        _, failed = await refused(valkey, client, authority.tls("A"), authority.tls("B", connect=("A",)), name="X")
        assert failed[0].error == 9751
        assert "X" in failed[0].text

    played(scenario())


NO_TLS = "the peer speaks without TLS"


def test_one_side_with_tls_and_one_without_do_not_speak(valkey: Valkey, client: Redis, authority: Authority) -> None:
    async def scenario() -> None:
        accepting, _ = await refused(valkey, client, None, authority.tls("B"))
        (negotiated,) = accepting.seen(LoginSubclass.NEGOTIATE_FAILURE)
        assert NO_TLS in str(negotiated)
        accepting, failed = await refused(valkey, client, authority.tls("A"), None)
        assert accepting.seen(LoginSubclass.MESSAGE_FORMAT_ERROR)
        assert [NO_TLS in str(one) for one in failed] == [True]

    played(scenario())


def test_who_says_nothing_in_the_handshake_is_left(valkey: Valkey, client: Redis, authority: Authority) -> None:
    a = address()

    async def scenario() -> None:
        async with running(valkey, {"A": [a]}, tls=authority.tls("A")) as scene:
            peer = dialled(a)
            await scene.until(lambda: scene.seen(LoginSubclass.NEGOTIATE_FAILURE))
            await scene.until(lambda: len(scene.endpoint.guests) == 0)
            peer.close()

    played(scenario())


# -- Settings ----------------------------------------------------------------------------------------------


def test_without_files_there_is_no_tls() -> None:
    assert tls_of("", "", "", []) is None


def test_files_that_cannot_be_used_are_named(authority: Authority, tmp_path: Path) -> None:
    certificate, key = map(str, authority.files("A"))
    other, _ = map(str, authority.files("B"))
    (tmp_path / "empty").write_text("")
    for given, setting in [
        ((certificate, key, ""), "ENDPOINT_AUTHORITY"),
        ((certificate, "", ""), "ENDPOINT_KEY"),
        (("/nowhere", key, certificate), "ENDPOINT_CERTIFICATE"),
        ((other, key, certificate), "ENDPOINT_KEY"),
        ((certificate, key, str(tmp_path / "empty")), "ENDPOINT_AUTHORITY"),
    ]:
        with pytest.raises(Invalid) as found:
            tls_of(*given, [])
        assert found.value.path == setting
