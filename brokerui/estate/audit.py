"""The audit: who wrote what, when and from where. Every service that writes adds its entry here."""

from __future__ import annotations

from django.utils import timezone

from brokerui.core.client_ip import client_ip_now
from brokerui.estate.audit_changes import Changes
from brokerui.estate.models import AuditEntry, Version

SYSTEM = "brokerui"
"""The author of what happens by itself."""


def audit(
    *, author: str, action: str, note: str = "", version: Version | None = None, changes: Changes | None = None
) -> None:
    """Add one entry in the transaction of the change. `action` names the change, as in `estate.import`.

    `changes` has the fields that it changed; None: none of a stored thing.
    """
    AuditEntry.objects.create(
        at=timezone.now(),
        author=author or SYSTEM,
        address=client_ip_now(),
        action=action,
        note=note,
        version=version,
        changes=changes or [],
    )
