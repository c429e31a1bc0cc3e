"""Addresses that lead to no instance, to the wrong port, or back."""

from __future__ import annotations

from typing import Any

import pytest

from routing.lint.missing import likely_addresses, missing_instances, still_missing
from tests.routing.lint.estates import AT, ENDPOINT, PAST, about, bare, db, estate, finding, findings, route, server

B = server("b", db("E", services=("Bill",)), endpoint=ENDPOINT)
GUESSED = server("b", db("E", services=("Bill",)))
"""Nothing tells on which port it listens: its address is what an import makes of its name."""


def test_an_address_of_no_instance_leaves_the_estate() -> None:
    found = finding("unknown-address", server("a", db("D", route("R", "Bill", "b"), route("S", "Bill", "gone"))), B)
    assert about(found) == ("warning", "a", "D", "S")


def test_each_address_of_a_mirrored_route_counts_and_the_same_one_once() -> None:
    mirrored = route("R", "Bill", "b", 1, mirror_address="tcp://gone")
    twice = route("S", "Bill", "gone", 1, mirror_address="tcp://GONE:4022/")
    found = findings("unknown-address", server("a", db("D", mirrored, twice)), B)
    assert [each.object for each in found] == ["R", "S"]


@pytest.mark.parametrize("host", ["b.corp.example", "B"])
def test_the_same_name_in_another_domain_is_named(host: str) -> None:
    known = server("far") | {"addresses": ["tcp://b.example:4022"]}
    found = finding("unknown-address", server("a", db("D", route("R", "Bill", host))), known)
    assert "far has tcp://b.example:4022" in str(found.reason)


@pytest.mark.parametrize("host", ["10.0.0.2", "tcp://[fe80::2]"])
def test_numeric_addresses_have_no_first_name(host: str) -> None:
    known = server("far") | {"addresses": ["tcp://10.0.0.1:4022", "tcp://[fe80::1]:4022"]}
    found = finding("unknown-address", server("a", db("D", route("R", "Bill", host))), known)
    assert "far" not in str(found.reason)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "tcp://[::1]", "127.0.1.1", "tcp://.", "tcp://(local)"])
def test_localhost_is_no_server_that_is_missing(host: str) -> None:
    here = server("a", db("D", route("R", "Bill", host)))
    assert "is the machine of a" in str(finding("unknown-address", here).reason)
    assert missing_instances(estate(here), AT) == ()


def test_a_placeholder_that_was_left_in_is_an_error_and_no_instance_that_is_missing() -> None:
    here = server("a", db("D", route("R", "Bill", "<server>")))
    found = finding("unknown-address", here)
    assert (found.severity, found.object) == ("error", "R")
    assert "left from a template" in str(found.reason)
    assert missing_instances(estate(here), AT) == ()


def test_an_instance_is_most_likely_where_its_name_is_looked_for() -> None:
    routes = [
        route(f"R{i}", "Bill", f"tcp://{host}") for i, host in enumerate(("B.x:5022", "c.x", "c.y", "d.x", "10.0.0.1"))
    ]
    known = [server(name, db("E")) for name in ("b", "c", "d\\ONE", "d\\TWO", "10")]
    # c may be either; which of the two on d is meant is not known; a number has no first name.
    assert likely_addresses(estate(server("a", db("D", *routes)), *known), AT) == {"b": "tcp://b.x:5022"}


def test_local_transport_and_expired_routes_lead_nowhere_else() -> None:
    routes = route("R", "Bill"), route("S", None, "TRANSPORT"), route("T", "Bill", "gone", lifetime=PAST)
    assert findings("unknown-address", server("a", db("D", *routes))) == []


def test_the_servers_that_are_missing_are_named_once_and_sorted() -> None:
    routes = [route(f"R{i}", "Bill", host) for i, host in enumerate(("z", "b", "y", "z", "b:1433"))]
    routes[4]["address"] = "tcp://b:1433"
    missing = missing_instances(estate(server("a", db("D", *routes)), B), AT)
    assert missing == ("tcp://y:4022", "tcp://z:4022")
    assert str(still_missing(missing)) == "still missing: the instances tcp://y:4022, tcp://z:4022 that routes point to"
    assert str(still_missing(missing[:1])) == "still missing: the instance tcp://y:4022 that routes point to"
    assert still_missing(()) is None


def test_of_many_missing_instances_some_are_named() -> None:
    shown = str(still_missing(tuple(f"tcp://h{i}:4022" for i in range(30))))
    assert "tcp://h19:4022, … that" in shown


