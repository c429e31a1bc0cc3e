"""The catalog views: their columns, and that the joins of operators' scripts work out on their rows, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from rest_framework import serializers

from brokerui.api.catalog_columns import COLUMNS_BY_VIEW
from brokerui.api.catalog_listings import VIEWS
from brokerui.estate.services import estate_import
from routing.common.names import EVENT_NOTIFICATION_SERVICE, QUERY_NOTIFICATION_SERVICE, SYSTEM_PREFIX
from routing.documents.estate_document import read_estate
from routing.model.catalog_objects import SYSTEM_MADE
from routing.model.estate import Database, Estate, Instance
from tests.brokerui.api.helpers import API
from tests.brokerui.api.null_columns import always_null, documented, known_of_databases
from tests.brokerui.estates import document, instance
from tests.strategies.rich import rich_estates

ENDPOINT = "name endpoint_id principal_id protocol protocol_desc type type_desc state state_desc is_admin_endpoint"
COLUMNS = {
    "service_queue_usages": "service_id service_queue_id",
    "service_contracts": "name service_contract_id principal_id",
    "service_contract_usages": "service_id service_contract_id",
    "service_contract_message_usages": "service_contract_id message_type_id is_sent_by_initiator is_sent_by_target",
    "service_message_types": "name message_type_id principal_id validation validation_desc xml_collection_id",
    "remote_service_bindings": "name remote_service_binding_id principal_id remote_service_name service_contract_id "
    "remote_principal_id is_anonymous_on remote_principal_name",
    "conversation_priorities": "priority_id name service_contract_id local_service_id remote_service_name priority",
    "endpoints": ENDPOINT,
    "tcp_endpoints": f"{ENDPOINT} port is_dynamic_port ip_address",
}
DEPOT = {
    "name": "Depot",
    "broker_instance": "6f3f0d5e-0000-4000-8000-000000000001",
    "services": [
        *(one.name for one in SYSTEM_MADE),
        {"name": "Ship", "queue": "dbo.ShipQueue", "contracts": ["//c/ship", "DEFAULT"]},
        {"name": "Bill", "queue": "dbo.Unlisted", "contracts": ["//c/unlisted"]},
    ],
    "queues": [{"name": "dbo.ShipQueue"}],
    "routes": [{"name": "AutoCreatedLocal", "address": "LOCAL"}],
    "contracts": [
        {
            "name": "//c/ship",
            "messages": [
                {"message_type": "//m/order", "sent_by": "INITIATOR"},
                {"message_type": "//m/done", "sent_by": "TARGET"},
                {"message_type": "DEFAULT", "sent_by": "ANY"},
            ],
        }
    ],
    "message_types": [
        {"name": "//m/order", "validation": "VALID_XML", "schema_collection": "dbo.Orders"},
        {"name": "//m/done", "validation": "EMPTY"},
        {"name": "//m/xml", "validation": "WELL_FORMED_XML"},
    ],
    "priorities": [
        {"name": "Fast", "contract_name": "//c/ship", "local_service_name": "Ship", "priority_level": 9},
        {"name": "Any", "remote_service_name": "Far"},
    ],
    "remote_service_bindings": [
        {"name": "B", "remote_service_name": "Far", "user": "FarUser"},
        {"name": "D", "remote_service_name": "Near", "user": "dbo", "anonymous": True},
    ],
}


@pytest.fixture
def depot(db: None) -> None:
    hosts = [instance("hub", DEPOT, {"name": "msdb"}, {"name": "Sales", "mirroring_role": "MIRROR"})]
    hosts[0]["endpoint"] = {"port": 4022, "state": "STOPPED"}
    estate_import(estate=read_estate(document(*hosts)), author="import")


@pytest.fixture
def full(db: None) -> None:
    """An estate with a value of everything that it can know."""
    address, mirror = "tcp://a:4022", "tcp://b:4022"
    identifier = "6f3f0d5e-0000-4000-8000-000000000002"
    route = {"name": "R", "remote_service_name": "Far", "broker_instance": identifier, "address": address}
    route |= {"lifetime": "2030-05-01T00:00:00Z", "mirror_address": mirror}
    queue = {"name": "dbo.ShipQueue", "activation": {"procedure": "dbo.Ship"}}
    priority = {"name": "All", "contract_name": "//c/ship", "local_service_name": "Ship", "remote_service_name": "Far"}
    held = {**DEPOT, "routes": [route], "queues": [queue], "priorities": [priority]}
    hosts = [instance("hub", held, {"name": "Sales", "mirroring_role": "MIRROR"})]
    hosts[0]["endpoint"] = {"port": 4022}
    estate_import(estate=read_estate(document(*hosts)), author="import")


@pytest.fixture
def sql(client: Client, depot: None) -> Iterator[sqlite3.Connection]:
    """The views of a database as tables, filled over REST."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for listing in VIEWS:
            fields = list(COLUMNS_BY_VIEW[listing.name]().fields)
            where = "&database=Depot" if "database" in fields else ""
            rows = client.get(f"{API}/sys/{listing.name}/?limit=1000{where}").json()["results"]
            connection.execute(f"CREATE TABLE {listing.name} ({', '.join(fields)})")
            places = ", ".join("?" * len(fields))
            values = [list(row.values()) for row in rows]
            connection.executemany(f"INSERT INTO {listing.name} VALUES ({places})", values)
        yield connection


