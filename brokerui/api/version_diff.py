"""`versions/NUMBER/diff/`: what differs between two versions of the live estate, objects and conversations."""

from __future__ import annotations

from typing import Final

from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from brokerui.analysis.effect.change import FIRST, change_between
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_effect import DiffQuery, DiffSerializer, streamed_report
from brokerui.api.fields import StrictIntegerField
from brokerui.api.problems import ApiProblem
from brokerui.api.serializers import read_query
from brokerui.changes.review_wording import object_name
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.selectors import LiveEstate, estate_as_of
from routing.documents.object_json import object_as_json
from routing.model.object_changes import objects_changed

MAX_VERSION: Final = 999_999_999


class VersionDiffQuery(DiffQuery):
    """Another version, and how much of the comparison."""

    against = StrictIntegerField(
        min_value=0,
        max_value=MAX_VERSION,
        required=False,
        help_text=gettext_lazy("The version to compare with; 0: the empty estate. Without it: the version before."),
    )


class ObjectDiffSerializer(serializers.Serializer):
    """An object with its value in both versions; null where a version lacks it."""

    object = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class VersionDiffSerializer(DiffSerializer):
    """The objects that differ, and what `brokerui diff` gives of the two versions."""

    version = serializers.IntegerField(min_value=1)
    against = serializers.IntegerField(min_value=0)
    objects = ObjectDiffSerializer(many=True)


class VersionDiff(ApiView):
    """A version of the live estate beside another one."""

    @extend_schema(
        operation_id="version_diff",
        tags=openapi.tags(gettext_lazy("Versions")),
        summary=gettext_lazy("Compare two versions"),
        description=gettext_lazy(
            "The objects that differ, with their values, and all classes of conversations that end otherwise, as "
            "`brokerui diff` gives them. `before` is the version `against`, `after` this one."
        ),
        parameters=[openapi.NUMBER, VersionDiffQuery],
        responses={200: VersionDiffSerializer, **openapi.problems((*openapi.READ_STATUSES, 404))},
    )
    def get(self, request: Request, number: str) -> StreamingHttpResponse:
        """Return one JSON object, a piece at a time."""
        query = read_query(request, VersionDiffQuery)
        after = _version(int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0)
        against = query.get("against")
        before = _version(after.version - 1 if against is None else against, may_be_empty=True)
        objects = [
            {"object": object_name(key), "before": object_as_json(one.before), "after": object_as_json(one.after)}
            for key, one in objects_changed(before.estate, after.estate).items()
        ]
        names = {"version": after.version, "against": before.version, "objects": objects}
        return streamed_report(change_between(before, after), query["limit"], **names)


def _version(number: int, *, may_be_empty: bool = False) -> LiveEstate:
    """Return a version of the live estate; of 0, where that is allowed, the empty one before the first."""
    if may_be_empty and number == 0:
        return FIRST
    try:
        return estate_as_of(version=number)
    except VersionNotFoundError:
        raise ApiProblem(404, _("The estate has no such version.")) from None
