"""A snapshot of a server replaces its known rows, and the rest stays; omitted and removed objects are reported."""

from __future__ import annotations

from typing import Any

import pytest

from routing.catalog.applying import apply_snapshot
from routing.catalog.document import read_catalog
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.errors import InputError
from routing.common.finding import Finding
from routing.lint.facts import begins_only
from routing.model.address import parse_address
from routing.model.catalog_objects import SYSTEM_MADE, Activation, BrokerEndpoint, Contract, MessageType, Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from tests.routing.catalog.server import NOTHING, catalog, dumps

Json = dict[str, Any]
GUID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
ADDRESS = parse_address("tcp://s.example:4022")


def route(name: str, address: str = "LOCAL") -> Route:
    return Route(name, None, None, None, parse_address(address))


def database(name: str = "Orders", *routes: Route, **more: Any) -> Database:
    services = (*SYSTEM_MADE, *more.get("services", ()))
    return Database(name, table=RouteTable(routes), **NOTHING | more | {"services": services})


def told_by(document: Json) -> CatalogSnapshot:
    return read_catalog(dumps(document), where="f")


def apply(document: Json, estate: Estate | None = None, name: str = "s") -> tuple[Estate, tuple[Finding, ...]]:
    applied = apply_snapshot(estate or estate_of(Instance("s", addresses=(ADDRESS,))), name, told_by(document))
    return applied.estate, applied.findings


def estate_of(*instances: Instance) -> Estate:
    return Estate({instance.name: instance for instance in instances})


def facts_of(findings: tuple[Finding, ...]) -> list[tuple[str, str, str | None, str | None, str]]:
    return [(f.code, f.severity, f.database, f.object, str(f.reason)) for f in findings]


def test_a_new_server_is_at_the_address_of_its_name() -> None:
    document = catalog(Instance("s", {"Orders": database()}, endpoint=BrokerEndpoint(5022), forwarding=True))
    estate, findings = apply(document, Estate())
    assert findings == ()
    assert [a.key for a in estate.instances["s"].addresses] == ["tcp://s:5022"]
    assert estate.instances["s"].forwarding
    assert estate.instances["s"].endpoint == BrokerEndpoint(5022)


def test_a_named_instance_is_at_its_host() -> None:
    estate, _ = apply(catalog(Instance("s")), Estate(), "srv\\prod")
    assert [a.key for a in estate.instances["srv\\prod"].addresses] == ["tcp://srv:4022"]


def test_an_address_that_is_given_comes_first_and_others_stay() -> None:
    snapshot = told_by(catalog(Instance("s")))
    estate = estate_of(Instance("s", addresses=(ADDRESS,)))
    own = parse_address("tcp://listener:4022")
    after = apply_snapshot(estate, "s", snapshot, own).estate
    assert after.instances["s"].addresses == (own, ADDRESS)
    assert apply_snapshot(after, "s", snapshot, own).estate == after


@pytest.mark.parametrize("name", ["my server", "a:b", "\\x", "x" * 256, "a\x01"])
def test_a_name_that_is_no_host(name: str) -> None:
    estate, findings = apply(catalog(Instance("s")), Estate(), name)
    assert estate.instances[name].addresses == ()
    assert facts_of(findings)[0][:2] == ("address-unknown", "warning")


def test_a_name_that_no_instance_can_have() -> None:
    with pytest.raises(InputError, match="f: name: must not be empty"):
        apply(catalog(Instance("s")), Estate(), "")


def test_a_login_from_which_rows_may_be_hidden() -> None:
    _, findings = apply(catalog(Instance("s"), server=[{"has_view_any_definition": False}]))
    reason = "the login lacks VIEW ANY DEFINITION: the instance may have hidden rows from it"
    assert facts_of(findings) == [("not-found", "error", None, None, reason)]


def test_an_address_that_another_has() -> None:
    other = Instance("other", addresses=(parse_address("tcp://s:4022"),))
    estate, findings = apply(catalog(Instance("s")), estate_of(other))
    assert estate.instances["s"].addresses == ()
    assert facts_of(findings)[0][:2] == ("already-exists", "warning")


