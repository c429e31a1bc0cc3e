"""Acts of an operator: each through the verbs, in one transaction with its entry of the audit."""

from __future__ import annotations

from django.db import transaction

from brokerui.estate.audit import audit
from brokerui.messaging.services import conversation_end_with_cleanup
from brokerui.messaging.verbs.retry_now import waiting_retry


@transaction.atomic
def retry(*, instance: str, database: str, service: str, author: str) -> None:
    """Retry the conversations that wait for a service now."""
    waiting_retry(instance=instance, database=database, service=service)
    audit(author=author, action="dialog.retry", note=f"{instance}/{database} → {service}")


@transaction.atomic
def end(*, instance: str, handle: str, author: str) -> None:
    """END CONVERSATION WITH CLEANUP: unsent messages are deleted, and the other side is not told."""
    conversation_end_with_cleanup(instance=instance, handle=handle)
    audit(author=author, action="dialog.cleanup", note=f"{instance}: {handle}")
