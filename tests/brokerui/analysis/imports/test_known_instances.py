"""What an import assumes of an instance never replaces what the live estate knows of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source
from routing.model.address import parse_network_address
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.estate import Estate
from tests.routing.catalog.server import catalog, dumps

AT = datetime(2030, 1, 1, tzinfo=UTC)
SCRIPT = "CREATE ENDPOINT E STATE = STARTED AS TCP (LISTENER_PORT = {port}) FOR SERVICE_BROKER ();"
MODES = list(Mode)


def script(instance: str, port: int = 4022, address: str | None = None) -> Source:
    text = SCRIPT.format(port=port).encode()
    where = parse_network_address(address) if address else None
    return Source(f"{instance}.sql", Kind.SCRIPT, lambda: text, len(text), instance, None, where)


def built(*sources: Source, live: Estate, mode: Mode = Mode.WHOLE) -> Estate:
    return build_estate(sources, mode, live, ScriptSettings(AT)).estate


def built_here(text: str, known: Estate, mode: Mode) -> BuiltEstate:
    """A script for shop, which is hosted here."""
    body = text.encode()
    source = Source("shop.sql", Kind.SCRIPT, lambda: body, len(body), "shop")
    return build_estate([source], mode, known, ScriptSettings(AT, hosted=frozenset({"shop"})))


def live(*addresses: str) -> Estate:
    """The instance shop, with an endpoint on port 4022."""
    made = built(script("shop"), live=Estate())
    where = tuple(map(parse_network_address, addresses))
    return made.with_instance(replace(made.instances["shop"], addresses=where))


def addresses(estate: Estate, name: str = "shop") -> list[str]:
    return [address.key for address in estate.instances[name].addresses]


@pytest.mark.parametrize("mode", MODES)
def test_an_assumed_address_does_not_replace_a_known_one(mode: Mode) -> None:
    known = live("tcp://shop.example:4022", "tcp://listener.example:4022")
    assert built(script("shop"), live=known, mode=mode) == known


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["SHOP", "Shop"])
def test_names_that_differ_in_case_alone_are_one_instance(name: str, mode: Mode) -> None:
    known = live("tcp://shop.example:4022")
    assert built(script(name), live=known, mode=mode) == known


def test_a_given_address_replaces_it() -> None:
    known = live("tcp://shop.example:4022")
    assert addresses(built(script("SHOP", address="tcp://new:4022"), live=known)) == ["tcp://new:4022"]


def test_known_addresses_follow_the_port_of_the_endpoint() -> None:
    known = live("tcp://shop.example:4022", "tcp://gate:5000")
    assert addresses(built(script("shop", port=5022), live=known)) == ["tcp://shop.example:5022", "tcp://gate:5000"]


def test_a_new_instance_is_at_the_address_of_its_name() -> None:
    assert addresses(built(script("depot"), live=live("tcp://shop.example:4022")), "depot") == ["tcp://depot:4022"]


def test_an_address_that_another_instance_has_now_is_not_taken_from_it() -> None:
    known = live("tcp://shop.example:4022")
    made = built(script("shop"), script("depot", address="tcp://shop.example:4022"), live=known)
    assert (addresses(made), addresses(made, "depot")) == (["tcp://shop:4022"], ["tcp://shop.example:4022"])


def test_a_catalog_keeps_them_too() -> None:
    known = live("tcp://shop.example:4022")
    text = dumps(catalog(known.instances["shop"])).encode()
    source = Source("shop.json", Kind.CATALOG, lambda: text, len(text), "SHOP")
    assert addresses(built(source, live=known)) == ["tcp://shop.example:4022"]


IDENTIFIER, OF_MSDB = "6f3f0d5e-0000-4000-8000-000000000001", "6f3f0d5e-0000-4000-8000-000000000004"
ORDERS = "USE Orders\nGO\nCREATE QUEUE Q\n"


def hosted() -> Estate:
    """The instance shop with the database Orders, whose identifier is known."""
    made = built_here(ORDERS, live(), Mode.INTO).estate
    orders = replace(made.instances["shop"].databases["Orders"], broker_instance=IDENTIFIER)
    return made.with_instance(made.instances["shop"].with_database(orders))


@pytest.mark.parametrize("mode", MODES)
def test_a_hosted_database_keeps_its_identifier(mode: Mode) -> None:
    """Scripts do not say it, and without it the database would take no message."""
    made = built_here(ORDERS.replace(" Q\n", " Other\n"), hosted(), mode)
    assert made.estate.instances["shop"].databases["Orders"].broker_instance == IDENTIFIER
    assert "NEW_BROKER" not in "".join(str(finding.reason) for finding in made.findings)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["Orders", "ORDERS"])
def test_what_no_script_says_of_a_database_stays(mode: Mode, name: str) -> None:
    """Its identifier, its mirroring role and its collected messages; wherever it runs."""
    known = hosted()
    waiting = CollectedTransmissions(AT, (TransmissionSum(3, "", None, "Ship", None),))
    orders = replace(
        known.instances["shop"].databases["Orders"], mirroring_role="PRINCIPAL", transmission_queue=waiting
    )
    msdb = replace(known.instances["shop"].databases["msdb"], broker_instance=OF_MSDB)
    shop = known.instances["shop"].with_database(orders).with_database(msdb)
    text = f"CREATE DATABASE {name}\nGO\nUSE {name}\nGO\nCREATE QUEUE Other\n".encode()
    if mode is Mode.INTO:
        text = text.partition(b"GO\n")[2]
    made = built(
        Source("a.sql", Kind.SCRIPT, lambda: text, len(text), "shop"), live=known.with_instance(shop), mode=mode
    )
    (found,) = (one for one in made.instances["shop"].databases.values() if one.name.casefold() == "orders")
    assert (found.broker_instance, found.mirroring_role) == (IDENTIFIER, "PRINCIPAL")
    assert found.transmission_queue == waiting
    assert made.instances["shop"].databases["msdb"].broker_instance == OF_MSDB


@pytest.mark.parametrize("mode", [Mode.WHOLE, Mode.INSTANCES])
def test_a_database_that_a_script_makes_with_a_new_broker_has_an_identifier_that_nobody_knows(mode: Mode) -> None:
    text = b"CREATE DATABASE Orders\nGO\nALTER DATABASE Orders SET NEW_BROKER;\n"
    made = built(Source("a.sql", Kind.SCRIPT, lambda: text, len(text), "shop"), live=hosted(), mode=mode)
    assert made.instances["shop"].databases["Orders"].broker_instance is None


def test_a_new_broker_of_a_hosted_database_is_left_out_and_told() -> None:
    made = built_here("ALTER DATABASE Orders SET NEW_BROKER;", hosted(), Mode.INTO)
    assert made.estate.instances["shop"].databases["Orders"].broker_instance == IDENTIFIER
    (event,) = made.findings
    assert (event.code, event.severity, event.database) == ("not-executed", "warning", "Orders")
    assert "brokerui broker new shop/Orders" in str(event.reason)
    elsewhere = build_estate(
        [Source("a.sql", Kind.SCRIPT, lambda: NEW, len(NEW), "shop")], Mode.INTO, hosted(), ScriptSettings(AT)
    )
    assert elsewhere.estate.instances["shop"].databases["Orders"].broker_instance is None


def test_of_error_broker_conversations_an_import_says_that_no_conversation_ends() -> None:
    off = built_here("ALTER DATABASE Orders SET DISABLE_BROKER;", hosted(), Mode.INTO).estate
    made = built_here("ALTER DATABASE Orders SET ERROR_BROKER_CONVERSATIONS;", off, Mode.INTO)
    orders = made.estate.instances["shop"].databases["Orders"]
    assert (orders.broker_enabled, orders.broker_instance) == (True, IDENTIFIER)
    (not_executed,) = made.findings
    assert (not_executed.code, not_executed.severity) == ("not-executed", "info")
    assert "brokerui broker error-conversations" in str(not_executed.reason)
    assert not made.estate.instances["shop"].missing_statements


NEW = b"ALTER DATABASE Orders SET NEW_BROKER;"
