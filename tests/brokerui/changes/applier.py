"""A process that applies drafts beside others: `python -m tests.brokerui.changes.applier WORD …`.

`begin` makes the estate. `apply NAME COUNT` begins a draft, applies it, and rebases it where another process was first.
`go WAY` makes the estate where there is none and prints the faults that `report` finds; then it applies a draft and
rolls it back until the test kills it.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from itertools import count
from typing import Any

from brokerui.core.start import django_ready

AUTHOR = "begin"
WIDE = 40
"""Edits of a draft, so that an apply writes many rows."""


def begin() -> None:
    from django.core.management import call_command

    from brokerui.estate.services import estate_import
    from tests.brokerui.estate.helpers import TWO

    call_command("migrate", verbosity=0)
    estate_import(estate=TWO, author=AUTHOR)


def apply(name: str, times: int) -> None:
    from brokerui.changes.applying import draft_apply
    from brokerui.changes.rebasing import draft_rebase
    from brokerui.changes.services import draft_create
    from brokerui.estate.errors import EstateStaleError
    from tests.brokerui.changes.helpers import put, seen

    for number in range(times):
        draft = draft_create(name=name, author=name, edits=[put(f"{name}{number}")])
        while True:
            try:
                draft_apply(**seen(draft))
                break
            except EstateStaleError:
                draft = draft_rebase(**seen(draft))


def go(way: str) -> None:
    from django.utils import timezone

    from brokerui.analysis.confirmation.watch import confirmations_watch
    from brokerui.changes.applying import Confirmation, draft_apply, draft_roll_back
    from brokerui.changes.services import draft_create
    from brokerui.estate.models import Version
    from tests.brokerui.changes.helpers import put, seen

    if not Version.objects.exists():
        begin()
    sys.stdout.write(json.dumps(report()) + "\n")
    _take_back()
    for turn in count():
        draft = draft_create(name="wide", author=AUTHOR, edits=[put(f"r{number}") for number in range(WIDE)])
        draft = draft_apply(**seen(draft), confirmation=Confirmation(timedelta(minutes=1)))
        if way == "by hand":
            draft_roll_back(**seen(draft))
        else:
            confirmations_watch(timezone.now() + timedelta(minutes=2))
        if not turn:
            sys.stdout.write("begun\n")
            sys.stdout.flush()


def _take_back() -> None:
    """Roll back what a killed process has left applied."""
    from brokerui.changes.applying import draft_roll_back
    from brokerui.changes.models import DraftState, SavedDraft
    from tests.brokerui.changes.helpers import seen

    for draft in SavedDraft.objects.filter(state=DraftState.APPLIED):
        draft_roll_back(**seen(draft))


def report() -> dict[str, object]:
    from brokerui.changes.models import DraftState, SavedDraft
    from brokerui.estate.selectors import estate_current

    live = estate_current()
    routes = sorted(live.estate.instances["here"].databases["Orders"].table.routes)
    applied = SavedDraft.objects.filter(state=DraftState.APPLIED, name="wide").count()
    wide = [name for name in routes if name.startswith("r") and name[1:].isdigit()]
    faults = []
    if len(wide) != WIDE * applied:
        faults.append(f"{len(wide)} routes of {applied} applied drafts")
    faults += [f"draft {draft.id}: {fault}" for draft in SavedDraft.objects.all() for fault in _faults(draft)]
    return {"faults": faults, "versions": live.version, "routes": [one for one in routes if one[0] in "abc"]}


def _faults(draft: Any) -> list[str]:
    """What of a draft, its version, its review and the audit does not fit together."""
    from brokerui.changes.models import DraftState
    from brokerui.estate.models import AuditEntry

    is_written = draft.state in {DraftState.APPLIED, DraftState.ROLLED_BACK}
    applied = draft.review.filter(action="apply").count()
    audited = AuditEntry.objects.filter(action="draft.apply", note__startswith=f"{draft.id} ").count()
    found = []
    if (draft.applied is not None) != is_written:
        found.append(f"is {draft.state} with version {draft.applied}")
    if not applied == audited == int(is_written):
        found.append(f"is {draft.state} with {applied} entries of the review and {audited} of the audit")
    return found


if __name__ == "__main__":
    django_ready()
    match sys.argv[1:]:
        case ["begin"]:
            begin()
        case ["apply", name, times]:
            apply(name, int(times))
        case ["go", way]:
            go(way)
        case _:
            sys.stdout.write(json.dumps(report()))
