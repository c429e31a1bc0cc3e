"""Bodies of the requests and answers of saved views of the map."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.etags import etag_of
from brokerui.api.fields import ArrayField, NameField, StrictBooleanField, StrictChoiceField, StrictIntegerField
from brokerui.api.serializers import StrictSerializer
from brokerui.estate.map_views.models import TITLE, MapView
from brokerui.estate.map_views.places import FAR, MOST, REF_CHARS

MAX_VALUE: Final = 4_000
"""Characters of one part of what the map shows."""
_ZOOMS: Final = ("auto", "fit", "50", "75", "100", "150")
_PLACES: Final = _("The boxes that were put elsewhere.")
_QUERY: Final = _("The part that the map shows, as its address says it. Without a member: everything.")


class ViewQuerySerializer(StrictSerializer):
    """The part that the map shows."""

    focus = NameField(required=False, help_text=_("The instance in the middle."))
    hops = StrictChoiceField(("1", "2", "3"), required=False, help_text=_("Routes away from it."))
    first = NameField(required=False, help_text=_("The first instance of a group, by name."))
    last = NameField(required=False, help_text=_("The last one."))
    service = NameField(required=False, help_text=_("Routes for this service alone."))
    q = NameField(max_length=MAX_VALUE, required=False, help_text=_("Part of a name to look for."))
    zoom = StrictChoiceField(_ZOOMS, required=False)
    shown = StrictChoiceField(("list",), required=False, help_text=_("As a list in place of the picture."))
    opened = NameField(
        max_length=MAX_VALUE, required=False, help_text=_("Databases that are drawn one route a row: `database/I/D`.")
    )


class PlaceSerializer(StrictSerializer):
    """The place of a box."""

    ref = NameField(max_length=REF_CHARS, help_text=_("The box: `instance/NAME`, `outside/ADDRESS`, percent-encoded."))
    x = StrictIntegerField(min_value=-FAR, max_value=FAR, help_text=_("Pixels from the left of the picture."))
    y = StrictIntegerField(min_value=-FAR, max_value=FAR, help_text=_("Pixels from its top."))


class NewMapViewSerializer(StrictSerializer):
    """A new view."""

    title = NameField(max_length=TITLE)
    is_shared = StrictBooleanField(required=False, help_text=_("Whether other users see it."))
    query = ViewQuerySerializer(required=False, help_text=_QUERY)
    places = ArrayField(child=PlaceSerializer(), max_length=MOST, required=False, help_text=_PLACES)


class MapViewChangeSerializer(StrictSerializer):
    """A change of a view. A member that is left out keeps its value."""

    title = NameField(max_length=TITLE, required=False)
    is_shared = StrictBooleanField(required=False, help_text=_("Whether other users see it."))
    query = ViewQuerySerializer(required=False, help_text=_QUERY)
    places = ArrayField(child=PlaceSerializer(), max_length=MOST, required=False, help_text=_PLACES)


class MapPlaceSerializer(serializers.Serializer):
    """The place of a box."""

    ref = serializers.CharField()
    x = serializers.IntegerField()
    y = serializers.IntegerField()


class MapViewSerializer(serializers.Serializer):
    """A saved view."""

    key = serializers.CharField(help_text=_("Its name in addresses: `/map/views/KEY/`."))
    title = serializers.CharField()
    owner = serializers.CharField()
    is_shared = serializers.BooleanField()
    query = serializers.DictField(child=serializers.CharField(allow_blank=True), help_text=_QUERY)
    places = MapPlaceSerializer(many=True, help_text=_PLACES)
    updated_at = serializers.DateTimeField()


def map_view_as_json(view: MapView) -> dict[str, Any]:
    """Return a view."""
    return {
        "key": view.key,
        "title": view.title,
        "owner": view.owner,
        "is_shared": view.is_shared,
        "query": view.query,
        "places": [{"ref": ref, "x": x, "y": y} for ref, x, y in view.places],
        "updated_at": view.updated_at.isoformat(),
    }


def etag_of_map_view(view: MapView) -> str:
    """Return the ETag of a view: each write of it has a later moment."""
    return etag_of("map_view", view.key, view.updated_at.isoformat())
