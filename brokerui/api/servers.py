"""`servers/` and `collections/`: real servers, their causes, leaks and collections, and rows that a program sends."""

from __future__ import annotations

from typing import Final

from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.analysis.overview.real_servers import servers_now
from brokerui.analysis.overview.server_causes import causes_of_server
from brokerui.analysis.servers.clean_up_plan import clean_up_plan, default_services
from brokerui.analysis.servers.leak_reading import leak_of
from brokerui.analysis.servers.models import Collection, CollectionSource
from brokerui.analysis.servers.pasting import PastedText
from brokerui.analysis.servers.selectors import collection_get, collections_after, databases_of, latest_events
from brokerui.analysis.servers.services import collection_delete, collection_keep
from brokerui.analysis.servers.understanding import understood
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of, uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of, etag_of_json, is_known, require_match
from brokerui.api.fields import NUMBER_DIGITS
from brokerui.api.ids import key_of
from brokerui.api.import_runs import author_of
from brokerui.api.overview import cause_as_json
from brokerui.api.problems import ApiProblem, in_file
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.api.server_bodies import (
    CollectionSerializer,
    LeakQuery,
    LeakSerializer,
    ListedServerSerializer,
    PastedSerializer,
    ServerDetailSerializer,
    UnderstoodSerializer,
    collected_now,
    collection_as_json,
    database_as_json,
    event_as_json,
    leak_as_json,
    server_as_json,
    understood_as_json,
)
from brokerui.estate.selectors import estate_current
from routing.common.errors import InputError

_TAG: Final = _("Real servers")
SERVER_ID: Final = OpenApiParameter(
    "server_id", {"type": "string"}, OpenApiParameter.PATH, description=_("The `id` of the server in servers/.")
)
DATABASE_ID: Final = OpenApiParameter(
    "database_id", {"type": "string"}, OpenApiParameter.PATH, description=_("The `id` of the database in its server.")
)
EXAMPLE: Final = OpenApiExample(
    "rows",
    value={
        "server": "sqlprod02",
        "database": "Stock",
        "collected_at": "2026-11-24T08:37:00Z",
        "content": "to_service_name\ttransmission_status\tmessages\n//shop/Mine\tThe target service name could not be"
        " found.\t12\n",
        "dry_run": True,
    },
    request_only=True,
)


