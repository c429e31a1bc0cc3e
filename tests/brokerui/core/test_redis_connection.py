"""The connection of a thread to Redis is kept, is replaced where it was lost, and gives each command its own answer."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from redis import DataError, Redis, ResponseError

from brokerui.core.redis_client import ThreadRedis, redis_client
from brokerui.core.redis_connection import Script, packed
from brokerui.core.redis_keys import ENDPOINT
from tests.brokerui.messaging.conftest import client, one_valkey, valkey
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.messaging.endpoint.valkey import Valkey

__all__ = ["client", "one_valkey", "valkey"]

PUSH = "return redis.call('RPUSH', KEYS[1], ARGV[1])"
KEY = f"{ENDPOINT}notices"
"""A list of the product: foreign data in it is put aside."""


@pytest.fixture
def kept(valkey: Valkey, settings: Any) -> Iterator[ThreadRedis]:
    settings.REDIS_URL = valkey.url
    found = redis_client(connect_s=1, answer_s=1)
    found.ping()
    yield found
    found.close()


def post(kept: ThreadRedis, value: str, key: str = KEY) -> None:
    kept.post_script(Script(PUSH, sha1(PUSH.encode(), usedforsecurity=False).hexdigest()), (1, key, value))


def connections(client: Redis) -> int:
    return len(client.client_list()) - 1


def test_a_thread_keeps_one_connection_and_another_has_its_own(kept: ThreadRedis, client: Redis) -> None:
    client.ping()
    before = connections(client)
    ids = [kept.client_id() for _ in range(5)]
    thread = threading.Thread(target=lambda: ids.append(kept.client_id()))
    thread.start()
    thread.join()
    assert len(set(ids[:5])) == 1
    assert ids[5] != ids[0]
    assert connections(client) <= before + 1


def test_a_connection_that_the_server_has_ended_is_replaced(kept: ThreadRedis, client: Redis) -> None:
    first = kept.client_id()
    client.client_kill_filter(_id=str(first))
    assert kept.client_id() != first


def test_an_answer_that_nobody_has_read_is_given_to_no_other_command(kept: ThreadRedis) -> None:
    kept.set("mine", "my answer")
    connection = kept._kept._connection
    connection.send_command("ECHO", "another answer")
    assert connection.can_read(1)
    assert kept.get("mine") == b"my answer"


def test_an_answer_that_came_together_with_another_is_given_to_no_other_command(kept: ThreadRedis) -> None:
    kept.set("mine", "my answer")
    connection = kept._kept._connection
    connection.send_packed_command([packed(("ECHO", "first")) + packed(("ECHO", "second"))])
    assert connection.read_response() == b"first"
    assert kept.get("mine") == b"my answer"


def _serve(server: socket.socket, context: ssl.SSLContext, connections: list[bytes]) -> None:
    """Give the first command of each connection this answer, in one record of TLS."""
    for answer in connections:
        with context.wrap_socket(server.accept()[0], server_side=True) as accepted:
            accepted.recv(1000)
            accepted.sendall(answer)
            accepted.recv(1000)


def test_an_answer_that_came_with_another_in_one_record_of_tls_is_given_to_no_other_command(tmp_path: Path) -> None:
    context = Authority(tmp_path).tls("A").accepting
    context.verify_mode = ssl.CERT_NONE
    first = b"$2\r\nA1\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections = [first + b"$2\r\nA2\r\n", b"$2\r\nB1\r\n"]
        threading.Thread(target=_serve, args=(server, context, connections), daemon=True).start()
        url = f"rediss://127.0.0.1:{server.getsockname()[1]}?ssl_cert_reqs=none&ssl_check_hostname=false"
        kept = ThreadRedis.from_url(url, protocol=2, driver_info=None, socket_read_size=len(first), socket_timeout=2)
        try:
            assert [kept.get("a"), kept.get("b")] == [b"A1", b"B1"]
        finally:
            kept.close()


def test_answers_are_those_of_the_library(kept: ThreadRedis) -> None:
    kept.hset("h", mapping={"a": 1})
    kept.zadd("z", {"m": 2.5})
    assert kept.hgetall("h") == {b"a": b"1"}
    assert kept.zrange("z", 0, -1, withscores=True) == [(b"m", 2.5)]
    assert kept.blpop(["nothing"], timeout=0.01) is None


@pytest.mark.parametrize("words", [("GET", object()), ("GET", None), ("GET", ["a"])])
def test_a_word_that_the_server_cannot_be_given_is_refused(kept: ThreadRedis, words: Any) -> None:
    with pytest.raises(DataError):
        kept.execute_command(*words)
    with pytest.raises(DataError):
        kept.run_all([("PING",), words])
    assert kept.ping()


def test_commands_on_one_way_have_each_its_own_answer(kept: ThreadRedis, client: Redis) -> None:
    post(kept, "0")
    kept.set("text", "no list")
    popped, wrong, after = kept.run_all([("BLPOP", KEY, 5), ("LPUSH", "text", "x"), ("GET", "text")])
    assert (popped, after) == ((KEY.encode(), b"0"), b"no list")
    assert isinstance(wrong, ResponseError)
    assert kept.get("text") == b"no list"


def test_posted_scripts_run_in_order_and_each_command_has_its_own_answer(kept: ThreadRedis, client: Redis) -> None:
    for number in range(5):
        post(kept, str(number))
    assert kept.llen(KEY) == 5
    post(kept, "5")
    assert kept.get("nothing") is None
    assert client.lrange(KEY, 0, -1) == [b"%d" % number for number in range(6)]


def test_a_posted_script_that_the_server_has_forgotten_runs_all_the_same(kept: ThreadRedis, client: Redis) -> None:
    post(kept, "before")
    client.script_flush()
    post(kept, "forgotten")
    post(kept, "after")
    assert sorted(client.lrange(KEY, 0, -1)) == [b"after", b"before", b"forgotten"]


def test_foreign_data_in_the_key_of_a_posted_script_is_put_aside(kept: ThreadRedis, client: Redis) -> None:
    post(kept, "known")
    client.set(KEY, "foreign")
    post(kept, "late")
    kept.ping()
    assert client.lrange(KEY, 0, -1) == [b"late"]


def test_an_error_of_a_posted_script_that_is_its_own_is_raised(kept: ThreadRedis, client: Redis) -> None:
    client.set("not ours", "text")
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        post(kept, "first", "not ours")


def test_a_late_error_of_a_posted_script_is_logged_and_fails_no_other_command(
    kept: ThreadRedis, client: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    post(kept, "known", "not ours")
    client.set("not ours", "text")
    post(kept, "late", "not ours")
    assert kept.ping()
    assert "WRONGTYPE" in caplog.text


def test_a_connection_that_is_lost_with_an_answer_costs_one_script_at_most(kept: ThreadRedis, client: Redis) -> None:
    post(kept, "known")
    post(kept, "on its way")
    client.client_kill_filter(_type="normal", skipme=True)
    post(kept, "next")
    kept.ping()
    assert client.lrange(KEY, 0, -1)[-1] == b"next"


def test_a_fork_has_a_connection_of_its_own(kept: ThreadRedis) -> None:
    post(kept, "known")
    post(kept, "before the fork")
    own = kept.client_id()
    post(kept, "unread in the parent")
    child = os.fork()
    if not child:
        os._exit(0 if kept.client_id() != own and kept.llen(KEY) == 3 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert kept.client_id() == own


PROGRAM = """
import os, sys
import django
django.setup()
from tests.brokerui.core import test_redis_connection as tests
from brokerui.core.redis_client import redis_client
kept = redis_client(connect_s=1, answer_s=1)
for value in ("known", "last"):
    tests.post(kept, value)
"""


def test_a_script_that_a_process_posts_as_its_last_act_runs(valkey: Valkey, client: Redis) -> None:
    environ = {**os.environ, "REDIS_URL": valkey.url, "DJANGO_SETTINGS_MODULE": "brokerui.settings"}
    subprocess.run([sys.executable, "-c", PROGRAM], env=environ, check=True)
    assert client.lrange(KEY, 0, -1) == [b"known", b"last"]
