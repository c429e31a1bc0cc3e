"""A process that edits one draft beside others: `python -m tests.brokerui.changes.writer NAME COUNT`.

It adds one edit at a time to the draft as it read it last, reading it again where another process was first. `begin`
makes the draft; without arguments it prints the names of the routes that the draft adds, and the numbers of its steps.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from brokerui.core.start import django_ready


def write(name: str, count: int) -> None:
    from brokerui.changes.services import edits_append
    from tests.brokerui.changes.helpers import put

    for made in range(count):
        _until_first(lambda seen, made=made: edits_append(**seen, edits=[put(f"{name}{made}")]))


def _until_first(make: Any) -> None:
    from brokerui.changes.errors import DraftStaleError
    from brokerui.changes.models import SavedDraft
    from tests.brokerui.changes.helpers import seen

    while True:
        try:
            make(seen(SavedDraft.objects.get()))
            return
        except DraftStaleError:
            continue


def begin() -> None:
    from django.core.management import call_command

    from brokerui.changes.services import draft_create
    from brokerui.estate.services import estate_import
    from tests.brokerui.estate.helpers import TWO

    call_command("migrate", verbosity=0)
    estate_import(estate=TWO, author="begin")
    draft_create(name="shared", author="begin")


def report() -> dict[str, object]:
    from brokerui.changes.models import SavedDraft
    from brokerui.changes.selectors import draft_edits, draft_get

    draft = draft_get(SavedDraft.objects.get().id)
    edits: Any = draft_edits(draft)
    return {
        "routes": [edit.route.name for edit in edits],
        "steps": list(draft.steps.values_list("number", flat=True)),
        "revision": draft.revision,
    }


if __name__ == "__main__":
    django_ready()
    match sys.argv[1:]:
        case ["begin"]:
            begin()
        case [name, count]:
            write(name, int(count))
        case _:
            sys.stdout.write(json.dumps(report()))