def test_an_address_given_that_another_has_is_refused() -> None:
    other = Instance("other", addresses=(ADDRESS,))
    with pytest.raises(InputError, match='is an address of "other" already'):
        apply_snapshot(estate_of(other), "s", told_by(catalog(Instance("s"))), ADDRESS)


def test_names_of_servers_and_databases_compare_without_case() -> None:
    before = estate_of(Instance("S", {"ORDERS": database("ORDERS", broker_instance=GUID)}, (ADDRESS,)))
    document = catalog(Instance("s", {"Orders": database("Orders", route("R"))}))
    estate, findings = apply(document, before)
    assert findings == ()
    assert list(estate.instances) == ["S"]
    assert estate.instances["S"].databases == {"Orders": database("Orders", route("R"), broker_instance=GUID)}


def test_databases_of_one_server_may_differ_by_case_alone() -> None:
    instance = Instance("s", {"db": database("db"), "DB": database("DB", route("R"))}, (ADDRESS,))
    estate, findings = apply(catalog(instance), estate_of(instance))
    assert findings == ()
    assert estate.instances["s"] == instance


def test_instances_that_differ_by_case_alone_are_not_mixed_up() -> None:
    before = estate_of(Instance("A", addresses=(ADDRESS,)), Instance("a"))
    estate, _ = apply(catalog(Instance("s")), before, "A")
    assert list(estate.instances) == ["A", "a"]


def test_what_is_gone_is_said() -> None:
    before = estate_of(
        Instance(
            "s",
            {
                "Old": database("Old"),
                "Orders": database(
                    "Orders", route("R"), route("S"), services=(Service("X"),), queues=(Queue("dbo.Q"),)
                ),
            },
            (ADDRESS,),
        )
    )
    estate, findings = apply(catalog(Instance("s", {"Orders": database("Orders", route("S"))})), before)
    assert estate.instances["s"].databases == {"Orders": database("Orders", route("S"))}
    gone = "is in the estate but no longer on the instance: it was removed"
    assert facts_of(findings) == [
        ("not-found", "info", "Old", None, gone),
        ("not-found", "info", "Orders", "R", gone),
        ("not-found", "info", "Orders", "X", gone),
        ("not-found", "info", "Orders", "dbo.Q", gone),
    ]


def test_databases_of_the_product_are_there_when_something_is_in_them() -> None:
    auto = route("AutoCreatedLocal")
    used = {
        "master": database("master", route("Mine")),
        "model": database("model", auto),
        "tempdb": database("tempdb", auto, broker_enabled=True),
        "msdb": database("msdb", auto),
    }
    estate, findings = apply(catalog(Instance("s", used)))
    assert findings == ()
    assert list(estate.instances["s"].databases) == ["master", "msdb"]
    known = estate_of(Instance("s", {"tempdb": database("tempdb")}, (ADDRESS,)))
    estate, _ = apply(catalog(Instance("s", used)), known)
    assert list(estate.instances["s"].databases) == ["tempdb", "master", "msdb"]


def changed(**facts: Any) -> Json:
    document = catalog(Instance("s", {"Orders": database(broker_instance=GUID)}))
    document["databases"][0] |= facts
    return document


def unread(document: Json) -> Json:
    """The same, without the rows of any database."""
    kept = ("server", "databases", "endpoints")
    return {part: [] if isinstance(rows, list) and part not in kept else rows for part, rows in document.items()}


def test_a_database_that_cannot_be_entered_keeps_what_was_known() -> None:
    before = estate_of(Instance("s", {"Orders": database("Orders", route("R"))}, (ADDRESS,)))
    estate, findings = apply(unread(changed(is_accessible=0)), before)
    reason = "could not be read: the login has no access to it"
    assert facts_of(findings) == [("not-found", "error", "Orders", None, reason)]
    assert estate.instances["s"].databases["Orders"] == database("Orders", route("R"), broker_instance=GUID)