def rows_of(sql: sqlite3.Connection, text: str) -> list[tuple[Any, ...]]:
    return sql.execute(f"{text} ORDER BY 1, 2").fetchall()


@pytest.mark.usefixtures("depot")
@pytest.mark.parametrize("view", COLUMNS)
def test_columns_of_the_product_in_their_order(client: Client, view: str) -> None:
    [row, *_] = client.get(f"{API}/sys/{view}/").json()["results"]
    owners = [name for name in ("instance", "database") if name in row]
    assert list(row)[len(owners) :] == COLUMNS[view].split()


@pytest.mark.parametrize("listing", VIEWS, ids=lambda one: one.name)
def test_rows_have_the_columns_of_the_schema_in_its_order(client: Client, depot: None, listing: Any) -> None:
    rows = client.get(f"{API}/sys/{listing.name}/").json()["results"]
    columns = list(COLUMNS_BY_VIEW[listing.name]().fields)
    assert rows
    assert all(list(row) == columns for row in rows)


@pytest.mark.parametrize("listing", VIEWS, ids=lambda one: one.name)
def test_columns_are_null_in_every_row_as_the_documentation_says(client: Client, full: None, listing: Any) -> None:
    rows = client.get(f"{API}/sys/{listing.name}/").json()["results"]
    if listing.name == "databases":
        assert always_null(rows) == set(rows[0]) - known_of_databases() - {"instance"}
    else:
        assert always_null(rows) == documented(listing.name)


def test_types_of_sys_databases() -> None:
    fields = COLUMNS_BY_VIEW["databases"]().fields
    flags = [name for name in fields if name.startswith("is_")]
    assert all(isinstance(fields[name], serializers.BooleanField) for name in flags)
    assert {name for name in fields if not fields[name].allow_null} == {
        *("instance", "name", "database_id", "is_broker_enabled"),
    }


def test_the_priorities_of_the_product_s_documentation(sql: sqlite3.Connection) -> None:
    found = rows_of(
        sql,
        "SELECT p.name, c.name, s.name, p.remote_service_name, p.priority FROM conversation_priorities p"
        " JOIN service_contracts c ON p.service_contract_id = c.service_contract_id"
        " JOIN services s ON p.local_service_id = s.service_id",
    )
    assert found == [("Fast", "//c/ship", "Ship", None, 9)]
    assert rows_of(sql, "SELECT name, priority FROM conversation_priorities WHERE service_contract_id IS NULL") == [
        ("Any", 5)
    ]


def test_services_with_their_queues_contracts_and_message_types(sql: sqlite3.Connection) -> None:
    found = rows_of(
        sql,
        "SELECT s.name, c.name, m.name, u.is_sent_by_initiator, u.is_sent_by_target, m.validation"
        " FROM services s JOIN service_contract_usages su ON su.service_id = s.service_id"
        " JOIN service_contracts c ON c.service_contract_id = su.service_contract_id"
        " JOIN service_contract_message_usages u ON u.service_contract_id = c.service_contract_id"
        " JOIN service_message_types m ON m.message_type_id = u.message_type_id WHERE s.name = 'Ship'",
    )
    assert sorted(found) == [
        ("Ship", "//c/ship", "//m/done", 0, 1, "E"),
        ("Ship", "//c/ship", "//m/order", 1, 0, "X"),
        ("Ship", "//c/ship", "DEFAULT", 1, 1, "N"),
        ("Ship", "DEFAULT", "DEFAULT", 1, 1, "N"),
    ]


def test_queues_by_both_ways(sql: sqlite3.Connection) -> None:
    """By the column of sys.services and by the view; a queue that the estate does not list has a number and no row."""
    query = "SELECT s.name, q.name FROM services s {} WHERE s.service_id > 65535"
    by_column = "LEFT JOIN service_queues q ON q.object_id = s.service_queue_id"
    by_view = (
        "JOIN service_queue_usages u ON u.service_id = s.service_id"
        " LEFT JOIN service_queues q ON q.object_id = u.service_queue_id"
    )
    assert rows_of(sql, query.format(by_column)) == [("Bill", None), ("Ship", "ShipQueue")]
    assert rows_of(sql, query.format(by_view)) == [("Bill", None), ("Ship", "ShipQueue")]
    assert rows_of(sql, "SELECT name, 1 FROM services WHERE service_queue_id IS NULL") == []


