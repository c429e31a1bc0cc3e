"""A Celery task a message of 1 KB, which keeps it in PostgreSQL; run by the Python of the peers.

worker | COUNT | hops RATE SECONDS; the environment has BROKER (a Redis) and DATABASE (as libpq has it).
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
_SPREAD = "SELECT percentile_disc(0.5) {of}, percentile_disc(0.99) {of} FROM hops".format(
    of="WITHIN GROUP (ORDER BY ms)"
)
_connections: list[psycopg.Connection] = []


@app.task(name="take")
def take(body: str) -> None:
    _write("INSERT INTO taken (body) VALUES (%s)", base64.b64decode(body))


@app.task(name="hop")
def hop(sent: float) -> None:
    """Record the time until this call began."""
    _write("INSERT INTO hops (ms) VALUES (%s)", 1000 * (time.time() - sent))


def _write(sql: str, value: object) -> None:
    if not _connections:
        _connections.append(psycopg.connect(os.environ["DATABASE"], autocommit=True))
    _connections[0].execute(sql, (value,))


def measure(count: int) -> None:
    """Prints tasks a second, from the first that is sent to the last that is done."""
    with psycopg.connect(os.environ["DATABASE"], autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS taken (id bigserial PRIMARY KEY, body bytea)")
        connection.execute("TRUNCATE taken")
        take.delay(base64.b64encode(os.urandom(1024)).decode())
        _wait(connection, "taken", 1)
        began = time.perf_counter()
        for _ in range(count):
            take.delay(base64.b64encode(os.urandom(1024)).decode())
        _wait(connection, "taken", count + 1)
        print(count / (time.perf_counter() - began))


def measure_hops(rate: float, seconds: float) -> None:
    """Prints milliseconds from before a task is sent to its beginning: the median, and what 99 of 100 are within."""
    with psycopg.connect(os.environ["DATABASE"], autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS hops (ms float)")
        connection.execute("TRUNCATE hops")
        due, count = time.monotonic(), int(rate * seconds)
        for _ in range(count):
            time.sleep(max(0.0, due - time.monotonic()))
            due += 1 / rate
            hop.delay(time.time())
        _wait(connection, "hops", count)
        print(*connection.execute(_SPREAD).fetchone() or ())


def _wait(connection: psycopg.Connection, table: str, count: int) -> None:
    while connection.execute(f"SELECT count(*) FROM {table}").fetchone() != (count,):
        time.sleep(0.01)  # else the measurement would be of its own polling


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        app.worker_main(["worker", "--pool=prefork", "--concurrency=2", "--loglevel=error", "--without-gossip"])
    elif sys.argv[1] == "hops":
        measure_hops(float(sys.argv[2]), float(sys.argv[3]))
    else:
        measure(int(sys.argv[1]))
