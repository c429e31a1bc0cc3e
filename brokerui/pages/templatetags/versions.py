"""Addresses of the page that is shown, about this or another version of the estate: `{% load versions %}`."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.template.context import Context

from brokerui.changes.estate_view import PARAMETERS, EstateView
from brokerui.core.templatetags.look import copy_button

register = template.Library()
PLACES = ("page",)
"""Parameters that mean a place in a list of this version, not a part of the question."""


@register.inclusion_tag("components/copy.html", takes_context=True)
def copy_link(context: Context, label: str) -> dict[str, object]:
    """A button that copies the address of this page, about the version that is shown."""
    request: HttpRequest = context["request"]
    viewed: EstateView = context["viewed"]
    query = urlencode({**viewed.frozen, **_without(request.GET.dict(), PARAMETERS)})
    link = request.build_absolute_uri(f"{request.path}?{query}" if query else request.path)
    return {**copy_button(link, label), "version": urlencode(viewed.frozen)}


@register.simple_tag(takes_context=True)
def moved_to(context: Context, version: int | None = None) -> str:
    """The address of this page with the same question, about another version; None: about the estate as it is now."""
    request: HttpRequest = context["request"]
    query = {**kept_fields(context), **({"as_of": str(version)} if version is not None else {})}
    return f"{request.path}?{urlencode(query)}" if query else request.path


@register.simple_tag(takes_context=True)
def kept_fields(context: Context) -> dict[str, str]:
    """The question of this page: what stays where one moves in time."""
    request: HttpRequest = context["request"]
    return _without(request.GET.dict(), (*PARAMETERS, *PLACES))


def _without(values: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in names}
