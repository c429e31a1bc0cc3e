"""Tasks that queues of tests name as the procedure of their activation."""

from __future__ import annotations

from collections.abc import Callable

from celery import shared_task

from brokerui.messaging.services import (
    Message,
    conversation_end,
    conversation_send,
    message_receive,
    message_reception,
)

seen: list[bytes | None] = []
"""Bodies of the messages received in this process."""
steps: list[Callable[[], None]] = []
"""What happens in the middle of a task, in this process; once each."""


@shared_task(name="dbo.Take")
def take(instance: str, database: str, queue: str) -> None:
    """Group by group until there is none."""
    while True:
        with message_reception():
            messages = message_receive(instance=instance, database=database, queue=queue)
            if steps:
                steps.pop(0)()
        seen.extend(message.message_body for message in messages)
        if not messages:
            return


@shared_task(name="dbo.Echo")
def echo(instance: str, database: str, queue: str) -> None:
    """Each message is sent back; the end is answered with an end."""
    while True:
        with message_reception():
            messages = message_receive(instance=instance, database=database, queue=queue)
            for message in messages:
                handle = message.conversation_handle
                if message.message_type_name.endswith("EndDialog"):
                    conversation_end(instance=instance, handle=handle)
                else:
                    body = Message(message.message_body or b"")
                    conversation_send(instance=instance, handles=[handle], messages=[body])
        if not messages:
            return


@shared_task(name="dbo.Idle")
def idle(instance: str, database: str, queue: str) -> None:
    """Does not receive."""


@shared_task(name="dbo.Fail")
def fail(instance: str, database: str, queue: str) -> None:
    """Receives, and cannot go on."""
    with message_reception():
        message_receive(instance=instance, database=database, queue=queue)
        raise ValueError(queue)


@shared_task(name="dbo.Unlisted")
def unlisted(instance: str, database: str, queue: str) -> None:
    """Nobody has allowed it."""
    seen.append(b"unlisted")
