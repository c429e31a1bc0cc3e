"""Instances connected over TCP: frames of an outgoing list arrive in the peer's; unreachable peers are reported."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from unittest.mock import Mock

import pytest
from redis import Redis

from brokerui.core.backoff import Backoff
from brokerui.messaging.endpoint import link as links
from brokerui.messaging.endpoint import process
from brokerui.messaging.exchange.lists import FrameList, connections, put_arrived, run, take_outgoing, waiting
from brokerui.messaging.exchange.messages import Failed, Online
from routing.adjacent.connection_settings import ConnectionSettings
from routing.adjacent.roles import RoleAnswer, RoleQuestion, write_role
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import QUICK, address, fragment, running, send
from tests.brokerui.messaging.endpoint.valkey import Valkey

QUESTION_ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
HASTY = ConnectionSettings(
    max_outgoing_bytes=1 << 20, login_timeout_ms=2000, closing_timeout_ms=1000, idle_timeout_ms=300
)


def test_fragments_go_to_and_fro_over_one_connection(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a, b = address(), address()
        async with running(valkey, {"A": [a], "B": [b]}) as scene:
            there = [fragment(number, 1000) for number in range(500)]
            back = [fragment(number, 1000, conversation=2) for number in range(500)]
            assert send(client, "A", b, there) == []
            await scene.until(lambda: len(scene.came) == 500, "B")
            assert scene.came == there
            assert scene.woken > 0
            scene.came.clear()
            assert send(client, "B", a, back) == []
            await scene.until(lambda: len(scene.came) == 500 and len(scene.notices) > 1, "A")
            assert scene.came == back
            assert scene.notices == [Online("A", b), Online("B", a)]
            rows = await scene.until(lambda: [row for row in connections(client) if row.state == 4])
            assert {(row.instance, row.peer) for row in rows} == {("A", "B"), ("B", "A")}
            assert len(rows) == 2, "the second one that was dialled was a duplicate"

    played(scenario())


def test_what_is_shown_of_a_connection(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: scene.came, "B")
            row = await scene.until(lambda: [row for row in connections(client) if row.total_fragments_sent])
            (row,) = row
            assert (row.state_desc, row.login_state_desc, row.is_accept) == ("LOGGED_IN", "ONLINE", False)
            assert (row.instance, row.address, row.peer) == ("A", b, "B")
            assert (row.total_fragments_sent, row.encryption_algorithm_desc) == (1, "NONE")
            assert row.connect_time <= str(row.login_time) <= row.last_activity_time
        assert connections(client) == [], "it says so when it ends"

    played(scenario())


def test_rows_of_connections_come_back_after_redis_has_lost_them(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: len(connections(client)) == 2)
            client.flushall()
            await scene.until(lambda: len(connections(client)) == 2)

    played(scenario())


def test_questions_about_roles_pass_like_fragments(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        frames = [
            fragment(0),
            write_role(RoleQuestion(QUESTION_ID, "//x/Target")),
            fragment(1),
            write_role(RoleAnswer(QUESTION_ID, "PRINCIPAL")),
        ]
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            send(client, "A", b, frames)
            await scene.until(lambda: len(scene.came) == 4, "B")
            assert sorted(scene.came) == sorted(frames)

    played(scenario())


def test_an_instance_may_send_to_itself(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            for number in range(3):
                send(client, "A", a, [fragment(number)])
                await scene.until(lambda n=number: len(scene.came) == n + 1, "A")
            assert scene.notices == [Online("A", a)], "one connection for all of them"

    played(scenario())


def test_frames_that_come_one_by_one_come_with_the_news_of_them(
    valkey: Valkey, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "WAIT_SECONDS", 0.05)
    question = Mock(side_effect=take_outgoing)
    monkeypatch.setattr(links, "take_outgoing", question)

    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:

            async def pass_on(first: int, last: int) -> int:
                """Send numbered frames; return how often the link asked for frames itself."""
                before = question.call_count
                send(client, "A", b, [fragment(number) for number in range(first, last)])
                await scene.until(lambda: len(scene.came) == last, "B")
                await asyncio.sleep(3 * process.WAIT_SECONDS)  # the endpoint begins another wait
                return question.call_count - before

            assert await pass_on(0, 1) == 1
            assert [await pass_on(number, number + 1) for number in (1, 2)] == [0, 0]
            assert await pass_on(3, 20) == 0
            assert await pass_on(20, 21) == 1, "several came last: so it gathers them again"

    played(scenario())


def test_an_idle_connection_is_closed_and_made_again(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}, connection=HASTY) as scene:
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: len(scene.seen(ConnectionSubclass.CLOSED)) == 2, "B")
            assert {event.text for event in scene.seen(ConnectionSubclass.CLOSED)} == {"idle"}
            await scene.looked()
            assert len(scene.look().seen(ConnectionSubclass.CONNECTING)) == 1, "nobody wants it"
            send(client, "A", b, [fragment(1)])
            await scene.until(lambda: len(scene.came) == 2 and len(scene.notices) > 1, "B")
            assert scene.notices == [Online("A", b)] * 2

    played(scenario())


@pytest.mark.parametrize(
    ("there", "error", "text"),
    [("tcp://127.0.0.1:1", 9754, "111(Connection refused)"), ("tcp://nowhere.invalid:4022", 9783, "")],
)
def test_an_address_that_cannot_be_reached_is_told_with_the_reason_of_the_system(
    valkey: Valkey, client: Redis, there: str, error: int, text: str
) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": []}) as scene:
            send(client, "A", there, [fragment(0)])
            await scene.until(lambda: len(scene.notices) > 2)
            first = scene.notices[0]
            assert isinstance(first, Failed)
            assert first[:3] == ("A", there, error)
            assert text in first.text
            assert first.text
            assert waiting(client) == {}, "no frames are kept for an unreachable peer"
            assert scene.seen(ConnectionSubclass.CONNECT_FAILED)[0].text == first.text

    played(scenario())


def test_an_address_is_tried_less_and_less_often_and_given_up_once_nobody_wants_it(
    valkey: Valkey, client: Redis
) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": []}, wanted_for=1.0, reconnects=Backoff(first_s=0.1, max_s=0.3)) as scene:
            send(client, "A", "tcp://127.0.0.1:1", [fragment(0)])
            await scene.until(lambda: scene.endpoint.hosts["A"].links)
            await scene.until(lambda: not scene.endpoint.hosts["A"].links)
            assert 3 <= len(scene.notices) <= 8

    played(scenario())


def test_who_comes_up_later_is_told_at_once(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        hosted: dict[str, list[str]] = {"A": [], "B": []}
        async with running(valkey, hosted) as scene:
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: scene.notices)
            hosted["B"] = [b]
            await scene.until(lambda: Online("A", b) in scene.notices)

    played(scenario())


def test_a_peer_that_restarts_is_connected_again_without_being_asked(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        hosted = {"A": [], "B": [b]}
        async with running(valkey, hosted) as scene:
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: scene.came, "B")
            del hosted["B"]
            await scene.until(lambda: any(isinstance(one, Failed) for one in scene.notices))
            hosted["B"] = [b]
            await scene.until(lambda: scene.notices.count(Online("A", b)) == 2)
            assert len(scene.seen(LoginSubclass.LOGIN_SUCCESS)) == 4

    played(scenario())


def test_what_is_to_be_sent_by_an_instance_that_is_not_hosted_is_discarded(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": []}) as scene:
            send(client, "B", "tcp://127.0.0.1:1", [fragment(0)])
            await scene.until(lambda: waiting(client) == {})
            assert scene.endpoint.hosts["A"].links == {}

    played(scenario())


def test_what_was_put_while_no_endpoint_ran_is_sent(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        send(client, "A", b, [fragment(0)])
        client.delete("brokerui:endpoint:wanted")
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            await scene.until(lambda: scene.came, "B")

    played(scenario())


def test_workers_are_woken_again_for_what_nobody_took(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        run(client, put_arrived("A", [fragment(0)]))
        async with running(valkey, {"A": []}) as scene:
            await scene.until(lambda: scene.woken > 1)

    played(scenario())


def test_what_cannot_be_a_frame_is_lost_and_nothing_else(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            send(client, "A", b, [b"\0\0\0\1x"])
            await scene.until(lambda: Online("A", b) in scene.notices)
            await scene.until(lambda: FrameList("A", b) not in waiting(client))
            send(client, "A", b, [fragment(0)])
            await scene.until(lambda: scene.came == [fragment(0)], "B")

    played(scenario())


def test_a_second_address_of_the_same_peer_uses_the_same_connection(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        first, second = address(), address()
        async with running(valkey, {"A": [], "B": [first, second]}) as scene:
            send(client, "A", first, [fragment(0)])
            await scene.until(lambda: len(scene.came) == 1, "B")
            send(client, "A", second, [fragment(1)])
            await scene.until(lambda: len(scene.came) == 2, "B")
            send(client, "A", first, [fragment(2)])
            await scene.until(lambda: len(scene.came) == 3, "B")
            assert len(scene.endpoint.hosts["A"].neighbours) == 1
            await scene.until(lambda: len(scene.endpoint.hosts["A"].wires) == 1)

    played(scenario())


def test_an_instance_has_no_more_next_hops_than_it_may(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": []}, next_hops=3) as scene:
            for port in range(1, 10):
                send(client, "A", f"tcp://127.0.0.1:{port}", [fragment(0)])
            await scene.until(lambda: len(scene.endpoint.hosts["A"].links) == 3)
            await scene.looked()
            assert len(scene.endpoint.hosts["A"].links) == 3

    played(scenario())


def test_without_tls_nothing_goes_beyond_this_machine_unless_that_is_allowed(valkey: Valkey, client: Redis) -> None:
    far = "tcp://192.0.2.1:4022"

    async def scenario() -> None:
        async with running(valkey, {"A": []}) as scene:
            send(client, "A", far, [fragment(0)])
            await scene.until(lambda: scene.notices)
            assert scene.notices[0] == Failed(
                "A", far, 9751, "encryption is required beyond this machine, and no certificate is set"
            )
        async with running(valkey, {"A": []}, is_encryption_required=False, connect_within=0.2) as scene:
            send(client, "A", far, [fragment(0)])
            await scene.until(lambda: len(scene.notices) > 1)
            assert all(one.error == 9754 for one in scene.notices[1:] if isinstance(one, Failed))

    played(scenario())


def test_without_tls_it_does_not_listen_beyond_this_machine(valkey: Valkey, caplog: pytest.LogCaptureFixture) -> None:
    everywhere = address().replace("127.0.0.1", "0.0.0.0")

    async def scenario() -> None:
        hosted: dict[str, list[str]] = {"A": []}
        async with running(valkey, hosted) as scene:
            hosted["A"] = [everywhere]
            listeners = scene.endpoint.hosts["A"].listeners
            await scene.until(lambda: listeners and listeners[everywhere].problem)
            await scene.looked()
            assert not listeners[everywhere].is_open
        async with running(valkey, hosted, is_encryption_required=False) as scene:
            assert scene.endpoint.hosts["A"].listeners[everywhere].is_open

    played(scenario())
    messages = [record.getMessage() for record in caplog.records if "ENDPOINT_ENCRYPTION" in record.getMessage()]
    assert len(messages) == 1, "once, however often it is tried"


def test_an_address_that_is_taken_is_said_once_and_tried_again(
    valkey: Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        b = address()
        hosted: dict[str, list[str]] = {"A": [b], "B": []}
        async with running(valkey, hosted) as scene:
            hosted["B"] = [b]
            await scene.until(lambda: scene.endpoint.hosts["B"].listeners)
            await scene.looked()
            hosted["A"] = []
            await scene.until(lambda: scene.endpoint.hosts["B"].listeners[b].is_open)

    played(scenario())
    messages = [record.getMessage() for record in caplog.records if "cannot listen" in record.getMessage()]
    assert len(messages) == 1
    assert QUICK.is_encryption_required


Found = list[tuple[int, int, int, str, tuple[str, int]]]


def finding(*places: str, seconds: float = 0.0) -> Callable[..., Awaitable[Found]]:
    """A name server that knows these addresses of every name."""

    async def found(host: str, port: int, **_more: object) -> Found:
        await asyncio.sleep(seconds)
        return [(0, 0, 0, "", (place, port)) for place in places]

    return found


def test_every_address_of_a_name_is_tried(valkey: Valkey, client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", finding("::1", "127.0.0.1"), raising=False)
            to = b.replace("127.0.0.1", "both.example")
            send(client, "A", to, [fragment(0)])
            await scene.until(lambda: scene.came and scene.notices, "B")
            assert scene.notices == [Online("A", to)]

    played(scenario())


def test_a_name_server_that_does_not_answer_is_not_waited_for(
    valkey: Valkey, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": []}, connect_within=0.2) as scene:
            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", finding(seconds=60), raising=False)
            send(client, "A", "tcp://slow.example:4022", [fragment(0)])
            await scene.until(lambda: scene.notices)
            assert scene.notices[0] == Failed("A", "tcp://slow.example:4022", 9754, "no answer in time")

    played(scenario())


def test_a_question_alone_goes_and_nothing_goes_over_a_connection_that_closes(valkey: Valkey, client: Redis) -> None:
    async def scenario() -> None:
        b = address()
        question = write_role(RoleQuestion(QUESTION_ID, "//x/Target"))
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            send(client, "A", b, [question])
            await scene.until(lambda: scene.came == [question], "B")
            (wire,) = scene.endpoint.hosts["A"].wires.values()
            wire.close()
            assert wire.send([fragment(0)]) == 0

    played(scenario())


def test_a_fault_of_ours_is_logged_and_the_rest_goes_on(valkey: Valkey, caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ZeroDivisionError("a fault of ours")

    async def scenario() -> None:
        async with running(valkey, {"A": []}) as scene:
            scene.endpoint.hosts["A"].start(fails())
            await scene.until(lambda: "a fault of ours" in caplog.text)

    played(scenario())
