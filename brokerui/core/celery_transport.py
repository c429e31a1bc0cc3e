"""Celery's transport over Redis, which foreign data in its keys does not keep from its work.

Celery's own takes a key of another type, or a value that is no task, for an error that ends the worker, and the worker
that is started next meets it again.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.redis import PRIORITY_STEPS, Channel, QoS, Transport
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import loads
from redis import ResponseError

from brokerui.core.redis_aside import unreadable_put_aside
from brokerui.core.redis_client import RepairingRedis, redis_client
from brokerui.core.redis_keys import CELERY_QUEUES, SEPARATOR
from brokerui.core.redis_values import ANSWER_S, CANNOT_READ, set_members_readable, taken_readable

QUEUE_KEYS: Final = (
    *CELERY_QUEUES,
    *(f"{name}{SEPARATOR}{priority}" for name in CELERY_QUEUES for priority in PRIORITY_STEPS if priority),
)
"""Keys of the queues: Celery has one more for each priority of a queue."""


class BrokerRedis(RepairingRedis):
    """The client of the transport, which reads the answers to BRPOP by itself."""

    def parse_response(self, connection: Any, command_name: str | bytes, **options: Any) -> Any:
        """Return the answer; to BRPOP nothing, as after a wait, where it met foreign data."""
        if command_name != "BRPOP":
            return super().parse_response(connection, command_name, **options)
        try:
            answer = super().parse_response(connection, command_name, **options)
        except ResponseError:
            if not unreadable_put_aside(redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S), QUEUE_KEYS):
                raise
            return None
        return answer if answer and taken_readable(bytes_to_str(answer[0]), [answer[1]], _task_from) else None


def _task_from(item: bytes) -> dict[str, Any]:
    """Read the message of a task as far as the transport does. Raises one of `CANNOT_READ` for anything else."""
    payload = loads(bytes_to_str(item))
    properties, headers = payload["properties"], payload.get("headers") or {}
    delivery = properties["delivery_info"]
    texts = (properties["delivery_tag"], delivery["exchange"], delivery["routing_key"], payload["body"])
    if not all(isinstance(text, str) for text in texts) or not isinstance(headers, dict):
        raise TypeError("no message of a task")
    if properties.get("body_encoding") == "base64":
        base64.b64decode(payload["body"], validate=True)
    return dict(payload)


class RepairingQoS(QoS):
    """Celery's table of tasks that workers have taken and not finished."""

    def restore_visible(self, *args: Any, **named: Any) -> Any:
        """Return tasks that were taken long ago to their queues. A lock without an expiry is put aside first: Celery
        sets none."""
        with self.channel.conn_or_acquire() as client:
            unreadable_put_aside(client, [self.unacked_mutex_key])
        return super().restore_visible(*args, **named)

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> Any:
        """Return one task to its queue; put a value that is no task aside."""
        try:
            return super().restore_by_tag(tag, client=client, leftmost=leftmost)
        except CANNOT_READ:
            with self.channel.conn_or_acquire(client) as found:
                value = found.hget(self.unacked_key, tag)
                self._remove_from_indices(tag).execute()
            return taken_readable(self.unacked_key, [value or b""], _never_read)


def _never_read(value: bytes) -> bytes:
    raise ValueError(value)


class RepairingChannel(Channel):
    """A channel whose client and tables are repaired."""

    QoS = RepairingQoS

    def _get_client(self) -> Any:
        super()._get_client()  # it looks at the versions
        return BrokerRedis

    def get_table(self, exchange: str) -> list[tuple[str, ...]]:
        """Return the bindings of an exchange."""
        key = self.keyprefix_queue % exchange
        with self.conn_or_acquire() as client:
            members = client.smembers(key)
        return set_members_readable(key, members, _binding_from)


def _binding_from(member: bytes) -> tuple[str, ...]:
    routing_key, pattern, queue = bytes_to_str(member).split(SEPARATOR)
    return routing_key, pattern, queue


class RepairingTransport(Transport):
    """The transport that Celery opens for a Redis."""

    Channel = RepairingChannel


def use_repairing_transport() -> None:
    """Have Celery open this transport for each address of a Redis."""
    place = f"{__name__}:{RepairingTransport.__name__}"
    TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), place))
