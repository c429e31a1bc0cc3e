"""A route: a row of `sys.routes`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from routing.common.errors import Invalid
from routing.model.address import parse_address
from routing.model.route import Route

LIFETIME = datetime(2030, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
HOST1, HOST2 = parse_address("tcp://host1.example"), parse_address("tcp://host2.example")
PLAIN = Route("R", None, None, None, HOST1)


def test_a_route_without_lifetime_never_expires() -> None:
    assert not PLAIN.expired(datetime.max.replace(tzinfo=UTC))


def test_a_route_is_expired_at_and_after_its_lifetime() -> None:
    route = replace(PLAIN, lifetime=LIFETIME)
    assert [route.expired(at) for at in (LIFETIME - TICK, LIFETIME, LIFETIME + TICK)] == [False, True, True]


def test_a_lifetime_is_a_moment_wherever_the_clock_stands() -> None:
    route = replace(PLAIN, lifetime=LIFETIME)
    assert route.expired(LIFETIME.astimezone(timezone(timedelta(hours=-8))))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ""}, "name: must not be empty"),
        ({"name": "n" * 129}, "name: is longer than 128 characters"),
        ({"remote_service_name": ""}, "remote_service_name: must not be empty"),
        ({"remote_service_name": "n" * 257}, "remote_service_name: is longer than 256 characters"),
        (
            {"address": parse_address("local"), "mirror_address": HOST2},
            "mirror_address: stands beside the address LOCAL; only a tcp: address has a mirror",
        ),
        (
            {"address": parse_address("TRANSPORT"), "mirror_address": HOST2},
            "mirror_address: stands beside the address TRANSPORT; only a tcp: address has a mirror",
        ),
        ({"mirror_address": parse_address("LOCAL")}, "mirror_address: must be tcp://HOST[:PORT], not LOCAL"),
        ({"mirror_address": parse_address("TRANSPORT")}, "mirror_address: must be tcp://HOST[:PORT], not TRANSPORT"),
    ],
)
def test_a_route_that_cannot_be_is_never_made(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        replace(PLAIN, **change)
    assert str(caught.value) == problem


def test_a_route_may_have_what_the_product_refuses_but_the_rules_explain() -> None:
    replace(PLAIN, broker_instance="5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d")  # an identifier and no service name
    replace(PLAIN, remote_service_name="S", mirror_address=HOST2)  # a mirror and no identifier
    replace(PLAIN, mirror_address=HOST1)  # its own mirror


def test_a_route_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PLAIN.name = "other"  # type: ignore[misc] - the test is that it is refused


def test_routes_that_lead_to_the_same_by_the_same_are_identical_whatever_their_names() -> None:
    other = replace(PLAIN, name="Q", lifetime=LIFETIME, address=parse_address("TCP://HOST1.EXAMPLE: 4022/"))
    assert other.same_as == PLAIN.same_as


@pytest.mark.parametrize(
    "change",
    [
        {"remote_service_name": "S"},
        {"broker_instance": "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"},
        {"address": HOST2},
        {"mirror_address": HOST2},
    ],
)
def test_routes_that_differ_in_what_matters_are_not_identical(change: dict[str, Any]) -> None:
    assert replace(PLAIN, **change).same_as != PLAIN.same_as