def test_the_port_for_queries_is_an_error() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", None, "tcp://b:1433"))), B)
    assert about(found) == ("error", "a", "D", "R")
    assert "1433 is the port for queries" in str(found.reason)
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'tcp://b:4022';"


def test_a_wrong_port_of_the_host_that_has_the_service_is_an_error() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", "Bill", "tcp://b:4023"))), B)
    assert found.severity == "error"


def test_another_port_may_be_that_of_an_instance_we_do_not_know() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", "Else", "tcp://b:4023"))), B)
    assert found.severity == "warning"


def test_a_wrong_mirror_is_corrected_as_a_mirror() -> None:
    mirrored = route("R", "Bill", "a", 1, mirror_address="tcp://b:1433")
    found = finding("wrong-port", server("a", db("D", mirrored)), B)
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH MIRROR_ADDRESS = N'tcp://b:4022';"
    assert found.severity == "warning"  # the other partner may be the principal
    neither = route("R", "Bill", "tcp://b:1434", 1, mirror_address="tcp://b:1433")
    assert {f.severity for f in findings("wrong-port", server("a", db("D", neither)), B)} == {"error"}


def test_between_two_instances_on_the_host_there_is_no_remedy() -> None:
    other = server("b2") | {"addresses": ["tcp://b:5022"]}
    found = finding("wrong-port", server("a", db("D", route("R", "Bill", "tcp://b:1433"))), B, other)
    assert found.remedy_sql is None


def test_a_port_that_is_only_assumed_makes_no_error_and_no_remedy() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", "Bill", "tcp://b:7022"))), GUESSED)
    assert (found.severity, found.remedy_sql) == ("warning", None)
    assert "port 4022 is assumed" in str(found.reason)
    assert "import its scripts as b@tcp://b:7022=FILE" in str(found.reason)


def test_of_a_service_that_is_not_there_it_is_a_remark() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", "Else", "tcp://b:7022"))), GUESSED)
    assert (found.severity, found.remedy_sql) == ("info", None)


def test_the_port_for_queries_is_wrong_for_sure() -> None:
    found = finding("wrong-port", server("a", db("D", route("R", "Bill", "tcp://b:1433"))), GUESSED)
    assert (found.severity, found.remedy_sql) == (
        "error",
        "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'tcp://b:4022';",
    )


@pytest.mark.parametrize("addresses", [["tcp://b:4024"], ["tcp://b.example:4022"], ["tcp://b:4022", "tcp://b:4024"]])
def test_an_address_that_no_import_would_make_is_meant(addresses: list[str]) -> None:
    known = GUESSED | {"addresses": addresses}
    host = addresses[0].removeprefix("tcp://").partition(":")[0]
    found = finding("wrong-port", server("a", db("D", route("R", "Bill", f"tcp://{host}:7022"))), known)
    assert found.severity == "error"


def test_of_two_instances_on_one_host_the_one_without_an_address_is_meant() -> None:
    one = server("box\\ONE", db("D", route("R", "Bill", "tcp://box:4023"))) | {"addresses": ["tcp://box:4022"]}
    two = server("box\\TWO", db("E", services=("Bill",))) | {"addresses": []}
    found = finding("wrong-port", one, two)
    assert (found.severity, found.remedy_sql) == ("warning", None)
    assert "does not tell where box\\TWO listens" in str(found.reason)
    assert "box\\TWO@tcp://box:4023=FILE" in str(found.reason)
    apart = server("a", db("D", route("R", "Bill", "tcp://box:4023")))
    assert "does not tell where box\\TWO listens" in str(finding("unknown-address", apart, two).reason)


def test_no_remedy_leads_a_route_back_to_its_own_instance() -> None:
    here = server("a", db("D", route("R", "Bill", "tcp://a:4023")), endpoint=ENDPOINT)
    assert finding("wrong-port", here).remedy_sql is None
    query = server("a", db("D", route("R", "Bill", "tcp://a:1433")), endpoint=ENDPOINT)
    assert finding("wrong-port", query).remedy_sql is None


def test_an_endpoint_on_a_port_of_no_address() -> None:
    found = finding("wrong-port", server("a", endpoint={"port": 4023}))
    assert about(found) == ("warning", "a", None, "a")


def test_an_endpoint_on_the_port_of_one_address_is_sound() -> None:
    two = {"addresses": ["tcp://a:4022", "tcp://listener:5022"]}
    assert (
        findings("wrong-port", server("a", endpoint=ENDPOINT) | two, server("n", endpoint=ENDPOINT, addresses=[])) == []
    )


