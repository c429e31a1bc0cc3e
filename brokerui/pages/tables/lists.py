"""The lists of the estate's tables: their columns, by the product's names, and their filters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from brokerui.core.templatetags.wording import sentence_text
from brokerui.core.typed_moments import read_moment
from brokerui.estate.models import (
    Contract,
    Database,
    Instance,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Route,
    Service,
)
from brokerui.pages.tables import list_filters, row_kinds
from brokerui.pages.tables.base_admin import EstateTableAdmin
from brokerui.pages.tables.cells import code, counted, lifetime, on_off
from brokerui.pages.tables.row_kinds import Key, find, put
from brokerui.pages.tables.site import site
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.errors import Invalid
from routing.common.names import SYSTEM_SERVICES
from routing.model.system_objects import system_service


class InDatabases(EstateTableAdmin):
    """Base of the tables of a database's objects."""

    list_filter: ClassVar[Any] = (list_filters.InInstance, list_filters.InDatabase)
    search_fields: ClassVar[Any] = ("name",)
    list_display: Any = ("name", "place")

    @admin.display(description="instance/database", ordering="database_id")
    def place(self, row: Any) -> SafeString:
        """Where it stands."""
        return format_html(
            '<span class="nowrap">{}<span class="muted">/</span>{}</span>',
            row.database.instance.name,
            row.database.name,
        )