def test_a_part_that_failed_keeps_what_was_known() -> None:
    before = estate_of(Instance("s", {"Orders": database("Orders", route("R"))}, (ADDRESS,)))
    document = catalog(
        Instance("s", {"Orders": database()}),
        errors=[{"database_id": 5, "part": "routes", "number": 1222, "message": "Lock request time out"}],
        cut=[{"database_id": 5, "part": "services", "cut_rows": 3}],
    )
    estate, findings = apply(document, before)
    assert estate.instances["s"].databases["Orders"] == database("Orders", route("R"))
    assert facts_of(findings) == [
        ("not-found", "error", "Orders", None, "routes could not be read: Lock request time out"),
        ("not-found", "error", "Orders", None, "services: 3 more rows were not collected"),
    ]


@pytest.mark.parametrize(
    ("state", "role", "enabled", "codes"),
    [
        ("OFFLINE", None, False, [("broker-disabled", "warning"), ("not-found", "warning"), ("not-found", "info")]),
        ("RESTORING", "MIRROR", True, [("not-found", "info"), ("not-found", "info")]),
    ],
)
def test_a_database_that_is_not_online(
    state: str, role: str | None, enabled: bool, codes: list[tuple[str, str]]
) -> None:
    document = unread(changed(state_desc=state, is_accessible=0, mirroring_role_desc=role))
    estate, findings = apply(document)
    assert [finding[:2] for finding in facts_of(findings)] == codes
    assert estate.instances["s"].databases["Orders"] == Database(
        "Orders", GUID, enabled, role, SYSTEM_MADE, table=RouteTable([route("AutoCreatedLocal")])
    )


def test_an_identifier_that_the_server_does_not_give_stays() -> None:
    before = estate_of(Instance("s", {"Orders": database(broker_instance=GUID)}, (ADDRESS,)))
    estate, _ = apply(changed(service_broker_guid=None, is_broker_enabled=None), before)
    assert estate.instances["s"].databases["Orders"].broker_instance == GUID


def test_an_identifier_that_is_none() -> None:
    estate, findings = apply(changed(service_broker_guid="x"))
    assert estate.instances["s"].databases["Orders"].broker_instance is None
    assert facts_of(findings)[0][:3] == ("not-understood", "error", "Orders")


def test_a_role_that_there_is_not() -> None:
    with pytest.raises(InputError, match="mirroring_role: must be null, PRINCIPAL or MIRROR"):
        apply(changed(mirroring_role_desc="WITNESS"))


def test_two_enabled_databases_with_one_identifier() -> None:
    instance = Instance("s", {"A": database("A", broker_instance=GUID), "B": database("B")})
    document = catalog(instance)
    document["databases"][1]["service_broker_guid"] = GUID
    with pytest.raises(InputError, match='is the identifier of "A" already'):
        apply(document)


@pytest.mark.parametrize(
    ("part", "row", "reason"),
    [
        ("routes", {"name": "R", "address": "http://x"}, "routes: was left out: address: must be LOCAL, TRANSPORT or"),
        ("routes", {"name": "R", "address": None}, "routes: was left out: address: is missing"),
        (
            "routes",
            {"name": "R", "address": "LOCAL", "broker_instance": "x"},
            "left out: broker_instance: must be a GUID",
        ),
        ("routes", {"name": "R", "address": "LOCAL", "lifetime": "x"}, "left out: lifetime: must be a date"),
        ("routes", {"name": "R", "address": "LOCAL", "mirror_address": "tcp://x"}, "left out: mirror_address: stands"),
        ("routes", {"name": "", "address": "LOCAL"}, "left out: name: must not be empty"),
        ("service_queues", {"name": "Q"}, "left out: schema_name: is missing"),
        ("service_message_types", {"name": "T", "validation": "Z"}, "left out: validation: must be one of"),
        ("conversation_priorities", {"name": "P", "priority": 11}, "left out: priority_level: must be 1 to 10"),
    ],
)
def test_a_row_that_no_estate_can_hold(part: str, row: Json, reason: str) -> None:
    document = catalog(Instance("s", {"Orders": database()}), **{part: [{"database_id": 5, **row}]})
    _, findings = apply(document)
    assert [finding[:4] for finding in facts_of(findings)] == [("not-understood", "error", "Orders", row["name"])]
    assert reason in facts_of(findings)[0][4]


