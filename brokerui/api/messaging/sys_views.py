"""What the product's views of messaging would show, read only: their columns, in their order, with their values.

`instance` and `database` stand before the columns of the product, and a few of ours after them. Nothing is counted,
and each page costs the same however many rows there are (`brokerui.messaging.selectors`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_view
from redis import Redis, RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.ids import packed, unpacked
from brokerui.api.listing import DATABASE, INSTANCE, next_address
from brokerui.api.messaging import sys_shapes as shapes
from brokerui.api.parameters import LIMIT, PAGE, VIEWED, Parameter, choice, given, identifier, text
from brokerui.api.problems import Problem, in_query
from brokerui.api.tags import is_known, tag_of_json
from brokerui.estate.numbering import Numbers, numbers_of
from brokerui.estate.selectors import estate_current
from brokerui.estate.viewed import viewed_from
from brokerui.messaging import selectors
from brokerui.messaging.activation.selectors import activated_tasks, queue_monitors
from brokerui.messaging.exchange.forwarded_messages import forwarded_messages
from brokerui.messaging.exchange.lists import connections
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.selectors import EndpointRow, GroupRow, Key, Page, TransmissionRow
from routing.common.moment import from_milliseconds
from routing.dialog.states import STATES
from routing.dialog.system_names import SYSTEM_SERVICE

Json = dict[str, Any]
NOBODY = Numbers({}, {}, {}, {})


def _at(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else from_milliseconds(milliseconds).isoformat()


def _numbers(rows: Sequence[Any]) -> Callable[[Any], Numbers]:
    """Of the database of a row, made once for each database."""
    estate = estate_current().estate
    found: dict[tuple[str, str], Numbers] = {}
    for place in {(row.instance, row.database) for row in rows}:
        instance = estate.instances.get(place[0])
        database = instance.databases.get(place[1]) if instance else None
        found[place] = numbers_of(database) if database else NOBODY
    return lambda row: found[row.instance, row.database]


# ---------------------------------------------------------------- rows


def endpoint_as_json(rows: Sequence[EndpointRow]) -> list[Json]:
    numbers = _numbers(rows)
    return [_endpoint(row, numbers(row)) for row in rows]


def _endpoint(row: EndpointRow, numbers: Numbers) -> Json:
    return {
        "instance": row.instance,
        "database": row.database,
        "conversation_handle": row.conversation_handle,
        "conversation_id": row.conversation_id,
        "is_initiator": int(row.is_initiator),
        "service_contract_id": numbers.contracts.get(row.service_contract_name),
        "conversation_group_id": row.conversation_group_id,
        "service_id": numbers.services.get(row.service_name),
        "lifetime": _at(row.lifetime),
        "state": row.state,
        "state_desc": STATES[row.state],  # type: ignore[index]  # the table has no others
        "far_service": row.far_service,
        "far_broker_instance": row.far_broker_instance,
        "principal_id": None,
        "far_principal_id": None,
        "outbound_session_key_identifier": None,
        "inbound_session_key_identifier": None,
        "security_timestamp": _at(row.security_timestamp),
        "dialog_timer": _at(row.dialog_timer),
        "send_sequence": row.send_sequence,
        "last_send_tran_id": None,
        "end_dialog_sequence": row.end_dialog_sequence,
        "receive_sequence": row.receive_sequence,
        "receive_sequence_frag": None,
        "system_sequence": None,
        "first_out_of_order_sequence": None,
        "last_out_of_order_sequence": None,
        "last_out_of_order_frag": None,
        "is_system": row.service_name == SYSTEM_SERVICE,
        "priority": row.priority,
        "service_name": row.service_name,
        "service_contract_name": row.service_contract_name,
        "outgoing": row.outgoing,
    }


def _groups(rows: Sequence[GroupRow]) -> list[Json]:
    numbers = _numbers(rows)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "conversation_group_id": row.conversation_group_id,
            "service_id": numbers(row).services.get(row.service_name),
            "is_system": row.service_name == SYSTEM_SERVICE,
            "service_name": row.service_name,
            "queue": row.queue,
            "conversations": row.conversations,
        }
        for row in rows
    ]


def _transmissions(rows: Sequence[TransmissionRow]) -> list[Json]:
    found = []
    for row in rows:
        columns = row._asdict() | {"enqueue_time": _at(row.enqueue_time)}
        before = list(columns).index("transmission_status")
        items = list(columns.items())
        found.append(dict([*items[:before], ("message_body", None), *items[before:]]))
    return found


def _connections(client: Redis) -> list[Json]:
    columns = [row._asdict() for row in connections(client)]
    return [{"instance": row.pop("instance"), **row} for row in columns]


def _forwarded(client: Redis) -> list[Json]:
    return [{"instance": instance, **row._asdict()} for instance, row in forwarded_messages(client)]


def _monitors(_client: Redis) -> list[Json]:
    rows = queue_monitors()
    numbers = _numbers(rows)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "database_id": None,
            "queue_id": numbers(row).queues.get(row.queue),
            "state": row.state,
            "last_empty_rowset_time": _at(row.last_empty_rowset_time),
            "last_activated_time": _at(row.last_activated_time),
            "tasks_waiting": row.tasks_waiting,
            "queue": row.queue,
        }
        for row in rows
    ]


def _activated(_client: Redis) -> list[Json]:
    rows = activated_tasks()
    numbers = _numbers(rows)
    return [
        {
            "instance": row.instance,
            "database": row.database,
            "spid": row.spid,
            "database_id": None,
            "queue_id": numbers(row).queues.get(row.queue),
            "procedure_name": row.procedure_name,
            "execute_as": None,
            "queue": row.queue,
            "host": row.host,
            "since": _at(row.since),
        }
        for row in rows
    ]


# ---------------------------------------------------------------- views


@dataclass(frozen=True, slots=True)
class Live:
    """A view of the product."""

    name: str
    shape: type[Any]
    filters: tuple[Parameter, ...]
    page: Callable[[Mapping[str, Any], Key | None, int], Page[Any]]
    as_json: Callable[[Sequence[Any]], list[Json]] = list
    width: int = 1
    """Parts of a key, as a cursor holds it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (*self.filters, *PAGE, *VIEWED)


