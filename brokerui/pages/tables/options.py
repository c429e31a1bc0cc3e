"""Suggestions for form fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from brokerui.estate.models import Database, Instance, InstanceAddress, Service

MOST = 20
Option = tuple[str, str]
"""Value for the field, and the text shown beside it."""


def options(request: HttpRequest, kind: str) -> HttpResponse:
    """Return suggestions as JSON. `q` is the typed text; `service` limits identifiers to those of its databases."""
    if kind not in SOURCES:
        raise Http404
    found = SOURCES[kind](request.GET.get("q", "").strip(), request.GET.get("service", ""))
    return JsonResponse([{"value": value, "label": label} for value, label in found], safe=False)


def _instances(text: str, _service: str) -> Iterable[Option]:
    rows = Instance.objects.filter(name__icontains=text).values_list("name", flat=True)
    return [(name, "") for name in rows[:MOST]]


def _databases(text: str, _service: str) -> Iterable[Option]:
    instance, slash, name = text.rpartition("/")
    test = Q(instance__name=instance, name__istartswith=name) if slash else Q()
    either = test | Q(name__icontains=text) | Q(instance__name__icontains=text)
    rows = Database.objects.filter(either).values_list("instance__name", "name")
    return [(f"{owner}/{name}", "") for owner, name in rows.order_by("id")[:MOST]]


def _services(text: str, _service: str) -> Iterable[Option]:
    rows = Service.objects.filter(name__icontains=text).order_by("name").values_list("name", flat=True).distinct()
    return [(name, "") for name in rows[:MOST]]


def _identifiers(text: str, service: str) -> Iterable[Option]:
    rows = Database.objects.filter(broker_instance__isnull=False)
    if service:
        rows = rows.filter(services__name=service)
    rows = rows.filter(Q(name__icontains=text) | Q(instance__name__icontains=text)) if text and not service else rows
    found = rows.order_by("id").values_list("broker_instance", "instance__name", "name")
    return [(str(identifier), f"{owner}/{name}") for identifier, owner, name in found[:MOST]]


def _network(text: str, _service: str) -> Iterable[Option]:
    rows = InstanceAddress.objects.filter(text__icontains=text).order_by("id").values_list("text", "instance__name")
    return list(rows[:MOST])


def _addresses(text: str, service: str) -> Iterable[Option]:
    words = [(word, "") for word in ("LOCAL", "TRANSPORT") if text.upper() in word]
    return [*words, *_network(text, service)]


SOURCES: dict[str, Callable[[str, str], Iterable[Option]]] = {
    "instance": _instances,
    "database": _databases,
    "service": _services,
    "identifier": _identifiers,
    "address": _addresses,
    "network": _network,
}