@admin.register(Instance, site=site)
class Instances(EstateTableAdmin):
    """Instances."""

    kind = row_kinds.INSTANCE
    about = gettext_lazy("SQL Server instances, where they listen, their endpoints.")
    ordering = ("name",)
    list_select_related = False
    list_display: Any = ("name", "listens", "forwards", "endpoint_port", "endpoint_state", "held", "is_hosted")
    list_filter = (list_filters.Forwarding, list_filters.Hosted)
    search_fields: ClassVar[Any] = ("name", "addresses__text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With addresses, and the number of databases."""
        rows: QuerySet[Any] = super().get_queryset(request).prefetch_related("addresses")
        found: QuerySet[Any] = rows.annotate(held_databases=counted(Database, "instance"))
        return found

    @admin.display(description="addresses")
    def listens(self, row: Any) -> Any:
        """Where it listens."""
        texts = [address.text for address in row.addresses.all()]
        more = f" +{len(texts) - 1}" if len(texts) > 1 else ""
        return format_html("<code>{}</code>{}", texts[0], more) if texts else _("none")

    @admin.display(description="forwarding", ordering="forwarding")
    def forwards(self, row: Any) -> str:
        """Whether the instance forwards messages for other instances. Both values are normal."""
        return _("on") if row.forwarding else _("off")

    @admin.display(description=gettext_lazy("databases"))
    def held(self, row: Any) -> SafeString:
        """How many databases it has."""
        return format_html('<span class="figure">{}</span>', f"{row.held_databases:,}")

    @admin.display(description="hosted", ordering="hosted")
    def is_hosted(self, row: Any) -> str:
        """Whether this deployment runs it."""
        return _("hosted") if row.hosted else _("observed")


@admin.register(Database, site=site)
class Databases(EstateTableAdmin):
    """Brokers."""

    kind = row_kinds.DATABASE
    about = gettext_lazy("Brokers: their identifiers, state, mirroring; routes, services and queues in them.")
    ordering = ("instance_id", "name")
    list_select_related = ("instance",)
    list_display: Any = ("name", "owner", "enabled", "identifier", "mirroring_role", "held")
    list_filter = (list_filters.ByInstance, list_filters.BrokerEnabled, list_filters.RoleFilter)
    search_fields: ClassVar[Any] = ("name", "=broker_instance")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of routes."""
        rows: QuerySet[Any] = super().get_queryset(request)
        found: QuerySet[Any] = rows.annotate(held_routes=counted(Route, "database"))
        return found

    @admin.display(description="instance", ordering="instance_id")
    def owner(self, row: Any) -> str:
        """Where it is."""
        return str(row.instance.name)

    @admin.display(description="broker_enabled", ordering="broker_enabled")
    def enabled(self, row: Any) -> SafeString:
        """Whether its broker is on."""
        return on_off(row.broker_enabled)

    @admin.display(description="broker_instance", ordering="broker_instance")
    def identifier(self, row: Any) -> Any:
        """The broker identifier of a row."""
        return code(row.broker_instance)

    @admin.display(description=gettext_lazy("routes"))
    def held(self, row: Any) -> SafeString:
        """How many routes it has."""
        return format_html('<span class="figure">{}</span>', f"{row.held_routes:,}")


@admin.register(Route, site=site)
class Routes(InDatabases):
    """Routes."""

    kind = row_kinds.ROUTE
    about = gettext_lazy("The rows of sys.routes, which decide where conversations go.")
    list_display: Any = ("name", "place", "service", "identifier", "leads", "mirror", "expires")
    list_filter = (
        list_filters.InInstance,
        list_filters.InDatabase,
        list_filters.For,
        list_filters.Leads,
        list_filters.Lifetime,
    )
    search_fields: ClassVar[Any] = ("name", "remote_service_name", "address")
    actions: Any = ("delete_rows", "set_lifetime")

    @admin.display(description="remote_service_name", ordering="remote_service_name")
    def service(self, row: Any) -> Any:
        """The service it is for."""
        return code(row.remote_service_name)

    @admin.display(description="broker_instance", ordering="broker_instance")
    def identifier(self, row: Any) -> Any:
        """The identifier it gives."""
        return code(row.broker_instance)

    @admin.display(description="address", ordering="address_key")
    def leads(self, row: Any) -> Any:
        """Where it leads."""
        return code(row.address)

    @admin.display(description="mirror_address", ordering="mirror_key")
    def mirror(self, row: Any) -> Any:
        """The mirror address of a route."""
        return code(row.mirror_address)

    @admin.display(description="lifetime", ordering="lifetime")
    def expires(self, row: Any) -> Any:
        """When it expires, and whether that is past."""
        return lifetime(row.lifetime)

    @admin.action(description=gettext_lazy("Set lifetime…"), permissions=["change"])
    def set_lifetime(self, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        """A new moment for all that are ticked; empty: they never expire."""
        text = request.POST.get("lifetime", "").strip()
        problem, until = "", None
        try:
            until = read_moment(text) if text else None
        except Invalid as fault:
            problem = sentence_text(fault.problem)

        def act(draft: UnsavedEdits, key: Key) -> None:

            route = find(self.kind, draft.after, key)
            if route is not None and route.lifetime != until:
                put(self.kind, draft, key[:2], replace(route, lifetime=until))

        return self.done(
            request, rows, act, "set lifetime of", _("Set lifetime"), problem=problem, lifetime=text, asks_lifetime=True
        )


@admin.register(Service, site=site)
class Services(InDatabases):
    """Services."""

    kind = row_kinds.SERVICE
    about = gettext_lazy("What conversations are addressed to, and the contracts it accepts.")
    list_display: Any = ("name", "created_by", "place", "its_queue")
    list_filter: ClassVar[Any] = (list_filters.InInstance, list_filters.InDatabase, list_filters.CreatedBy)
    search_fields: ClassVar[Any] = ("name", "queue")

    @admin.display(description="queue", ordering="queue")
    def its_queue(self, row: Any) -> Any:
        """Where its messages wait."""
        made = system_service(row.name)
        return code(made.queue if made else row.queue)

    @admin.display(description=gettext_lazy("Select rows to change them"))
    def action_checkbox(self, obj: Any) -> Any:
        """None for a service that cannot be edited."""
        if obj.name in SYSTEM_SERVICES:
            return format_html('<span class="unseen">{}</span>', _("cannot be edited"))
        return super().action_checkbox(obj)

    @admin.display(description=gettext_lazy("created by"))
    def created_by(self, row: Any) -> str:
        """Whether SQL Server itself creates it in every database: then it cannot be edited."""
        return "SQL Server" if row.name in SYSTEM_SERVICES else _("users")


@admin.register(Queue, site=site)
class Queues(InDatabases):
    """Queues."""

    kind = row_kinds.QUEUE
    about = gettext_lazy("Where messages wait, on or off, with activation.")
    list_display: Any = ("name", "place", "is_on", "activation_procedure", "activation_max_readers")
    list_filter = (list_filters.InInstance, list_filters.InDatabase, list_filters.Enabled)
    search_fields: ClassVar[Any] = ("name", "activation_procedure")
    actions: Any = ("delete_rows", "enable", "disable")

    @admin.display(description="enabled", ordering="enabled")
    def is_on(self, row: Any) -> SafeString:
        """Whether it is on."""
        return on_off(row.enabled)

    @admin.action(description=gettext_lazy("Switch on…"), permissions=["change"])
    def enable(self, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        """All that are ticked."""
        return self.done(request, rows, self._switch(to=True), "switched on", _("Switch on"))

    @admin.action(description=gettext_lazy("Switch off…"), permissions=["change"])
    def disable(self, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        """All that are ticked."""
        return self.done(request, rows, self._switch(to=False), "switched off", _("Switch off"))

    def _switch(self, *, to: bool) -> Any:

        def act(draft: UnsavedEdits, key: Key) -> None:
            queue = find(self.kind, draft.after, key)
            if queue is not None and queue.enabled != to:
                put(self.kind, draft, key[:2], replace(queue, enabled=to))

        return act


@admin.register(Contract, site=site)
class Contracts(InDatabases):
    """Contracts."""

    kind = row_kinds.CONTRACT
    about = gettext_lazy("Which message types a dialog may hold, and who may send them.")


@admin.register(MessageType, site=site)
class MessageTypes(InDatabases):
    """Message types."""

    kind = row_kinds.MESSAGE_TYPE
    about = gettext_lazy("What messages are called, and how they are checked.")
    list_display: Any = ("name", "place", "validation", "schema_collection")


@admin.register(Priority, site=site)
class Priorities(InDatabases):
    """Conversation priorities."""

    kind = row_kinds.PRIORITY
    about = gettext_lazy("Which conversations go first.")
    list_display: Any = (
        "name",
        "place",
        "contract_name",
        "local_service_name",
        "remote_service_name",
        "priority_level",
    )
    search_fields: ClassVar[Any] = ("name", "local_service_name", "remote_service_name")


@admin.register(RemoteServiceBinding, site=site)
class Bindings(InDatabases):
    """Remote service bindings."""

    kind = row_kinds.BINDING
    about = gettext_lazy("The user whose certificate secures dialogs with a remote service.")
    list_display: Any = ("name", "place", "remote_service_name", "user", "anonymous")
    search_fields: ClassVar[Any] = ("name", "remote_service_name", "user")
