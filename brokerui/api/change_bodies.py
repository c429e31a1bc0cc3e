"""Bodies of the requests and answers of drafts."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.etags import etag_of
from brokerui.api.fields import EditsField, NameField, StrictChoiceField, TextField
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import StrictSerializer
from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import NAME, PENDING, DraftState, SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get, draft_info
from brokerui.changes.services import MAX_EDITS
from brokerui.estate.models.versions import AUTHOR
from routing.documents.edits_json import edits_as_json

MAX_DIGITS: Final = 10
MAX_DESCRIPTION: Final = 4_000
"""Characters."""
STATES: Final = tuple(DraftState.values)
_EDITS = _("Edits as `whatif/` takes them, in order.")


class ChangesQuery(PageQuery):
    """Which drafts."""

    state = StrictChoiceField(STATES, help_text=_("In this state."))
    author = NameField(max_length=AUTHOR, help_text=_("Begun by this user."))


class NewChangeSerializer(StrictSerializer):
    """A new draft."""

    name = NameField(max_length=NAME)
    description = TextField(max_length=MAX_DESCRIPTION, required=False)
    edits = EditsField(max_length=MAX_EDITS, required=False, help_text=_EDITS)


class ChangeNameSerializer(StrictSerializer):
    """The name of a draft. A member that is left out keeps its value."""

    name = NameField(max_length=NAME, required=False)
    description = TextField(max_length=MAX_DESCRIPTION, required=False)


class ChangeEditsSerializer(StrictSerializer):
    """A list of edits."""

    edits = EditsField(max_length=MAX_EDITS, help_text=_EDITS)


class NothingSerializer(StrictSerializer):
    """An empty object."""


class ChangeRowSerializer(serializers.Serializer):
    """A draft in the list."""

    id = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    author = serializers.CharField()
    state = serializers.ChoiceField(STATES)
    base_version = serializers.IntegerField(
        min_value=0, help_text=_("The version of the live estate that the edits are made on; 0: the empty one.")
    )
    version = serializers.IntegerField(allow_null=True, help_text=_("The version that it became; null: none yet."))
    stale = serializers.BooleanField(help_text=_("Whether the live estate has another version than that by now."))


class ChangeSerializer(ChangeRowSerializer):
    """A draft, with its edits."""

    edits = serializers.ListField(child=serializers.DictField())
    undo = serializers.IntegerField(min_value=0, help_text=_("Steps that can be taken back."))
    redo = serializers.IntegerField(min_value=0, help_text=_("Steps that were taken back, and can be made again."))


def change_row_as_json(draft: SavedDraft, live_version: int) -> dict[str, Any]:
    """Return the row of a draft in the list."""
    base = draft.base.number if draft.base else 0
    return {
        "id": draft.id,
        "name": draft.name,
        "description": draft.description,
        "author": draft.author,
        "state": draft.state,
        "base_version": base,
        "version": draft.applied.number if draft.applied else None,
        "stale": draft.state in PENDING and base != live_version,
    }


def change_as_json(draft: SavedDraft) -> dict[str, Any]:
    """Return a draft with its edits."""
    info = draft_info(draft)
    edits = edits_as_json(draft_edits(draft))
    return {**change_row_as_json(draft, info.live_version), "edits": edits, "undo": info.undo, "redo": info.redo}


def etag_of_change(draft: SavedDraft, body: dict[str, Any]) -> str:
    """Return the ETag of a draft: each write of it counts its revision up."""
    return etag_of("change", str(draft.id), str(draft.revision), str(body["stale"]))


def draft_found(number: str) -> SavedDraft:
    """Return the draft of this number; raises the problem 404 where there is none."""
    is_number = number.isascii() and number.isdecimal() and len(number) < MAX_DIGITS
    try:
        return draft_get(int(number) if is_number else 0)
    except DraftNotFoundError:
        raise ApiProblem(404, gettext("There is no such draft.")) from None
