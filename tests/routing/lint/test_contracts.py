"""Services between which no conversation can begin, and those between which one can."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import about, db, finding, findings, route, server

REQUEST: dict[str, Any] = {"name": "c", "messages": [{"message_type": "m", "sent_by": "ANY"}]}
OTHER: dict[str, Any] = {**REQUEST, "name": "d"}


def service(name: str, *contracts: str) -> dict[str, Any]:
    return {"name": name, "queue": f"dbo.{name}Queue", "contracts": list(contracts)}


def pair(own: Any, far: Any, *back: Any, begins: Any = (), accepts: Any = ()) -> tuple[Any, Any]:
    """`D` on `a` has a route to `Ship`, in `E` on `b`."""
    forth = route("R", "Ship", "b")
    return (
        server("a", db("D", forth, services=(own,), contracts=list(begins))),
        server("b", db("E", *back, services=(far,), contracts=list(accepts))),
    )


def test_neither_side_accepts_a_contract() -> None:
    found = finding("no-common-contract", *pair(service("Own"), service("Ship"), accepts=(REQUEST,)))
    assert about(found) == ("error", "b", "E", "Ship")
    assert "no service of D on a does" in str(found.reason)
    assert found.remedy_sql == "USE [E];\nALTER SERVICE [Ship] (ADD CONTRACT [c]);"


def test_with_a_way_back_it_is_told_once_and_nobody_guesses_which_is_the_target() -> None:
    found = finding(
        "no-common-contract", *pair(service("Own"), service("Ship"), route("Back", "Own", "a"), accepts=(REQUEST,))
    )
    assert (about(found), found.remedy_sql) == (("error", "b", "E", "Ship"), None)


@pytest.mark.parametrize("contracts", [(), (REQUEST, OTHER)])
def test_which_contract_is_meant_is_not_guessed(contracts: Any) -> None:
    assert finding("no-common-contract", *pair(service("Own"), service("Ship"), accepts=contracts)).remedy_sql is None


def test_the_database_that_begins_has_none_of_the_contracts() -> None:
    found = finding(
        "no-common-contract", *pair(service("Own"), service("Ship", "c"), begins=(OTHER,), accepts=(REQUEST,))
    )
    assert "It accepts c, and D on a has none of these contracts" in str(found.reason)
    assert found.remedy_sql is None


@pytest.mark.parametrize(
    ("own", "far", "begins", "accepts"),
    [
        (service("Own"), service("Ship", "c"), (REQUEST,), (REQUEST,)),
        (service("Own"), service("Ship", "c", "x"), (OTHER, REQUEST), ()),
        (service("Own"), service("Ship", "c"), (), (REQUEST,)),  # which contracts D has is not known
        (service("Own"), service("Ship", "DEFAULT"), (OTHER,), ()),
        (service("Own"), "Ship", (OTHER,), ()),  # what Ship accepts is not known
        ("Own", service("Ship"), (OTHER,), ()),
        (service("Own", "c"), service("Ship"), (REQUEST,), (REQUEST,)),  # the route leads back to an initiator
        (service("Own", "c"), service("Ship", "x"), (OTHER, REQUEST), (REQUEST,)),
    ],
)
def test_a_conversation_can_begin_or_too_little_is_known(own: Any, far: Any, begins: Any, accepts: Any) -> None:
    assert findings("no-common-contract", *pair(own, far, begins=begins, accepts=accepts)) == []


def test_within_one_database_and_where_nothing_arrives_nothing_is_told() -> None:
    here = server("a", db("D", route("R", "Ship"), services=(service("Own"), service("Ship"))))
    assert findings("no-common-contract", here) == []
    assert findings("no-common-contract", *pair(service("Own"), service("Else"))) == []
