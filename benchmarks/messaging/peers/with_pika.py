"""Messages of 1 KB through two RabbitMQ nodes; run by the Python of the peers. MODE COUNT PORT_FROM PORT_TO"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import pika

PERSISTENT = pika.BasicProperties(delivery_mode=2)
QUEUE = "q"


def main(mode: str, count: int, sends_to: int, receives_from: int) -> None:
    """Prints messages a second, from the first that is sent to the last that is received and acknowledged."""
    began = time.perf_counter()
    receiver = os.fork()  # a process for each side, as ours have
    if receiver == 0:
        receive(receives_from, count)
        os._exit(0)
    if mode == "asynchronous":
        Asynchronous(sends_to, count).run()
    else:
        blocking(sends_to, count)
    assert os.waitpid(receiver, 0)[1] == 0
    print(count / (time.perf_counter() - began))


def receive(port: int, count: int) -> None:
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    channel = connection.channel()
    channel.basic_qos(prefetch_count=1000)
    for number, (method, _, body) in enumerate(channel.consume(QUEUE), 1):
        assert len(body) == 1024
        if number % 100 == 0 or number == count:
            channel.basic_ack(method.delivery_tag, multiple=True)
        if number == count:
            break
    connection.process_data_events(0)
    connection.close()


def blocking(port: int, count: int) -> None:
    """One after the other is confirmed."""
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    channel = connection.channel()
    channel.confirm_delivery()
    for _ in range(count):
        channel.basic_publish("", QUEUE, os.urandom(1024), PERSISTENT, mandatory=True)
    connection.close()


class Asynchronous:
    """Send with at most a number of unconfirmed messages."""

    WINDOW = 2_000

    def __init__(self, port: int, count: int) -> None:
        self.count, self.sent, self.confirmed = count, 0, 0
        parameters = pika.ConnectionParameters("127.0.0.1", port)
        self.connection = pika.SelectConnection(parameters, on_open_callback=self._opened)

    def run(self) -> None:
        self.connection.ioloop.start()

    def _opened(self, connection: Any) -> None:
        connection.channel(on_open_callback=self._begun)

    def _begun(self, channel: Any) -> None:
        self.channel = channel
        channel.confirm_delivery(ack_nack_callback=self._heard, callback=lambda _frame: self._send())

    def _send(self) -> None:
        while self.sent < self.count and self.sent - self.confirmed < self.WINDOW:
            self.channel.basic_publish("", QUEUE, os.urandom(1024), PERSISTENT)
            self.sent += 1

    def _heard(self, frame: Any) -> None:
        assert isinstance(frame.method, pika.spec.Basic.Ack)
        self.confirmed = frame.method.delivery_tag if frame.method.multiple else self.confirmed + 1
        if self.confirmed >= self.count:
            self.connection.ioloop.stop()
        else:
            self._send()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
