"""A Celery task a message of 1 KB, which keeps it in PostgreSQL; run by the Python of the peers.

worker | COUNT; the environment has BROKER (a Redis) and DATABASE (as libpq has it).
"""

from __future__ import annotations

import base64
import os
import sys
import time

import celery
import psycopg

app = celery.Celery("with_celery", broker=os.environ["BROKER"])
app.conf.update(task_acks_late=True, task_ignore_result=True, worker_prefetch_multiplier=4)
_connections: list[psycopg.Connection] = []


@app.task(name="take")
def take(body: str) -> None:
    if not _connections:
        _connections.append(psycopg.connect(os.environ["DATABASE"], autocommit=True))
    _connections[0].execute("INSERT INTO taken (body) VALUES (%s)", (base64.b64decode(body),))


def measure(count: int) -> None:
    """Prints tasks a second, from the first that is sent to the last that is done."""
    with psycopg.connect(os.environ["DATABASE"], autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS taken (id bigserial PRIMARY KEY, body bytea)")
        connection.execute("TRUNCATE taken")
        take.delay(base64.b64encode(os.urandom(1024)).decode())
        _wait(connection, 1)
        began = time.perf_counter()
        for _ in range(count):
            take.delay(base64.b64encode(os.urandom(1024)).decode())
        _wait(connection, count + 1)
        print(count / (time.perf_counter() - began))


def _wait(connection: psycopg.Connection, count: int) -> None:
    while connection.execute("SELECT count(*) FROM taken").fetchone() != (count,):
        time.sleep(0.01)  # its own polling must not be what is measured


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        app.worker_main(["worker", "--pool=prefork", "--concurrency=2", "--loglevel=error", "--without-gossip"])
    else:
        measure(int(sys.argv[1]))