def test_what_sql_server_creates_has_its_numbers_and_owner(sql: sqlite3.Connection) -> None:
    assert rows_of(sql, "SELECT service_id, name, principal_id FROM services WHERE service_id < 65536") == [
        (1, QUERY_NOTIFICATION_SERVICE, 1),
        (2, EVENT_NOTIFICATION_SERVICE, 1),
        (3, f"{SYSTEM_PREFIX}ServiceBroker/ServiceBroker", 1),
    ]
    assert rows_of(sql, "SELECT name, object_id FROM service_queues WHERE is_ms_shipped") == [
        ("EventNotificationErrorsQueue", 2009058193),
        ("QueryNotificationErrorsQueue", 1977058079),
        ("ServiceBrokerQueue", 2041058307),
    ]
    default = "WHERE name = 'DEFAULT'"
    assert rows_of(sql, f"SELECT message_type_id, principal_id FROM service_message_types {default}") == [(14, 1)]
    assert rows_of(sql, f"SELECT service_contract_id, principal_id FROM service_contracts {default}") == [(6, 1)]


def test_values_of_bindings_databases_and_endpoints(sql: sqlite3.Connection) -> None:
    columns = "name, service_contract_id, remote_principal_id, is_anonymous_on, remote_principal_name"
    assert rows_of(sql, f"SELECT {columns} FROM remote_service_bindings") == [
        ("B", 0, 5, 0, "FarUser"),
        ("D", 0, 1, 1, "dbo"),
    ]
    columns = "name, database_id, state_desc, service_broker_guid, is_broker_enabled, is_read_only"
    assert rows_of(sql, f"SELECT {columns} FROM databases") == [
        ("Depot", 5, None, "6f3f0d5e-0000-4000-8000-000000000001", 1, None),
        ("Sales", 6, "RESTORING", None, 1, None),
        ("msdb", 4, None, None, 1, None),
    ]
    by_id = "SELECT e.name, t.port, e.state_desc FROM endpoints e JOIN tcp_endpoints t ON t.endpoint_id = e.endpoint_id"
    assert rows_of(sql, f"{by_id} JOIN service_broker_endpoints b ON b.endpoint_id = e.endpoint_id") == [
        ("ServiceBrokerEndpoint", 4022, "STOPPED")
    ]


def test_usages_are_filtered_by_number(client: Client, depot: None) -> None:
    [ship] = client.get(f"{API}/sys/services/?name=Ship").json()["results"]
    found = client.get(f"{API}/sys/service_contract_usages/?service_id={ship['service_id']}").json()
    assert found["count"] == 2
    assert client.get(f"{API}/sys/service_contract_usages/?service_id=-1").status_code == 400
    assert client.get(f"{API}/sys/service_contract_usages/?name=Ship").status_code == 400


@given(rich_estates())
def test_numbers_agree_in_all_views_and_are_given_once(estate: Estate) -> None:
    tables = {one.name: [one.as_json(row) for row in one.rows(estate, {}, lambda _: True)] for one in VIEWS}
    for view, number in (
        ("services", "service_id"),
        ("service_queues", "object_id"),
        ("service_contracts", "service_contract_id"),
        ("service_message_types", "message_type_id"),
        ("conversation_priorities", "priority_id"),
        ("remote_service_bindings", "remote_service_binding_id"),
    ):
        keys = [(row["instance"], row["database"], row[number]) for row in tables[view]]
        assert len(keys) == len(set(keys)), view
    names = {
        (row["instance"], row["database"], row["service_id"]): row["service_queue_id"] for row in tables["services"]
    }
    for row in tables["service_queue_usages"]:
        assert names[row["instance"], row["database"], row["service_id"]] == row["service_queue_id"]
    services = {
        (here.name, database.name, service.name): service.contracts
        for here in estate.instances.values()
        for database in here.databases.values()
        for service in database.user_services
    }
    by_number = {
        (row["instance"], row["database"], row["service_contract_id"]): row["name"]
        for row in tables["service_contracts"]
    }
    numbers = {(row["instance"], row["database"], row["service_id"]): row["name"] for row in tables["services"]}
    joined: dict[tuple[str, str, str], set[str]] = {key: set() for key in services}
    for row in tables["service_contract_usages"]:
        place = row["instance"], row["database"]
        contract = by_number.get((*place, row["service_contract_id"]))
        key = (*place, numbers[*place, row["service_id"]])
        if contract is not None and key in joined:
            joined[key].add(contract)
    listed = {(row["instance"], row["database"], row["name"]) for row in tables["service_contracts"]}
    assert joined == {
        key: {name for name in contracts if (*key[:2], name) in listed} for key, contracts in services.items()
    }


def test_databases_count_from_five_in_the_order_of_the_document() -> None:
    names = ("msdb", "B", "a", "TempDB", "C")
    estate = Estate({"h": Instance("h", {name: Database(name) for name in names})})
    [listing] = [one for one in VIEWS if one.name == "databases"]
    rows = [listing.as_json(row) for row in listing.rows(estate, {}, lambda _: True)]
    assert {row["name"]: row["database_id"] for row in rows} == {"msdb": 4, "B": 5, "a": 6, "TempDB": 2, "C": 7}
