"""Where a class of traffic meets something of its own: on a map drawn by hand."""

from __future__ import annotations

import pytest

from routing.classes.name_index import NameIndex
from routing.classes.traffic_class import UNKNOWN_SERVICE, Node, TrafficClass
from tests.routing.small import ELSEWHERE, ID, STRANGER, database, estate, host, to

PRINCIPAL = database("p", "M", mirroring_role="PRINCIPAL", broker_instance=ID)
MAP = estate(
    host("a", database("db", "S", routes=[to("b", "T"), to("b", "U")]), outside=[to("b", "S")]),
    host("b", database("db", routes=[to("TRANSPORT")])),
    host("c", PRINCIPAL, database("db", routes=[to("c", mirror="b")])),
    host("d", database("off", "S", broker_enabled=False, broker_instance=ELSEWHERE)),
)
EVERY = {"S", "T", "M", "tcp://x", "more", "names", "than", "tables", "have"}


def at(instance: str, *databases: str | None) -> set[Node]:
    return {(instance, name) for name in databases}


@pytest.mark.parametrize("names", [EVERY, {"S", "T", "M", "tcp://x"}, {"S"}])
def test_a_service_is_special_where_a_route_names_it_and_wherever_its_instance_is(names: set[str]) -> None:
    """By way of the fewer, be it the wanted names or the known ones; d has it, but cannot be its target."""
    assert NameIndex(MAP, MAP, names).nodes("S") == at("a", "db", "msdb", None)


@pytest.mark.parametrize(
    ("service", "nodes"),
    [
        ("T", at("a", "db")),
        ("tcp://x", at("b", "db")),
        ("tcp://x:0", set()),
        (UNKNOWN_SERVICE, set()),
        ("M", at("c", "p", "db", "msdb", None)),
    ],
)
def test_transport_and_mirrored_routes_treat_some_names_specially(service: str, nodes: set[Node]) -> None:
    assert NameIndex(MAP, MAP, EVERY).nodes(service) == nodes


def test_a_mirrored_route_without_a_name_is_special_for_what_has_a_principal_anywhere() -> None:
    away = estate(host("a", database("db", routes=[to("b", mirror="c")])), host("b", PRINCIPAL))
    assert ("a", "db") in NameIndex(away, away, EVERY).nodes("M")
    assert NameIndex(away, away, EVERY).nodes("T") == set()


def test_where_only_one_estate_has_something_it_is_special() -> None:
    empty = estate()
    assert NameIndex(empty, MAP, {"T"}).nodes("T") == NameIndex(MAP, empty, {"T"}).nodes("T") == at("a", "db")


@pytest.mark.parametrize(
    ("identifier", "is_reply", "nodes"),
    [
        (ID, True, at("c", None)),
        (ELSEWHERE, True, at("d", None)),
        (STRANGER, True, set()),
        (None, True, set()),
        (ID, False, set()),
    ],
)
def test_a_reply_is_special_where_its_identifier_is(identifier: str | None, is_reply: bool, nodes: set[Node]) -> None:
    """RT-REPLY: also where the database that it names cannot take it."""
    assert NameIndex(MAP, MAP, EVERY).replying(TrafficClass("S", identifier, is_reply)) == nodes