class ServerList(ApiView):
    """All real servers."""

    @extend_schema(
        operation_id="servers_list",
        tags=openapi.tags(_TAG),
        summary=_("List"),
        description=_(
            "Servers that BrokerUI does not run itself, with freshness, messages held and leaks; most first."
        ),
        **openapi.conditional_get(page_of(ListedServerSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        rows = [server_as_json(server) for server in servers_now().servers]
        return _conditional(request, {"count": len(rows), "next": None, "results": rows})


class ServerDetail(ApiView):
    """One real server."""

    @extend_schema(
        operation_id="server_read",
        tags=openapi.tags(_TAG),
        summary=_("Read one"),
        description=_(
            "The causes for which messages waited there when it was asked, in the sentences that a hosted row with the"
            " same status gets; the sums of its databases; errors of its log. Nothing here acts on the server."
        ),
        **openapi.conditional_get(ServerDetailSerializer, parameters=[SERVER_ID]),
    )
    def get(self, request: Request, server_id: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        live, servers, _leaks = servers_now()
        key = key_of(server_id, 1)
        found = next((one for one in servers if key is not None and one.name == key[0]), None)
        if found is None:
            raise _no_server()
        events = latest_events(found.name)
        causes = causes_of_server(live, found.name, timezone.now())
        return _conditional(
            request,
            {
                **server_as_json(found),
                "causes": [cause_as_json(entry) for entry in causes],
                "collected": [database_as_json(found.name, row) for row in databases_of(found.name)],
                "events": [event_as_json(event) for event in events[1]] if events is not None else [],
            },
        )


class LeakDetail(ApiView):
    """The conversations that one database leaves over."""

    @extend_schema(
        operation_id="server_leak",
        tags=openapi.tags(_TAG),
        summary=_("Conversations that are left over"),
        description=_(
            "Conversations of a database by service, role, state and age, their growth from collection to collection,"
            " the order of work, and a clean-up script, which only counts until a person sets `@run = 1`."
        ),
        **openapi.conditional_get(LeakSerializer, query=LeakQuery, parameters=[DATABASE_ID]),
    )
    def get(self, request: Request, database_id: str) -> Response:
        """Return them."""
        query = read_query(request, LeakQuery)
        key = key_of(database_id, 2)
        leak = leak_of(estate_current(), *key) if key is not None else None
        if leak is None:
            raise ApiProblem(404, gettext("No conversations of such a database were collected."))
        services = [query["service"]] if query.get("service") else default_services(leak)
        return _conditional(request, leak_as_json(leak, clean_up_plan(leak, services, int(query["days"]))))


class CollectionList(ApiView):
    """All collections, and rows of another one."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="collections_list",
        tags=openapi.tags(_TAG),
        summary=_("List the collections"),
        description=_("The collections of all servers, the first that was kept first."),
        **openapi.conditional_get(uncounted_page_of(CollectionSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, PageQuery)
        after, limit = read_cursor(query.get("cursor"), (int,)), query["limit"]
        found = collections_after(after[0] if after else 0, limit + 1)
        rows = [collection_as_json(one) for one in found[:limit]]
        last = (found[limit - 1].pk,) if len(found) > limit else None
        return _conditional(request, page_body(request, rows, last))

    @extend_schema(
        operation_id="collections_add",
        tags=openapi.tags(_TAG),
        summary=_("Keep rows of a server"),
        description=_(
            "Sums the rows and keeps them with their moment. 422 names the line of the first error, and nothing is kept"
            " then. The same rows with the same moment are kept once."
        ),
        request=PastedSerializer,
        examples=[EXAMPLE],
        responses={
            200: UnderstoodSerializer,
            201: UnderstoodSerializer,
            **openapi.problems(openapi.WRITE_STATUSES),
        },
    )
    def post(self, request: Request) -> Response:
        """Keep them, or with `dry_run` only return their sums."""
        read_query(request, NoQuery)
        body = read_body(request.data, PastedSerializer)
        text = PastedText(
            server=body["server"],
            at=collected_now(body),
            content=body["content"].encode(),
            database=body.get("database", ""),
            name="content",
        )
        try:
            sums = understood(text, timezone.now())
        except InputError as error:
            raise in_file(error) from None
        if body["dry_run"]:
            return Response(understood_as_json(sums, None))
        kept = collection_keep(sums=sums, author=author_of(request), source=CollectionSource.PASTED)
        return Response(understood_as_json(sums, kept.pk), status=201)


class CollectionDetail(ApiView):
    """One collection."""

    write = Level.OPERATE

    @extend_schema(
        operation_id="collection_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a collection"),
        description=_("A collection with the ETag that its deletion takes."),
        **openapi.conditional_get(CollectionSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it without its sums, which servers/ has."""
        read_query(request, NoQuery)
        found = _collection(number)
        etag = etag_of(found.digest)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(collection_as_json(found), headers={"ETag": etag})

    @extend_schema(
        operation_id="collection_delete",
        tags=openapi.tags(_TAG),
        summary=_("Delete a collection"),
        description=_("For one that was kept by mistake: the one before it is the last of its server again."),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """Delete it."""
        read_query(request, NoQuery)
        found = _collection(number)
        require_match(request, etag_of(found.digest))
        collection_delete(collection=found, author=author_of(request))
        return Response(status=204)


def _conditional(request: Request, body: dict[str, object]) -> Response:
    etag = etag_of_json(body)
    if is_known(request, etag):
        return Response(status=304, headers={"ETag": etag})
    return Response(body, headers={"ETag": etag})


def _collection(number: str) -> Collection:
    is_number = number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS
    found = collection_get(int(number)) if is_number else None
    if found is None:
        raise ApiProblem(404, gettext("There is no such collection."))
    return found


def _no_server() -> ApiProblem:
    return ApiProblem(404, gettext("There is no such server."))


def addresses() -> list[URLPattern]:
    """Return the addresses of real servers."""
    return [
        path("servers/", ServerList.as_view(), name="servers"),
        path("servers/leaks/<str:database_id>/", LeakDetail.as_view(), name="server_leak"),
        path("servers/<str:server_id>/", ServerDetail.as_view(), name="server"),
        path("collections/", CollectionList.as_view(), name="collections"),
        path("collections/<str:number>/", CollectionDetail.as_view(), name="collection"),
    ]
