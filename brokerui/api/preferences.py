"""`me/preferences/`: how pages look to the user of the request. REST itself stays in UTC."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.accounts.preference_services import preferences_of, preferences_save
from brokerui.accounts.preferences import CLOCKS, DEFAULTS, DENSITIES, THEMES, ZONE_CHARS, Preferences
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.fields import NameField, StrictBooleanField, StrictChoiceField, StrictIntegerField
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query

EXAMPLE: Final = OpenApiExample("zone", value={"zone": "Europe/Berlin", "clock": 24}, request_only=True)
_TAG = _("Your account")
_ZONE = _("A name of the IANA database, as `Europe/Berlin`.")
_CLOCK = _("Hours of the clock: 24 or 12.")
_KEYS = _("Whether single keys act.")


class PreferencesChangeSerializer(StrictSerializer):
    """Choices that hold on every page. A member that is left out keeps its value."""

    theme = StrictChoiceField(THEMES, required=False, help_text=_("`auto`: as the system."))
    density = StrictChoiceField(DENSITIES, required=False, help_text=_("Of tables."))
    zone = NameField(max_length=ZONE_CHARS, required=False, help_text=_ZONE)
    clock = StrictIntegerField(min_value=min(CLOCKS), max_value=max(CLOCKS), required=False, help_text=_CLOCK)
    keys = StrictBooleanField(required=False, help_text=_KEYS)


class PreferencesSerializer(serializers.Serializer):
    """Choices that hold on every page."""

    theme = serializers.ChoiceField(THEMES)
    density = serializers.ChoiceField(DENSITIES)
    zone = serializers.CharField(help_text=_ZONE)
    clock = serializers.ChoiceField(CLOCKS, help_text=_CLOCK)
    keys = serializers.BooleanField(help_text=_KEYS)


class PreferencesResource(ApiView):
    """The preferences of the user of the request."""

    write = Level.VIEW

    @extend_schema(
        operation_id="preferences_read",
        tags=openapi.tags(_TAG),
        summary=_("Read your preferences"),
        description=_("Theme, density of tables, time zone, clock and keys; where you have chosen nothing, defaults."),
        **openapi.conditional_get(PreferencesSerializer),
    )
    def get(self, request: Request) -> Response:
        """Return them."""
        read_query(request, NoQuery)
        body = _body(request)
        etag = etag_of_json(body)
        return Response(status=304, headers={"ETag": etag}) if is_known(request, etag) else _response(body)

    @extend_schema(
        operation_id="preferences_change",
        tags=openapi.tags(_TAG),
        summary=_("Change your preferences"),
        description=_("Changes the members that are given. They hold on every page from the next request on."),
        request=PreferencesChangeSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.IF_MATCH, openapi.etag_header([200])],
        responses={200: PreferencesSerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def patch(self, request: Request) -> Response:
        """Change some of them."""
        read_query(request, NoQuery)
        given = dict(read_body(request.data, PreferencesChangeSerializer))
        require_match(request, etag_of_json(_body(request)))
        return _response(asdict(preferences_save(user=_user(request), given=given)))


def addresses() -> list[URLPattern]:
    """Return the address."""
    return [path("me/preferences/", PreferencesResource.as_view(), name="preferences")]


def _user(request: Request) -> User:
    assert isinstance(request.user, User)  # the resource is closed to strangers
    return request.user


def _body(request: Request) -> dict[str, Any]:
    shown: Preferences = preferences_of(request.user) or DEFAULTS
    return asdict(shown)


def _response(body: dict[str, Any]) -> Response:
    return Response(body, headers={"ETag": etag_of_json(body)})
