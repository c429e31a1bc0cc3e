"""Check of activation: a queue that activates a procedure and lets none of its readers start."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import WARNING, Finding
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.remedy import qualified, use


def no_queue_readers(scene: LintContext) -> Iterator[Finding]:
    """A queue with activation on and MAX_QUEUE_READERS 0: SQL Server starts no procedure (9648)."""
    for instance, database in scene.originals:
        for queue in database.queues:
            activation = queue.activation
            if activation is None or not activation.enabled or activation.max_readers:
                continue
            reason = say(
                "Activation is on with MAX_QUEUE_READERS = 0: SQL Server never starts {procedure}, and messages stay "
                "until somebody else receives them.",
                procedure=activation.procedure,
            )
            remedy = f"ALTER QUEUE {qualified(queue.name)} WITH ACTIVATION (MAX_QUEUE_READERS = 1);"
            yield Finding(
                "no-queue-readers",
                WARNING,
                instance.name,
                database.name,
                queue.name,
                reason,
                remedy_sql=use(database.name, (remedy,)),
            )
