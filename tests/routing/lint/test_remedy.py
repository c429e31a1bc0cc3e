"""T-SQL that does what it says whatever a name holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from routing.lint.remedy import (
    alter_queue_on,
    altered,
    bracketed,
    create_route,
    drop_route,
    free_name,
    made_again,
    new_route,
    quoted,
    use,
)
from routing.model.address import parse_address
from routing.model.route import Route
from routing.tsql.routes import MAX_LIFETIME_S

AT = datetime(2030, 1, 1, tzinfo=UTC)


def test_names_and_texts_are_quoted() -> None:
    assert bracketed("a]b[c'd") == "[a]]b[c'd]"
    assert quoted("it's") == "N'it''s'"
    assert use("D]", (drop_route("]; DROP DATABASE x; --"),)) == "USE [D]]];\nDROP ROUTE []]; DROP DATABASE x; --];"
    route = Route("R", "S", None, None, parse_address("tcp://b:1"))
    altering = "USE [D];\nALTER ROUTE [R] WITH SERVICE_NAME = N'''; --';"
    assert altered("D", route, remote_service_name="'; --") == altering


def test_what_the_product_refuses_is_no_remedy() -> None:
    route = Route("R", "S", None, None, parse_address("tcp://b:1"))
    assert altered("D", route, address=parse_address("TRANSPORT")) is None
    assert made_again("D", route, AT, remote_service_name=None, broker_instance="x") is None
    assert made_again("D", route, AT, remote_service_name=None) is not None


@pytest.mark.parametrize(("name", "shown"), [("dbo.Q", "[dbo].[Q]"), ("Q", "[Q]"), ("s.a.b", "[s].[a.b]")])
def test_a_queue_is_named_with_its_schema(name: str, shown: str) -> None:
    assert alter_queue_on(name) == f"ALTER QUEUE {shown} WITH STATUS = ON;"


@pytest.mark.parametrize(
    ("left", "seconds"),
    [
        (timedelta(seconds=90), 90),
        (timedelta(milliseconds=1500), 2),
        (timedelta(seconds=-5), 1),
        (timedelta(days=36_500), MAX_LIFETIME_S),
    ],
)
def test_a_lifetime_is_the_seconds_that_are_left(left: timedelta, seconds: int) -> None:
    route = Route("R", "S", None, AT + left, parse_address("tcp://b:1"), parse_address("tcp://c:1"))
    assert create_route(route, AT) == (
        f"CREATE ROUTE [R] WITH SERVICE_NAME = N'S', LIFETIME = {seconds}, "
        "ADDRESS = N'tcp://b:1', MIRROR_ADDRESS = N'tcp://c:1';"
    )


def test_a_new_name_is_free_and_fits() -> None:
    assert free_name("R", ()) == "R"
    assert free_name("R", {"r", "r_2"}) == "R_3"
    long = "x" * 200
    assert free_name(long, ()) == "x" * 128
    assert len(free_name(long, {"x" * 128})) <= 128
    assert new_route("R", "LOCAL", {"r"}) == "CREATE ROUTE [R_2] WITH ADDRESS = N'LOCAL';"
