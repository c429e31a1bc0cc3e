"""Bodies of the requests and answers of reviewing, applying and rolling back drafts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.change_bodies import MAX_DESCRIPTION
from brokerui.api.fields import StrictIntegerField, TextField
from brokerui.api.serializers import StrictSerializer
from brokerui.changes.applying import Confirmation
from brokerui.changes.deployment import ServerState, ServerStep
from brokerui.changes.models import ReviewAction, ReviewEntry
from brokerui.changes.review_wording import object_name
from brokerui.changes.services import MAX_EDITS
from routing.common.errors import Invalid
from routing.common.moment import format_moment
from routing.common.sentence import say
from routing.documents.object_json import object_as_json
from routing.model.merging import MergeConflict

MAX_CONFIRM_S: Final = 7 * 24 * 3600
MAX_COUNT: Final = 2**31 - 1


class CommentSerializer(StrictSerializer):
    """A word about a step of the review."""

    comment = TextField(max_length=MAX_DESCRIPTION, required=False)


class NewCommentSerializer(StrictSerializer):
    """A comment."""

    comment = TextField(max_length=MAX_DESCRIPTION, allow_blank=False)
    edit = StrictIntegerField(
        min_value=0,
        max_value=MAX_EDITS,
        required=False,
        allow_null=True,
        help_text=_("Index of the edit that it is about; null: the draft."),
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a comment without a letter."""
        if not attrs["comment"].strip():
            raise Invalid("comment", say("must not be empty"))
        return attrs


class ApplySerializer(StrictSerializer):
    """How to apply a draft."""

    confirm_within_s = StrictIntegerField(
        min_value=1,
        max_value=MAX_CONFIRM_S,
        required=False,
        allow_null=True,
        help_text=_("Seconds after which it is rolled back unless it is confirmed; null: it stays."),
    )
    delayed_limit = StrictIntegerField(
        min_value=0,
        max_value=MAX_COUNT,
        required=False,
        allow_null=True,
        help_text=_("Until it is confirmed, it is rolled back as soon as more conversations than this are delayed."),
    )
    depth_limit = StrictIntegerField(
        min_value=0,
        max_value=MAX_COUNT,
        required=False,
        allow_null=True,
        help_text=_("The same as soon as one queue has more messages than this."),
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse limits without a time in which to watch them."""
        if attrs.get("confirm_within_s") is None:
            for limit in ("delayed_limit", "depth_limit"):
                if attrs.get(limit) is not None:
                    raise Invalid(limit, say("is watched only with confirm_within_s"))
        return attrs


class StepSerializer(serializers.Serializer):
    """The step of one server."""

    instance = serializers.CharField()
    hosted = serializers.BooleanField(help_text=_("The broker of this site runs it: the change is live at once."))
    sql = serializers.CharField(
        allow_blank=True, help_text=_("T-SQL to run on the server, with a check before and a check after.")
    )
    state = serializers.ChoiceField(
        [state.value for state in ServerState],
        help_text=_("Whether an import since then has shown the change on the server."),
    )
    imported_at = serializers.DateTimeField(allow_null=True, help_text=_("The last import of the instance."))


class AppliedSerializer(serializers.Serializer):
    """A draft that was applied."""

    version = serializers.IntegerField(min_value=1, help_text=_("The version of the live estate that it became."))
    steps = StepSerializer(many=True)


class VersionOfChangeSerializer(serializers.Serializer):
    """The version of the live estate after a step."""

    version = serializers.IntegerField(min_value=1)


class ReviewEntrySerializer(serializers.Serializer):
    """An entry of the review of a draft."""

    at = serializers.DateTimeField()
    author = serializers.CharField()
    action = serializers.ChoiceField(ReviewAction.values)
    edit = serializers.IntegerField(allow_null=True)
    comment = serializers.CharField(allow_blank=True)


class ReviewSerializer(serializers.Serializer):
    """The review of a draft."""

    entries = ReviewEntrySerializer(many=True)


def confirmation_from(body: dict[str, Any]) -> Confirmation | None:
    """Return what a body says of the confirmation; None: none is wanted."""
    seconds = body.get("confirm_within_s")
    if seconds is None:
        return None
    return Confirmation(timedelta(seconds=seconds), body.get("delayed_limit"), body.get("depth_limit"))


def step_as_json(step: ServerStep) -> dict[str, Any]:
    """Return what one server needs."""
    return {
        "instance": step.instance,
        "hosted": step.is_hosted,
        "sql": step.sql,
        "state": step.state.value,
        "imported_at": format_moment(step.imported_at) if step.imported_at else None,
    }


def entry_as_json(entry: ReviewEntry) -> dict[str, Any]:
    """Return an entry of a review."""
    return {
        "at": format_moment(entry.at),
        "author": entry.author,
        "action": entry.action,
        "edit": entry.edit,
        "comment": entry.text,
    }


def conflict_as_json(conflict: MergeConflict) -> dict[str, Any]:
    """Return an object that both changed, with its value in each of the three estates."""
    values = {"base": conflict.base, "live": conflict.ours, "draft": conflict.theirs}
    key = conflict.key
    return {"object": object_name(key), **{name: object_as_json(value) for name, value in values.items()}}
