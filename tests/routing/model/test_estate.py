"""An estate: what it refuses, what its indexes find, and what its edited copies share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.common.names import SYSTEM_SERVICES
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate, write_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import (
    SYSTEM_MADE,
    Contract,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import MIRROR, PRINCIPAL, Database, Estate, Instance, by_name
from routing.model.route import Route
from routing.model.route_table import NO_ROUTES, RouteTable
from routing.rules.journey import outcomes
from tests.strategies import AT, Case, cases

ID1, ID2 = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"
AUTO = Route("AutoCreatedLocal", None, None, None, parse_address("LOCAL"))
SHIP = Route("ShipRoute", "Ship", None, None, parse_address("tcp://host2.example"))
TABLE = RouteTable([AUTO, SHIP])


def database(name: str, *services: str, **rest: Any) -> Database:
    return Database(name, services=tuple(map(Service, services)), **rest)


def instance(name: str, *databases: Database, addresses: tuple[str, ...] = (), **rest: Any) -> Instance:
    return Instance(name, by_name(databases, "databases"), tuple(map(parse_address, addresses)), **rest)


def estate(*instances: Instance, **rest: Any) -> Estate:
    return Estate(by_name(instances, "instances"), **rest)


ORDERS = database("Orders", "OrderEntry", broker_instance=ID1, table=TABLE)
HOST1 = instance("host1", ORDERS, database("msdb", table=TABLE), addresses=("tcp://host1.example",))
HOST2 = instance("host2", database("Parts", "Ship", table=TABLE), addresses=("tcp://host2.example:4022",))
BOTH = estate(HOST1, HOST2)


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Database(""), "name: must not be empty"),
        (lambda: Database("n" * 129), "name: is longer than 128 characters"),
        (lambda: Database("Orders", mirroring_role="principal"), "mirroring_role: must be null, PRINCIPAL or MIRROR"),
        (lambda: database("Orders", "S", "T", "S"), 'services[2].name: stands twice: "S"'),
        (lambda: Database("D", queues=(Queue("q"), Queue("q"))), 'queues[1].name: stands twice: "q"'),
        (lambda: Database("D", contracts=(Contract("c"), Contract("c"))), 'contracts[1].name: stands twice: "c"'),
        (
            lambda: Database("D", message_types=(MessageType("m"), MessageType("m"))),
            'message_types[1].name: stands twice: "m"',
        ),
        (lambda: Database("D", priorities=(Priority("p"), Priority("p"))), 'priorities[1].name: stands twice: "p"'),
        (
            lambda: Database("D", remote_service_bindings=(RemoteServiceBinding("b", "S"),) * 2),
            'remote_service_bindings[1].name: stands twice: "b"',
        ),
        (lambda: Instance(""), "name: must not be empty"),
        (lambda: Instance("n" * 257), "name: is longer than 256 characters"),
        (lambda: instance("host1", ORDERS, ORDERS), 'databases[1].name: stands twice: "Orders"'),
        (lambda: estate(HOST1, HOST2, HOST1), 'instances[2].name: stands twice: "host1"'),
        (
            lambda: instance("host1", ORDERS, replace(ORDERS, name="Copy")),
            (
                'databases[1].broker_instance: is the identifier of "Orders" already; '
                "two enabled databases cannot share one"
            ),
        ),
        (
            lambda: estate(HOST1, HOST2, instance("host3", addresses=("tcp://host3.example", "TCP://HOST1.EXAMPLE/"))),
            'instances[2].addresses[1]: tcp://host1.example:4022 is an address of "host1" already',
        ),
        (lambda: Estate(hop_limit=-1), "hop_limit: must be 0 to 255"),
        (lambda: Estate(hop_limit=256), "hop_limit: must be 0 to 255"),
    ],
)
def test_what_cannot_be_is_never_made(make: Callable[[], Any], problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        make()
    assert str(caught.value) == problem


def test_what_only_resembles_it_can_be() -> None:
    estate(HOST1, replace(HOST1, name="HOST1", addresses=(parse_address("tcp://host1.example:4023"),)))
    instance("host1", ORDERS, replace(ORDERS, name="orders", broker_instance=ID2))
    instance("host1", ORDERS, replace(ORDERS, name="Copy", broker_enabled=False))
    instance("host1", database("One"), database("Two"))
    instance("host1", addresses=("tcp://host1.example", "tcp://host1.example"))
    estate(instance("n" * 256), hop_limit=0)
    estate(hop_limit=255)
    database("D", mirroring_role=PRINCIPAL)


def test_an_estate_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        BOTH.hop_limit = 3  # type: ignore[misc] - the test is that it is refused


# ---------------------------------------------------------------- what the indexes find


@pytest.mark.parametrize(
    ("enabled", "role", "can"),
    [
        (True, None, True),
        (True, PRINCIPAL, True),
        (True, MIRROR, False),
        (False, None, False),
        (False, PRINCIPAL, False),
    ],
)
def test_a_disabled_broker_and_a_mirror_cannot_be_targets(enabled: bool, role: str | None, can: bool) -> None:
    parts = database("Parts", "Ship", broker_enabled=enabled, mirroring_role=role)
    host = instance("host1", parts)
    assert parts.can_be_target is can
    assert host.targets.get("Ship", ()) == ((parts,) if can else ())


def test_a_database_has_the_services_of_exactly_these_names() -> None:
    assert ORDERS.has_service("OrderEntry")
    assert not ORDERS.has_service("orderentry")


def test_all_copies_of_a_service_are_targets() -> None:
    one, two = database("One", "Ship"), database("Two", "Bill", "Ship")
    assert instance("host1", one, two).targets == {"Ship": (one, two), "Bill": (two,)}


def test_a_principal_counts_with_its_broker_disabled() -> None:
    principal = database("Parts", "Ship", mirroring_role=PRINCIPAL, broker_enabled=False)
    host = instance("host1", principal, database("Other", "Ship"), database("Copy", "Ship", mirroring_role=MIRROR))
    assert host.principals == {"Ship": (principal,)}


def test_an_identifier_names_the_enabled_database_before_a_disabled_one() -> None:
    disabled = replace(ORDERS, name="Old", broker_enabled=False)
    assert instance("host1", disabled, ORDERS, database("Unknown")).identified == {ID1: ORDERS}
    assert instance("host1", disabled).identified == {ID1: disabled}


def test_messages_from_outside_are_routed_by_msdb_even_where_it_is_not_written() -> None:
    assert HOST1.msdb is TABLE
    assert HOST2.msdb is NO_ROUTES


def test_an_address_leads_to_the_instance_that_listens_there() -> None:
    assert BOTH.resolve(parse_address("TCP://HOST1.example: 4022/")) == "host1"
    assert BOTH.resolve(parse_address("tcp://host2.example")) == "host2"
    assert BOTH.resolve(parse_address("tcp://host1.example:4023")) is None


# ---------------------------------------------------------------- edited copies


def test_an_instance_is_added_replaced_and_taken_away() -> None:
    host3 = instance("host3", addresses=("tcp://host3.example",))
    assert [*BOTH.with_instance(host3).instances] == ["host1", "host2", "host3"]
    moved = BOTH.with_instance(replace(HOST1, addresses=host3.addresses))
    assert [*moved.instances] == ["host1", "host2"]
    assert moved.resolve(parse_address("tcp://host3.example")) == "host1"
    assert moved.resolve(parse_address("tcp://host1.example")) is None
    assert [*BOTH.without_instance("host1").instances] == ["host2"]
    assert BOTH.without_instance("host1").resolve(parse_address("tcp://host1.example")) is None
    assert estate(HOST1, HOST2) == BOTH


def test_an_instance_cannot_take_the_address_of_another() -> None:
    with pytest.raises(Invalid, match="is an address of"):
        BOTH.with_instance(replace(HOST2, addresses=HOST1.addresses))


def test_a_database_is_added_replaced_and_taken_away() -> None:
    ships = database("Ships", "Ship")
    wider = HOST1.with_database(ships)
    assert [*wider.databases] == ["Orders", "msdb", "Ships"]
    assert wider.targets["Ship"] == (ships,)
    assert wider.without_database("Ships") == HOST1
    assert HOST1.with_database(database("msdb")).msdb == NO_ROUTES
    assert "OrderEntry" not in HOST1.without_database("Orders").targets


def test_another_table_leaves_every_other_index_as_it_is() -> None:
    edited = HOST1.with_table("Orders", NO_ROUTES)
    assert edited == HOST1.with_database(replace(ORDERS, table=NO_ROUTES))
    for index in ("targets", "principals", "identified", "addresses"):
        assert getattr(edited, index) is getattr(HOST1, index)
    assert edited.msdb is TABLE
    assert edited.databases["msdb"] is HOST1.databases["msdb"]


def test_another_table_of_msdb_is_the_one_for_messages_from_outside() -> None:
    assert HOST1.with_table("msdb", NO_ROUTES).msdb is NO_ROUTES


def test_an_edited_route_shares_all_the_rest_of_the_estate() -> None:
    edited = BOTH.with_route("host1", "Orders", "ShipRoute", replace(SHIP, address=parse_address("LOCAL")))
    assert edited.instances["host2"] is HOST2
    assert edited.by_address is BOTH.by_address
    assert edited.hop_limit == BOTH.hop_limit
    assert edited.instances["host1"].databases["Orders"].table.wildcard is TABLE.wildcard
    assert edited.instances["host1"].databases["Orders"].services is ORDERS.services
    assert estate(HOST1, HOST2) == BOTH


def test_a_route_of_a_place_that_is_not_there_cannot_be_edited() -> None:
    for place in (("host3", "Orders"), ("host1", "orders")):
        with pytest.raises(KeyError):
            BOTH.with_route(*place, "ShipRoute", None)


# ---------------------------------------------------------------- an edit is what reading the document anew would make


@given(cases(), st.data())
def test_after_any_route_edit_an_estate_equals_one_read_anew_and_answers_alike(case: Case, data: st.DataObject) -> None:
    before = edited = read_estate_of(case)
    places = [(i.name, d.name) for i in before.instances.values() for d in i.databases.values()]
    routes = [r for i in before.instances.values() for d in i.databases.values() for r in d.table.routes.values()]
    for _ in range(data.draw(st.integers(1, 3)) if places else 0):
        host, place = data.draw(st.sampled_from(places))
        names = [*edited.instances[host].databases[place].table.routes]
        if names and data.draw(st.booleans()):
            edited = edited.with_route(host, place, data.draw(st.sampled_from(names)), None)
        else:
            name = data.draw(st.sampled_from([*names, "New"]))
            copied = data.draw(st.sampled_from([AUTO, SHIP, *routes]))
            edited = edited.with_route(host, place, name, replace(copied, name=name))
    anew = read_estate(write_estate(edited))
    assert edited == anew
    for conversation in map(conversation_from, case.conversations):
        assert outcomes(edited, conversation, AT) == outcomes(anew, conversation, AT)
    assert before == read_estate_of(case)


@given(cases())
def test_asking_leaves_no_mark_on_the_answers(case: Case) -> None:
    """What an estate remembers of earlier questions, and lends to its edited copies, changes no answer."""
    fresh, asked_before = read_estate_of(case), read_estate_of(case)
    questions = [conversation_from(conversation) for conversation in case.conversations]
    for question in reversed(questions):
        outcomes(asked_before, question, AT)
    without = {name: asked_before.without_instance(name) for name in asked_before.instances}
    for question in questions:
        assert outcomes(asked_before, question, AT) == outcomes(fresh, question, AT)
        for name, smaller in without.items():
            if name != question.instance:
                assert outcomes(smaller, question, AT) == outcomes(fresh.without_instance(name), question, AT)


def read_estate_of(case: Case) -> Estate:
    return read_estate(json.dumps(case.estate))


def test_the_first_route_of_an_msdb_that_is_not_written_writes_it() -> None:
    first = Route("First", None, None, None, parse_address("LOCAL"))
    estate = Estate({"here": Instance("here")}).with_route("here", "msdb", "First", first)
    assert list(estate.instances["here"].databases) == ["msdb"]
    assert estate.instances["here"].msdb.routes == {"First": first}
    msdb = estate.instances["here"].databases["msdb"]
    assert msdb.services == SYSTEM_MADE
    assert {name: estate.instances["here"].targets[name] for name in SYSTEM_SERVICES} == dict.fromkeys(
        SYSTEM_SERVICES, (msdb,)
    )
    assert estate.with_route("here", "msdb", "First", None).instances["here"].databases["msdb"].services == SYSTEM_MADE