def _shown(rows: Callable[[Redis], list[Json]]) -> Callable[[Mapping[str, Any], Key | None, int], Page[Json]]:
    """Of what stands in Valkey: little enough to be read as a whole. A key is the number of a row."""

    def page(where: Mapping[str, Any], after: Key | None, limit: int) -> Page[Json]:
        try:
            found = rows(redis())
        except (RedisError, OSError):
            detail = _("What is under way is shown by workers and endpoints in Valkey, which does not answer.")
            raise Problem(503, detail, code="away") from None
        found = [row for row in found if all(row[name] == value for name, value in where.items())]
        first = int(after[0]) if after else 0
        last = first + limit
        return Page(tuple(found[first:last]), (last,) if len(found) > last else None)

    return page


HANDLE = identifier("conversation_handle", gettext_lazy("Of this conversation."))
STATE = choice("state", gettext_lazy("In this state."), [state for state in STATES if state])


def _service(name: str, says: Any) -> Parameter:
    return text(name, says)


VIEWS = (
    Live(
        "conversation_endpoints",
        shapes.SysConversationEndpointSerializer,
        (
            INSTANCE,
            DATABASE,
            HANDLE,
            identifier("conversation_id", gettext_lazy("Both sides of this conversation.")),
            identifier("conversation_group_id", gettext_lazy("Of this conversation group.")),
            STATE,
            _service("service_name", gettext_lazy("Of this service here.")),
            _service("far_service", gettext_lazy("With this service there.")),
        ),
        selectors.conversation_endpoints,
        endpoint_as_json,
        2,
    ),
    Live(
        "transmission_queue",
        shapes.SysTransmissionSerializer,
        (
            INSTANCE,
            DATABASE,
            HANDLE,
            _service("to_service_name", gettext_lazy("For this service.")),
            _service("from_service_name", gettext_lazy("From this service.")),
        ),
        selectors.transmission_queue,
        _transmissions,
        3,
    ),
    Live(
        "conversation_groups",
        shapes.SysConversationGroupSerializer,
        (
            INSTANCE,
            DATABASE,
            identifier("conversation_group_id", gettext_lazy("This conversation group.")),
            _service("service_name", gettext_lazy("Of this service.")),
        ),
        selectors.conversation_groups,
        _groups,
        2,
    ),
    Live("dm_broker_connections", shapes.SysConnectionSerializer, (INSTANCE,), _shown(_connections)),
    Live("dm_broker_forwarded_messages", shapes.SysForwardedSerializer, (INSTANCE,), _shown(_forwarded)),
    Live("dm_broker_queue_monitors", shapes.SysQueueMonitorSerializer, (INSTANCE, DATABASE), _shown(_monitors)),
    Live("dm_broker_activated_tasks", shapes.SysActivatedTaskSerializer, (INSTANCE, DATABASE), _shown(_activated)),
)


