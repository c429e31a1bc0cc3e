"""`sys/`: the product's views of messaging, read only. The rows of a page are not counted.

Each page costs the same however many rows there are (`brokerui.messaging.selectors`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_view
from redis import Redis, RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import IdentifierField, NameField, StrictChoiceField
from brokerui.api.listing import database_filter, instance_filter
from brokerui.api.messaging import sys_columns as columns
from brokerui.api.messaging.sys_rows import (
    Json,
    activated_as_json,
    connections_as_json,
    endpoints_as_json,
    forwarded_as_json,
    groups_as_json,
    monitors_as_json,
    transmissions_as_json,
)
from brokerui.api.printed_places import with_printed_place
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import EstateQuery, PageQuery
from brokerui.api.serializers import QuerySerializer, read_query
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.paging import KeysetPage
from brokerui.messaging import selectors
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.keyset_views import Key
from routing.dialog.states import STATES


class InstanceRowsQuery(PageQuery, EstateQuery):
    """Rows of instances."""

    instance = instance_filter()


class DatabaseRowsQuery(InstanceRowsQuery):
    """Rows of databases."""

    database = database_filter()


class EndpointRowsQuery(DatabaseRowsQuery):
    """Rows of sys.conversation_endpoints."""

    conversation_handle = IdentifierField(help_text=gettext_lazy("Of this conversation."))
    conversation_id = IdentifierField(help_text=gettext_lazy("Rows of both sides of this conversation."))
    conversation_group_id = IdentifierField(help_text=gettext_lazy("Of this conversation group."))
    state = StrictChoiceField([state for state in STATES if state], help_text=gettext_lazy("In this state."))
    service_name = NameField(help_text=gettext_lazy("Rows of this service of the hosted instance."))
    far_service = NameField(help_text=gettext_lazy("Rows with this service on the other side."))


class TransmissionRowsQuery(DatabaseRowsQuery):
    """Rows of sys.transmission_queue."""

    conversation_handle = IdentifierField(help_text=gettext_lazy("Of this conversation."))
    to_service_name = NameField(help_text=gettext_lazy("For this service."))
    from_service_name = NameField(help_text=gettext_lazy("From this service."))


class GroupRowsQuery(DatabaseRowsQuery):
    """Rows of sys.conversation_groups."""

    conversation_group_id = IdentifierField(help_text=gettext_lazy("This conversation group."))
    service_name = NameField(help_text=gettext_lazy("Of this service."))


PAGE_PARAMETERS: Final = ("limit", "cursor", "scenario", "as_of", "draft")
"""Parameters that keep no rows by their columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SysView:
    """A view of the product."""

    name: str
    columns: type[Any]
    query: type[QuerySerializer]
    page: Callable[[Mapping[str, Any], Key | None, int], KeysetPage[Any, Key]]
    as_json: Callable[[Sequence[Any]], list[Json]] = list
    key_parts: int = 1
    """Parts of a row's key, as a cursor holds it: a text first where it has several, and whole numbers."""

    @property
    def key_kinds(self) -> tuple[type, ...]:
        return (int,) if self.key_parts == 1 else (str, *[int] * (self.key_parts - 1))


def _from_valkey(
    rows: Callable[[Redis], list[Json]],
) -> Callable[[Mapping[str, Any], Key | None, int], KeysetPage[Json, Key]]:
    """Return the pages of what stands in Valkey: little enough to be read whole. A key is the number of a row."""

    def page(where: Mapping[str, Any], after: Key | None, limit: int) -> KeysetPage[Json, Key]:
        try:
            found = rows(redis())
        except (RedisError, OSError):
            detail = _("Workers and endpoints show their rows in Valkey, which does not answer.")
            raise ApiProblem(503, detail, code="away") from None
        found = [row for row in found if all(row[name] == value for name, value in where.items())]
        first = int(after[0]) if after else 0
        last = first + limit
        return KeysetPage(tuple(found[first:last]), (last,) if len(found) > last else None)

    return page


VIEWS: Final = (
    SysView(
        name="conversation_endpoints",
        columns=columns.SysConversationEndpointSerializer,
        query=EndpointRowsQuery,
        page=selectors.conversation_endpoints,
        as_json=endpoints_as_json,
        key_parts=2,
    ),
    SysView(
        name="transmission_queue",
        columns=columns.SysTransmissionSerializer,
        query=TransmissionRowsQuery,
        page=selectors.transmission_queue,
        as_json=transmissions_as_json,
        key_parts=4,
    ),
    SysView(
        name="conversation_groups",
        columns=columns.SysConversationGroupSerializer,
        query=GroupRowsQuery,
        page=selectors.conversation_groups,
        as_json=groups_as_json,
        key_parts=2,
    ),
    SysView(
        name="dm_broker_connections",
        columns=columns.SysConnectionSerializer,
        query=InstanceRowsQuery,
        page=_from_valkey(connections_as_json),
    ),
    SysView(
        name="dm_broker_forwarded_messages",
        columns=columns.SysForwardedSerializer,
        query=InstanceRowsQuery,
        page=_from_valkey(forwarded_as_json),
    ),
    SysView(
        name="dm_broker_queue_monitors",
        columns=columns.SysQueueMonitorSerializer,
        query=DatabaseRowsQuery,
        page=_from_valkey(monitors_as_json),
    ),
    SysView(
        name="dm_broker_activated_tasks",
        columns=columns.SysActivatedTaskSerializer,
        query=DatabaseRowsQuery,
        page=_from_valkey(activated_as_json),
    ),
)


class SysRowList(ApiView):
    """The rows of a view of the product."""

    sys_view: ClassVar[SysView]

    def get(self, request: Request) -> Response:
        """Return a page of its rows."""
        sys_view = self.sys_view
        query = read_query(request, sys_view.query)
        viewed = estate_view_from(request.query_params.dict())
        after = read_cursor(query.get("cursor"), sys_view.key_kinds)
        placed = with_printed_place(query, viewed.estate) if "database" in query else query
        where = {name: value for name, value in placed.items() if name not in PAGE_PARAMETERS}
        # Nothing runs in a scenario, in a draft, nor in the past.
        page = sys_view.page(where, after, query["limit"]) if viewed.is_editable else KeysetPage((), None)
        body = page_body(request, sys_view.as_json(page.rows), page.after)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


def sys_addresses() -> list[URLPattern]:
    """Return the addresses of all views."""
    return [path(f"sys/{one.name}/", _view(one).as_view(), name=f"sys_{one.name}") for one in VIEWS]


def _view(sys_view: SysView) -> type[SysRowList]:
    name = "".join(word.title() for word in sys_view.name.split("_"))
    view: type[SysRowList] = type(f"Sys{name}", (SysRowList,), {"sys_view": sys_view})
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"sys_{sys_view.name}",
            tags=openapi.tags(gettext_lazy("Catalog views")),
            summary=f"sys.{sys_view.name}",
            description=gettext_lazy(
                "The columns of the product's view, of instances that are hosted here. A page may have fewer rows than "
                "asked for, even none, and be followed by others: `next` says so. Nothing runs in a scenario, a draft "
                "or the past: of these the page is empty."
            ),
            **openapi.conditional_get(uncounted_page_of(sys_view.columns), query=sys_view.query),
        )
    )(view)
