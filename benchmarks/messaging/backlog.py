"""Cost of a million messages that cannot be sent, in 100,000 open conversations, for the messages that can.

    .venv/bin/python benchmarks/messaging/backlog.py [--messages 1000000] [--conversations 100000] [--sent 20000]

Messages of 1 KB to a service without a route wait in the transmission queue of one deployment, and are tried again and
again, each conversation about every minute. Beside them others are sent to the second deployment as `end_to_end.py`
does it, before the backlog is there and with it, durable, 100 in a transaction.

The claims: at least 0.9 of the throughput; no process of the workers ever has 300 MB; one SEND takes less than 20 ms at
the median.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.messaging.end_to_end import Ours
from scripts.postgres import CannotRunError, running
from tests.acceptance.deployments import Deployment, join, two
from tests.acceptance.records import connected

RETRY_MS = 64_000
WAITING = "SELECT conversation_handle FROM conversation_endpoints WHERE far_service = 'Nowhere'"
# Copies of one waiting conversation, so that the rows are those that the product writes.
ENDPOINTS = """
    INSERT INTO conversation_endpoints
    SELECT copy.* FROM conversation_endpoints one
    CROSS JOIN generate_series(1, %(conversations)s) AS number
    CROSS JOIN LATERAL jsonb_populate_record(one, jsonb_build_object(
        'conversation_handle', gen_random_uuid(), 'conversation_id', gen_random_uuid(),
        'conversation_group_id', gen_random_uuid(), 'outgoing', %(each)s, 'send_sequence', %(each)s,
        'next_attempt', one.next_attempt + (number %% 1000) * %(retry)s / 1000,
        'due', one.next_attempt + (number %% 1000) * %(retry)s / 1000, 'attempts', 8)) AS copy
    WHERE one.conversation_handle = %(handle)s
"""
GROUPS = """
    INSERT INTO conversation_groups (instance_id, conversation_group_id, database, service_name, queue, conversations)
    SELECT instance_id, conversation_group_id, database, service_name, queue, 1 FROM conversation_endpoints
    WHERE far_service = 'Nowhere' AND conversation_handle <> %(handle)s
"""
MESSAGES = """
    INSERT INTO transmission_queue (instance_id, conversation_handle, message_sequence_number, message_type_name,
        message_body, enqueue_time, is_end_of_dialog, is_conversation_error)
    SELECT e.instance_id, e.conversation_handle, number, 'DEFAULT', decode(repeat('ab', 1024), 'hex'),
        e.next_attempt, false, false
    FROM conversation_endpoints e CROSS JOIN generate_series(0, %(each)s - 1) AS number
    WHERE e.far_service = 'Nowhere' AND e.conversation_handle <> %(handle)s
"""


def fill(first: Deployment, conversations: int, messages: int) -> None:
    words = ("--service", first.service, "--to", "Nowhere", "--encryption", "off", "--size", "1K")
    first.command("send", "--from", first.place, *words)
    with connected(first.settings["DATABASE_URL"]) as connection:
        found = connection.execute(
            "SELECT conversation_handle FROM conversation_endpoints WHERE far_service = 'Nowhere'"
        )
        (handle,) = found.fetchone() or ("",)
        given = {"handle": handle, "conversations": conversations, "each": messages // conversations, "retry": RETRY_MS}
        for sql in (ENDPOINTS, GROUPS, MESSAGES):
            connection.execute(sql, given)
        for table in ("conversation_endpoints", "conversation_groups", "transmission_queue"):
            connection.execute(f"VACUUM ANALYZE {table}")


def median_send(ours: Ours) -> float:
    sender = ours.first.application("send_timed", 200, *ours.handles["off"])
    sender.says()
    sender.go()
    took: list[float] = sender.says()
    sender.end()
    return statistics.median(took)


def most_megabytes(*deployments: Deployment) -> float:
    """That a process of the workers ever had."""
    mains = {one.product.pids()["worker"] for one in deployments}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except OSError:
            continue
        if mains & {int(folder.name), int(lines["PPid"])} and "VmHWM" in lines:
            found.append(int(lines["VmHWM"].split()[0]) / 1024)
    return max(found)


def run(messages: int, conversations: int, sent: int) -> bool:
    print(machine())
    with (
        tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as folder,
        running(durable=True) as server,
        two(Path(folder), server) as both,
    ):
        join(*both)
        ours = Ours(*both, encryptions=("off",))
        ours.rate(sent // 10, 100)
        empty = statistics.median(ours.rate(sent, 100) for _ in range(3))
        print(f"       empty: {empty:,.0f}/s, load {os.getloadavg()[0]:.1f}", flush=True)
        fill(both[0], conversations, messages)
        full = statistics.median(ours.rate(sent, 100) for _ in range(3))
        kept = [
            claim("throughput, times that without a backlog", full / empty, 0.9, "", f"{full:,.0f}/s", at_least=True),
            claim("one SEND, median", median_send(ours), 20, "ms", f"load {os.getloadavg()[0]:.1f}"),
            claim("a worker's memory, at most", most_megabytes(*both), 300, "MB"),
        ]
    return all(kept)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=1_000_000)
    arguments.add_argument("--conversations", type=int, default=100_000)
    arguments.add_argument("--sent", type=int, default=20_000)
    given = arguments.parse_args()
    try:
        return int(not run(given.messages, given.conversations, given.sent))
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can run here: {error}")
        return 0


if __name__ == "__main__":
    sys.exit(main())