class LiveRows(ApiView):
    """A view of what is under way."""

    live: ClassVar[Live]

    def get(self, request: Request) -> Response:
        """A page of its rows."""
        asked = given(request, self.live.parameters)
        viewed = viewed_from(request.query_params.dict())
        limit, after = asked.get("limit", LIMIT), _after(asked.get("cursor"), self.live.width)
        where = {one.name: asked[one.name] for one in self.live.filters if one.name in asked}
        # Nothing runs in a scenario, nor in the past.
        page = self.live.page(where, after, limit) if viewed.is_editable else Page((), None)
        body = {
            "count": None,
            "next": next_address(request, packed(list(page.after))) if page.after else None,
            "results": self.live.as_json(page.rows),
        }
        tag = tag_of_json(body)
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(body, headers={"ETag": tag})


def _after(cursor: str | None, width: int) -> Key | None:
    """The key that a cursor holds: a text first where it has several parts, and whole numbers."""
    if cursor is None:
        return None
    key = unpacked(cursor)
    kinds = [int] if width == 1 else [str, *[int] * (width - 1)]
    if isinstance(key, list) and [type(part) for part in key] == kinds and _is_small(key):
        return tuple(key)
    raise in_query("cursor", _("is none that a page gave"))


def _is_small(key: list[Any]) -> bool:
    """What no database could compare was never in a key."""
    return all("\0" not in part if isinstance(part, str) else 0 <= part < 2**63 for part in key)


# ---------------------------------------------------------------- addresses and schema


def sys_addresses() -> list[URLPattern]:
    """Of all of them."""
    return [path(f"sys/{one.name}/", _view(one).as_view(), name=f"sys_{one.name}") for one in VIEWS]


def _view(live: Live) -> type[LiveRows]:
    name = "".join(word.title() for word in live.name.split("_"))
    view: type[LiveRows] = type(f"Live{name}", (LiveRows,), {"live": live})
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"sys_{live.name}",
            tags=telling.tagged(gettext_lazy("Catalog views")),
            summary=f"sys.{live.name}",
            description=gettext_lazy(
                "The columns of the product's view, of instances that are hosted here. A page may have fewer rows than "
                "asked for, even none, and be followed by others: `next` says so. Nothing runs in a scenario or in the "
                "past: of these the page is empty."
            ),
            parameters=[*telling.told(live.parameters), telling.IF_NONE_MATCH, telling.tag_header([200])],
            responses={
                200: shapes.live_page_of(live.shape),
                304: telling.UNCHANGED,
                **telling.problems(telling.READS),
            },
        )
    )(view)
