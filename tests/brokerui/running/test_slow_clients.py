"""Clients that do not send, or not enough, do not delay the answers to others: a real server with two threads."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import pytest
from waitress.server import create_server
from waitress.wasyncore import close_all, loop

from brokerui.core import refusals
from brokerui.core.home import CHECKOUT
from brokerui.core.refusals import LineBudget
from brokerui.running.slow_clients import ARRIVAL_S, HEAD_BYTES, SENDING_S, HttpConnection
from tests.brokerui.product import eventually, free_port

THREADS = 2
CLIENTS = 40
HEAD = b"GET /slow HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = b"POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nuser"
WHOLE = b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served() as number:
        yield number


@contextmanager
def served(**environment: str) -> Iterator[int]:
    """The port of a server of its own."""
    number = free_port()
    worker = ["-k", "brokerui.running.slow_clients.BufferedWorker", "--threads", str(THREADS), "--no-control-socket"]
    command = [sys.executable, "-m", "gunicorn", "-b", f"127.0.0.1:{number}", *worker, "tests.brokerui.echo"]
    environ = {**os.environ, **environment}
    process = subprocess.Popen(command, cwd=CHECKOUT, env=environ, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: answers(number))
        yield number
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def answers(number: int) -> bool:
    try:
        with talking(number) as client:
            return is_answered(client, 0)
    except OSError:
        return False


@contextmanager
def talking(port: int) -> Iterator[socket.socket]:
    with closing(socket.create_connection(("127.0.0.1", port), timeout=ARRIVAL_S - 1)) as client:
        yield client


def is_answered(client: socket.socket, number: int) -> bool:
    client.sendall(WHOLE % number)
    return f"\r\n\r\n/{number} 0" in received(client)


def received(client: socket.socket, end: str = " 0") -> str:
    text = ""
    while not text.endswith(end) and (piece := client.recv(65536)):
        text += piece.decode()
    return text


@pytest.mark.parametrize("begins", [b"", b"G", HEAD, BODY, WHOLE % 1 + HEAD, WHOLE % 1 + BODY], ids=range(6))
def test_many_slow_clients_take_nothing_from_others(port: int, begins: bytes) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(talking(port)) for _ in range(CLIENTS)]
        for client in clients:
            client.sendall(begins)
        for number in range(THREADS * 2):
            for client in clients:
                client.sendall(b"x" if begins else b"")
            with talking(port) as other:
                assert is_answered(other, number)


def test_who_is_late_is_answered_all_the_same(port: int) -> None:
    with talking(port) as client:
        for byte in BODY:
            client.sendall(bytes([byte]))
        client.sendall(b"x" * 996)
        assert received(client, "1000").endswith("/slow 1000")
        assert is_answered(client, 2), "the connection is used again"


def test_requests_that_come_in_one_piece_are_all_answered(port: int) -> None:
    with talking(port) as client:
        client.sendall(WHOLE % 1 + WHOLE % 2 + (WHOLE % 3)[:20])
        time.sleep(0.2)  # the rest comes in a packet of its own
        client.sendall((WHOLE % 3)[20:])
        text = received(client, "/3 0")
        assert all(f"/{number} 0" in text for number in (1, 2, 3))


def test_a_large_body_and_one_that_has_to_be_asked_for(port: int) -> None:
    size = 5 * 64 * 1024
    head = b"PUT /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % size
    with talking(port) as client:
        client.sendall(head + b"\r\n" + b"x" * size)
        assert received(client, str(size)).endswith(f"/large {size}")
        client.sendall(head.replace(str(size).encode(), b"4") + b"Expect: 100-continue\r\n\r\n")
        assert "100 Continue" in received(client, "\r\n\r\n")
        client.sendall(b"four")
        assert received(client, " 4").endswith("/large 4")


def test_nobody_waits_for_ever() -> None:
    """Neither for a head, nor for a large body that comes byte by byte: by a server that waits for a second only."""
    large = b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
    with served(ECHO_ARRIVAL_S="1") as port, talking(port) as head, talking(port) as body:
        head.sendall(HEAD)
        body.sendall(large)
        ended, until = set[int](), time.monotonic() + 25
        for client in (head, body):
            client.setblocking(False)
        while len(ended) < 2:
            assert time.monotonic() < until
            for client in {head, body} - {one for one in (head, body) if id(one) in ended}:
                try:
                    client.send(b"x")
                    if client.recv(1000) == b"":
                        ended.add(id(client))
                except BlockingIOError:
                    continue
                except OSError:
                    ended.add(id(client))
            time.sleep(0.2)  # a byte now and then


def test_readers_that_stand_still_take_nothing_from_others(port: int) -> None:
    size = 12_000_000
    with ExitStack() as stack:
        clients = [stack.enter_context(talking(port)) for _ in range(2 * THREADS)]
        for client in clients:
            client.sendall(b"GET /give/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % size)
        for number in range(THREADS * 2):
            with talking(port) as other:
                assert is_answered(other, number)
        answer = b""
        while len(answer) < size and (piece := clients[0].recv(1 << 20)):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert len(answer) >= size, "a client that goes on reading gets all of it"


def test_more_requests_than_threads_wait_for_their_turn_before_the_end(port: int) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(talking(port)) for _ in range(CLIENTS)]
        for client in clients:
            client.sendall(WHOLE % 7)
        assert all(received(client).endswith("/7 0") for client in clients)


@pytest.mark.parametrize(
    ("sent", "status", "line"),
    [
        (b"\x16\x03\x01\x02\x00\xff\r\n\r\n", 400, r"400 '\x16\x03\x01\x02\x00ÿ' from 127.0.0.1: Bad Request, "),
        (b"GET / HTTP/1.1\r\nno header\r\n\r\n", 400, "400 'GET / HTTP/1.1' from 127.0.0.1: Bad Request, "),
        (
            b"GET / HTTP/1.1\r\nA: " + b"x" * 70_000,
            431,
            "431 'GET / HTTP/1.0' from 127.0.0.1: Request Header Fields Too Large, ",
        ),
        (b"PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413, "413 'PUT / HTTP/1.1' from 127.0.0.1: "),
    ],
    ids=["tls", "header", "long", "large"],
)
def test_what_is_no_request_is_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, sent: bytes, status: int, line: str
) -> None:
    monkeypatch.setattr(refusals, "_budget", LineBudget())
    channels: dict[int, object] = {}
    server = create_server(
        lambda environ, start: [], map=channels, listen="127.0.0.1:0", threads=1, max_request_header_size=HEAD_BYTES
    )
    server.channel_class = HttpConnection
    try:
        with talking(server.effective_port) as client:
            client.sendall(sent)
            client.setblocking(False)
            answer, until = b"", time.monotonic() + 10
            while not answer and time.monotonic() < until:
                loop(timeout=0.05, use_poll=True, map=channels, count=1)
                with suppress(BlockingIOError):
                    answer = client.recv(1000)
    finally:
        server.task_dispatcher.shutdown()
        close_all(channels)
    assert answer.split(b" ")[1] == str(status).encode()
    (record,) = caplog.records
    assert record.getMessage().startswith(line)
    assert len(record.getMessage()) < 500


def test_the_loop_does_not_spin_while_a_thread_sends() -> None:
    """The thread holds the lock of the connection, and the socket could take more all the while."""
    seconds, is_sending, turns = 0.2, threading.Event(), 0
    channels: dict[int, object] = {}
    server = create_server(lambda environ, start: [], map=channels, listen="127.0.0.1:0", threads=1)
    ours, theirs = socket.socketpair()
    with closing(theirs), closing(ours):
        connection = HttpConnection(server, ours, "", server.adj, channels)
        connection.requests, connection.total_outbufs_len = [object()], 1

        def send() -> None:
            with connection.outbuf_lock:
                is_sending.set()
                time.sleep(seconds)

        thread = threading.Thread(target=send)
        thread.start()
        is_sending.wait()
        while thread.is_alive():
            loop(timeout=seconds, use_poll=True, map=channels, count=1)
            turns += 1
        assert 1 < turns <= 1.2 * seconds / SENDING_S
    server.task_dispatcher.shutdown(timeout=1)
    server.close()
