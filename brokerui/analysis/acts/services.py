"""Acts of an operator: each through the verbs, in one transaction with its entry of the audit."""

from __future__ import annotations

from django.db import transaction

from brokerui.analysis.drains.counting import DrainPlace
from brokerui.analysis.drains.models import DrainAct, DrainKind
from brokerui.analysis.drains.services import drain_begin
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import (
    conversation_end,
    conversation_end_with_cleanup,
    conversation_end_with_error,
    queue_set_status,
)
from brokerui.messaging.verbs.retry_now import waiting_retry


@transaction.atomic
def retry(*, instance: str, database: str, service: str, author: str) -> None:
    """Retry the conversations that wait for a service now, and watch them until they are gone."""
    drain_begin(DrainPlace(DrainKind.WAY, instance, database, service), DrainAct.RETRY, author)
    waiting_retry(instance=instance, database=database, service=service)
    audit(author=author, action="dialog.retry", note=f"{instance}/{database} → {service}")


@transaction.atomic
def switch_on(*, instance: str, database: str, queue: str, author: str) -> None:
    """ALTER QUEUE … WITH STATUS = ON, and watch the messages that wait for it until they are gone."""
    drain_begin(DrainPlace(DrainKind.QUEUE, instance, database, queue), DrainAct.SWITCH_ON, author)
    queue_set_status(instance=instance, database=database, queue=queue, is_on=True, author=author)


@transaction.atomic
def switch_off(*, instance: str, database: str, queue: str, author: str) -> None:
    """ALTER QUEUE … WITH STATUS = OFF."""
    queue_set_status(instance=instance, database=database, queue=queue, is_on=False, author=author)


@transaction.atomic
def end(*, instance: str, handle: str, author: str, error: tuple[int, str] | None, cleanup: bool) -> None:
    """END CONVERSATION: with an error (code and description), WITH CLEANUP, or neither."""
    before, action, note = conversation_state(instance, handle), "dialog.end", f"{instance}: {handle}"
    if cleanup:
        conversation_end_with_cleanup(instance=instance, handle=handle)
        action = "dialog.cleanup"
    elif error is not None:
        conversation_end_with_error(instance=instance, handle=handle, code=error[0], description=error[1])
        action, note = "dialog.error", f"{note}: {error[0]}"
    else:
        conversation_end(instance=instance, handle=handle)
    audit(author=author, action=action, note=note, changes=changes_of(before, conversation_state(instance, handle)))


def conversation_state(instance: str, handle: str) -> dict[str, str] | None:
    """Return the state of a side of a conversation, as sys.conversation_endpoints has it; None once it is gone."""
    found = ConversationEndpoint.objects.filter(conversation_handle=handle, instance__name=instance)
    state = found.values_list("state", flat=True).first()
    return None if state is None else {"state": state}
