"""`routes/`: the rows of sys.routes."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from brokerui.api.bodies import owner_database, owner_instance, row_id
from brokerui.api.fields import AddressField, IdentifierField, MomentField, NameField
from brokerui.api.listing import RowFilter, RowListing, row_as_json, same
from brokerui.api.resource import Resource
from brokerui.api.rows import EstateRow, find_route, route_rows
from brokerui.api.serializers import StrictSerializer
from routing.common.names import SYSNAME_CHARS
from routing.documents.writer import route_as_json
from routing.model.edits import DropRoute, PutRoute
from routing.model.route import Route


class RouteSerializer(StrictSerializer):
    """A row of sys.routes."""

    id = row_id()
    instance = owner_instance()
    database = owner_database()
    name = NameField(max_length=SYSNAME_CHARS, help_text=_("Cannot be changed."))
    remote_service_name = NameField(
        allow_null=True, required=False, help_text=_("The service that it is for, compared exactly; null: any.")
    )
    broker_instance = IdentifierField(
        allow_null=True, required=False, help_text=_("The identifier of the target database; null: any.")
    )
    lifetime = MomentField(allow_null=True, required=False, help_text=_("UTC; null: it never expires."))
    address = AddressField(help_text=_("LOCAL, TRANSPORT or tcp://HOST[:PORT]."))
    mirror_address = AddressField(
        allow_null=True, required=False, help_text=_("tcp://HOST[:PORT] of the mirroring partner.")
    )


def _make(**columns: Any) -> Route:
    return Route(**{"remote_service_name": None, "broker_instance": None, "lifetime": None, **columns})


def _as_json(row: EstateRow) -> dict[str, Any]:
    return row_as_json(("instance", "database", "name"), row, route_as_json(row.value))


def _lifetime(route: Route) -> str | None:
    return route.lifetime.isoformat() if route.lifetime else None


ROUTES = Resource(
    listing=RowListing(
        name="routes",
        title=_("Routes"),
        keys=("instance", "database", "name"),
        rows=route_rows,
        as_json=_as_json,
        filters=(
            same(
                "name",
                NameField(max_length=SYSNAME_CHARS, help_text=_("Routes of this name.")),
                lambda route: route.name,
            ),
            same(
                "service",
                NameField(help_text=_("Routes for this service, compared exactly.")),
                lambda route: route.remote_service_name,
            ),
            same(
                "broker_instance",
                IdentifierField(help_text=_("With this identifier.")),
                lambda route: route.broker_instance,
            ),
            RowFilter(
                "address",
                AddressField(help_text=_("Routes that lead to this address, in any notation.")),
                lambda route, wanted: route.address.key == wanted.key,
            ),
            RowFilter(
                "expires_before",
                MomentField(help_text=_("Routes that expire before this time.")),
                lambda route, wanted: route.lifetime is not None and route.lifetime < wanted,
            ),
        ),
        orders={
            "name": lambda route: route.name,
            "remote_service_name": lambda route: route.remote_service_name,
            "lifetime": _lifetime,
            "address": lambda route: route.address.key,
        },
    ),
    singular="route",
    serializer=RouteSerializer,
    make=_make,
    find=find_route,
    put=lambda _estate, key, route: PutRoute(key[0], key[1], route),
    drop=lambda _estate, key: DropRoute(*key),
    example={
        "instance": "host1",
        "database": "Orders",
        "name": "ToParts",
        "remote_service_name": "OrderParts",
        "address": "tcp://host2.example:4022",
    },
)