def test_a_name_that_stands_twice() -> None:
    rows = [{"database_id": 5, "name": "R", "address": address} for address in ("LOCAL", "TRANSPORT")]
    estate, findings = apply(catalog(Instance("s", {"Orders": database()}), routes=rows))
    assert estate.instances["s"].databases["Orders"] == database("Orders", route("R"))
    assert facts_of(findings)[0][:4] == ("not-understood", "error", "Orders", "R")


def test_keys_that_nobody_knows_are_said() -> None:
    _, findings = apply(catalog(Instance("s"), audits=[]))
    assert facts_of(findings) == [
        ("not-understood", "warning", None, None, "audits is of a newer version, and was ignored")
    ]


# ---------------------------------------------------------------- endpoints


def endpoint_row(**more: Any) -> Json:
    row: Json = {"name": "E", "state_desc": "STARTED", "port": 4022, "is_message_forwarding_enabled": 1}
    return {**row, **more}


def test_a_server_without_an_endpoint_forwards_nothing() -> None:
    before = estate_of(Instance("s", addresses=(ADDRESS,), forwarding=True, endpoint=BrokerEndpoint(4022)))
    estate, _ = apply(catalog(Instance("s")), before)
    assert estate.instances["s"] == Instance("s", addresses=(ADDRESS,))


def test_an_endpoint_that_is_not_told_stays() -> None:
    before = estate_of(Instance("s", addresses=(ADDRESS,), forwarding=True, endpoint=BrokerEndpoint(4022)))
    document = catalog(Instance("s"))
    del document["endpoints"]
    assert apply(document, before)[0] == before


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"port": None}, "endpoints: was left out: port: is missing"),
        ({"port": 70000}, "port: must be 1 to 65535"),
        ({"state_desc": "GONE"}, "state: must be one of"),
        ({"encryption_algorithm": 9}, "encryption_algorithm: must be 0-8, not 9"),
        ({"connection_auth": 11}, "connection_auth: must be 1-10, not 11"),
    ],
)
def test_an_endpoint_that_no_estate_can_hold(more: Json, reason: str) -> None:
    before = estate_of(Instance("s", addresses=(ADDRESS,), endpoint=BrokerEndpoint(5022)))
    estate, findings = apply(catalog(Instance("s"), endpoints=[endpoint_row(**more)]), before)
    assert estate.instances["s"].endpoint == BrokerEndpoint(5022)
    assert estate.instances["s"].forwarding
    assert reason in facts_of(findings)[0][4]


@pytest.mark.parametrize(("algorithm", "encryption"), list(enumerate("DRRSSRRSS")))
def test_encryption(algorithm: int, encryption: str) -> None:
    estate, _ = apply(catalog(Instance("s"), endpoints=[endpoint_row(encryption_algorithm=algorithm)]))
    endpoint = estate.instances["s"].endpoint
    assert endpoint is not None
    assert endpoint.encryption.startswith(encryption)


def test_an_endpoint_of_which_little_is_told() -> None:
    estate, _ = apply(catalog(Instance("s"), endpoints=[{"name": "E", "port": 5022}]))
    assert estate.instances["s"] == Instance("s", {}, (ADDRESS,), endpoint=BrokerEndpoint(5022))


def test_a_certificate_without_a_name() -> None:
    estate, _ = apply(catalog(Instance("s"), endpoints=[endpoint_row(connection_auth=4)]))
    assert estate.instances["s"].endpoint == BrokerEndpoint(4022, authentication="CERTIFICATE")


