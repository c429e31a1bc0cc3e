"""The filters of lists: each is a field of the form above them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.explanations.origin import ON
from routing.common.names import SYSTEM_SERVICES

SOON = timedelta(days=30)
ROW_DIGITS = 18
"""Most characters of a row's number."""
SLASHES = 20
"""Values that are tried at most."""


class Chosen(admin.SimpleListFilter):
    """One of a few; `tests` gives the condition of each."""

    choices_of: ClassVar[tuple[tuple[str, Promise | str], ...]] = ()
    tests: ClassVar[dict[str, Q]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """The choices."""
        return self.choices_of

    def condition(self, value: str) -> Q | None:
        """None: no such choice, which narrows nothing."""
        return self.tests.get(value)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that are of the choice."""
        test = self.condition(self.value() or "")
        return queryset.filter(test) if test is not None else queryset


class Typed(admin.SimpleListFilter):
    """A text, with suggestions: a list of a thousand instances is none to choose from."""

    options: ClassVar[str] = ""
    is_typed = True

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """None to choose from."""
        return ()

    def has_output(self) -> bool:
        """Django shows only filters with choices."""
        return True

    def condition(self, text: str) -> Q:
        """For a text that is not empty."""
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that the text names."""
        text = self.value()
        return queryset.filter(self.condition(text)) if text else queryset


class CreatedBy(Chosen):
    """Services of users, or those that SQL Server itself creates in every database."""

    title = _("created by")
    parameter_name = "created_by"
    choices_of = (("users", _("users")), ("system", "SQL Server"))
    tests: ClassVar[dict[str, Q]] = {
        "users": ~Q(name__in=SYSTEM_SERVICES),
        "system": Q(name__in=SYSTEM_SERVICES),
    }


class ByInstance(Typed):
    """Keeps the rows of one instance."""

    title = "instance"
    parameter_name = "instance"
    options = "instance"

    def condition(self, text: str) -> Q:
        """Return the condition for the databases of an instance, or for their rows."""
        return Q(instance__name=text)


class InInstance(ByInstance):
    """Filters rows by the instance of their database."""

    def condition(self, text: str) -> Q:
        """Two steps away."""
        return Q(database__instance__name=text)


class InDatabase(Typed):
    """Keeps the rows of one database: its number, its name, `instance/database`, or `database on instance`."""

    title = "database"
    parameter_name = "database"
    options = "database"

    def condition(self, text: str) -> Q:
        """Names may hold the signs themselves: each may be the one between the two."""
        if text.isascii() and text.isdecimal() and len(text) <= ROW_DIGITS:
            return Q(database_id=int(text)) | Q(database__name=text)
        found = Q(database__name=text)
        slashes = [number for number, letter in enumerate(text) if letter == "/"]
        for number in slashes[:SLASHES]:
            found |= Q(database__instance__name=text[:number], database__name=text[number + 1 :])
        parts = text.split(ON)[:SLASHES]
        for number in range(1, len(parts)):
            found |= Q(database__name=ON.join(parts[:number]), database__instance__name=ON.join(parts[number:]))
        return found


class Lifetime(Chosen):
    """Keeps routes by when they expire."""

    title = "lifetime"
    parameter_name = "lifetime"
    choices_of = (("expired", _("expired")), ("soon", _("expires within 30 days")), ("never", _("never expires")))

    def condition(self, value: str) -> Q | None:
        """Against the clock as it is now."""
        now = timezone.now()
        return {
            "expired": Q(lifetime__lte=now),
            "soon": Q(lifetime__gt=now, lifetime__lte=now + SOON),
            "never": Q(lifetime__isnull=True),
        }.get(value)


class For(Chosen):
    """Keeps routes by the conversations that they are for."""

    title = _("for")
    parameter_name = "for"
    choices_of = (
        ("any", _("any service (wildcard)")),
        ("named", _("one service")),
        ("identified", _("one database (identifier)")),
    )
    tests = {
        "any": Q(remote_service_name__isnull=True, broker_instance__isnull=True),
        "named": Q(remote_service_name__isnull=False),
        "identified": Q(broker_instance__isnull=False),
    }


class Leads(Chosen):
    """Keeps routes by where they lead."""

    title = "address"
    parameter_name = "address"
    choices_of = (("local", "LOCAL"), ("transport", "TRANSPORT"), ("network", "tcp://"), ("mirrored", _("mirrored")))
    tests = {
        "local": Q(address_key="LOCAL"),
        "transport": Q(address_key="TRANSPORT"),
        "network": Q(address_key__startswith="tcp:"),
        "mirrored": Q(mirror_address__isnull=False),
    }


class OnOff(Chosen):
    """Keeps rows by a column that is true or false."""

    column: ClassVar[str] = ""
    choices_of = (("on", _("on")), ("off", _("off")))

    def condition(self, value: str) -> Q | None:
        """By the column."""
        return {"on": Q(**{self.column: True}), "off": Q(**{self.column: False})}.get(value)


class Enabled(OnOff):
    """Keeps queues that are on, or off."""

    title = parameter_name = column = "enabled"


class BrokerEnabled(OnOff):
    """Filters databases by their broker."""

    title = parameter_name = column = "broker_enabled"


class Forwarding(OnOff):
    """Filters instances by message forwarding."""

    title = parameter_name = column = "forwarding"


class Hosted(OnOff):
    """Keeps instances that this deployment runs, or observed ones."""

    title = parameter_name = column = "hosted"


class RoleFilter(Chosen):
    """Filters databases by mirroring role."""

    title = parameter_name = "mirroring_role"
    choices_of = (("PRINCIPAL", "PRINCIPAL"), ("MIRROR", "MIRROR"), ("none", _("not mirrored")))
    tests = {
        "PRINCIPAL": Q(mirroring_role="PRINCIPAL"),
        "MIRROR": Q(mirroring_role="MIRROR"),
        "none": Q(mirroring_role__isnull=True),
    }