def test_a_route_to_its_own_instance_is_a_detour() -> None:
    here = server("a", db("D", route("R", "Bill", "a")), db("E", services=("Bill",)))
    found = finding("own-address", here)
    assert about(found) == ("info", "a", "D", "R")
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'LOCAL';"


def test_it_is_an_error_where_msdb_takes_nothing() -> None:
    here = server("a", db("D", route("R", "Bill", "a")), db("E", services=("Bill",)), bare("msdb"))
    assert finding("own-address", here).severity == "error"


def test_it_is_a_warning_beside_another_way() -> None:
    routes = route("R", "Bill", "a"), route("S", "Bill", "b")
    assert finding("own-address", server("a", db("D", *routes), bare("msdb")), B).severity == "warning"


def test_it_is_a_warning_for_everything() -> None:
    assert finding("own-address", server("a", db("D", route("R", None, "a")))).severity == "warning"


def test_another_instance_or_a_partner_is_no_detour() -> None:
    routes = route("R", "Bill", "b"), route("S", "Bill", "a", 1, mirror_address="tcp://b")
    assert findings("own-address", server("a", db("D", *routes)), B) == []


@pytest.mark.parametrize(
    "wrong",
    ["TCP://B,4022", "TCP://B\\PROD:4022", "tcp://b\\prod", "TCP://b,1433", "tcp://B\\PROD,4022", "tcp://b,9"],
)
def test_a_connection_string_is_no_address(wrong: str) -> None:
    found = finding("unknown-address", server("a", db("D", route("R", "Bill", wrong))), server("b"))
    assert about(found) == ("error", "a", "D", "R")
    assert "can never be reached" in str(found.reason)
    assert "On that host is b, at tcp://b:4022." in str(found.reason)
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'tcp://b:4022';"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tcp://x,4023", "tcp://x:4023"),
        ("tcp://x,1433", "tcp://x:4022"),
        ("tcp://x\\i:5", "tcp://x:5"),
        ("tcp://x\\i", "tcp://x:4022"),
        ("tcp://sa@x:4023", "tcp://x:4023"),
    ],
)
def test_the_address_that_was_meant_of_an_unknown_host(wrong: str, right: str) -> None:
    here = server("a", db("D", route("R", "Bill", wrong)))
    assert f"{right} is meant." in str(finding("unknown-address", here).reason)
    assert missing_instances(estate(here), AT) == ()


@pytest.mark.parametrize("wrong", ["tcp://0.0.0.0:4022", "tcp://[::]:4022", "tcp://*:4022"])
def test_an_address_to_listen_at_leads_nowhere(wrong: str) -> None:
    here = server("a", db("D", route("R", "Bill", wrong)))
    found = finding("unknown-address", here)
    assert (found.severity, found.remedy_sql) == ("error", None)
    assert f"{wrong} can never be reached" in str(found.reason)
    assert missing_instances(estate(here), AT) == ()


LOCAL_4023 = db("D", route("R", "Bill", "tcp://127.0.0.1:4023"))


@pytest.mark.parametrize(
    ("own", "other", "says"),
    [
        (
            {},
            {"endpoint": {"port": 4023}},
            "b listens on port 4023: if it is on that machine, give it tcp://127.0.0.1:4023",
        ),
        ({}, {"addresses": ["tcp://b:4023"]}, "That b listens on port 4023 is assumed"),
        ({}, {"addresses": ["tcp://a:4023"], "endpoint": {"port": 4023}}, "there, b listens on port 4023: give it"),
        (
            {"endpoint": {"port": 4023}},
            {"endpoint": {"port": 4023}},
            "is a itself, whose endpoint listens on port 4023",
        ),
        (
            {"addresses": ["tcp://a:4023"]},
            {},
            "a itself if its endpoint listens on port 4023, which the estate does not",
        ),
        ({"endpoint": {"port": 4022}}, {}, "no instance of the estate is known to listen on port 4023"),
    ],
)
def test_who_listens_at_a_local_address(own: dict[str, Any], other: dict[str, Any], says: str) -> None:
    found = finding("unknown-address", server("a", LOCAL_4023, **own), server("b", **other))
    assert about(found) == ("warning", "a", "D", "R")
    assert says in str(found.reason)
    assert found.remedy_sql is None


def test_a_local_address_of_an_instance_that_has_the_service_is_local() -> None:
    here = server("a", LOCAL_4023, db("E", services=("Bill",)), endpoint={"port": 4023})
    assert finding("unknown-address", here).remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'LOCAL';"