# ---------------------------------------------------------------- objects


def applied_parts(known: Database, **parts: list[Json]) -> Database:
    document = {
        "format": "brokerui.catalog/1",
        "databases": [{"database_id": 5, "name": "Orders"}],
        **{part: [{"database_id": 5, **row} for row in rows] for part, rows in parts.items()},
    }
    estate, findings = apply(document, estate_of(Instance("s", {"Orders": known}, (ADDRESS,))))
    assert findings == ()
    return estate.instances["s"].databases["Orders"]


def test_what_the_product_makes_is_left_out() -> None:
    shipped = "http://schemas.microsoft.com/SQL/Notifications/EventNotificationService"
    found = applied_parts(
        database(),
        services=[{"name": shipped}, {"name": "Mine"}, {"name": "Low", "service_id": 2}],
        service_contracts=[{"name": "DEFAULT"}],
        service_message_types=[{"name": "DEFAULT", "validation": "N "}, {"name": "T", "validation": "X "}],
        routes=[{"name": "DEFAULT", "address": "LOCAL"}],
        service_queues=[{"name": "ServiceBrokerQueue", "schema_id": 1, "is_ms_shipped": 1}],
    )
    assert found == database(
        "Orders", route("DEFAULT"), services=(Service("Mine"),), message_types=(MessageType("T", "WELL_FORMED_XML"),)
    )


def test_columns_that_are_not_told_keep_what_was_known() -> None:
    queue = Queue("dbo.Q", False, True, False, Activation("dbo.P"))
    known = database(
        services=(Service("X", "dbo.Q", ("C",)),), queues=(queue,), contracts=(Contract("C"), Contract("D"))
    )
    found = applied_parts(
        known,
        services=[{"name": "X"}, {"name": "Y"}],
        service_queues=[{"name": "Q", "schema_id": 1}, {"name": "N", "schema_id": 1}],
        service_contracts=[{"name": "C"}, {"name": "D"}],
    )
    assert found == database(
        services=(Service("X", "dbo.Q", ("C",)), Service("Y")),
        queues=(queue, Queue("dbo.N")),
        contracts=(Contract("C"), Contract("D")),
    )


@pytest.mark.parametrize(
    ("procedure", "name"),
    [("[Db].[dbo].[P]", "dbo.P"), ("[dbo].[a]].b]", "dbo.a].b"), ("dbo.P", "dbo.P"), ("[P]", "P")],
)
def test_the_name_of_a_procedure(procedure: str, name: str) -> None:
    found = applied_parts(
        database(), service_queues=[{"name": "Q", "schema_name": "dbo", "activation_procedure": procedure}]
    )
    assert found.queues == (Queue("dbo.Q", activation=Activation(name)),)


def test_a_queue_without_a_schema_that_is_known() -> None:
    found = applied_parts(database(), services=[{"name": "X", "queue_name": "Q"}], service_contract_usages=[])
    assert found.user_services == (Service("X", "Q"),)


@pytest.mark.parametrize("is_failed", [True, False])
def test_a_service_whose_contracts_were_not_collected_does_not_accept_none(is_failed: bool) -> None:
    services = (Service("//a/In", "dbo.q"),)
    document = catalog(Instance("s", {"Orders": database(services=services, queues=(Queue("dbo.q"),))}))
    del document["service_contract_usages"]
    if is_failed:
        document["errors"] = [{"database_id": 5, "part": "service_contract_usages", "number": 229, "message": "denied"}]
    estate, _ = apply(document)
    (service,) = estate.instances["s"].databases["Orders"].user_services
    assert not begins_only(service), "nothing tells whether it accepts one"
    before = Service("//a/In", "dbo.old", ("c",))
    known = estate_of(Instance("s", {"Orders": database(services=(before,))}, (ADDRESS,)))
    estate, _ = apply(document, known)
    assert estate.instances["s"].databases["Orders"].user_services == (Service("//a/In", "dbo.q", ("c",)),)
