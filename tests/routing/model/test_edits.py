"""Edits as values: what each does, what it shares, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from routing.common.errors import Invalid
from routing.model.address import parse_address
from routing.model.catalog_objects import Queue, Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetQueue,
)
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable

ROUTE = Route("R", "Ship", None, None, parse_address("LOCAL"))
ORDERS = Database("Orders", services=(Service("Own"),), table=RouteTable([ROUTE]))
HERE = Instance("here", {"Orders": ORDERS, "Parts": Database("Parts")})
ESTATE = Estate({"here": HERE, "there": Instance("there")})


def orders(estate: Estate) -> Database:
    return estate.instances["here"].databases["Orders"]


def test_a_route_is_put_and_dropped_and_all_else_is_shared() -> None:
    other = replace(ROUTE, name="S")
    estate = ESTATE.edited([PutRoute("here", "Orders", other), DropRoute("here", "Orders", "R")])
    assert orders(estate).table.routes == {"S": other}
    assert estate.instances["there"] is ESTATE.instances["there"]
    assert estate.instances["here"].databases["Parts"] is HERE.databases["Parts"]
    assert orders(ESTATE).table.routes == {"R": ROUTE}


def test_an_msdb_that_is_not_written_takes_a_route() -> None:
    estate = ESTATE.edited([PutRoute("there", "msdb", ROUTE)])
    assert estate.instances["there"].msdb.routes == {"R": ROUTE}


def test_a_service_is_put_replaced_and_dropped() -> None:
    estate = ESTATE.edited([PutService("here", "Orders", Service("New")), DropService("here", "Orders", "Own")])
    assert [service.name for service in orders(estate).services] == ["New"]
    assert "New" in estate.instances["here"].targets
    replaced = ESTATE.edited([PutService("here", "Orders", Service("Own", "dbo.Q"))])
    kept = [PutService("here", "Orders", Service(name)) for name in ("Own", "Last", "Own")]
    assert [s.name for s in ESTATE.edited(kept).instances["here"].databases["Orders"].services][-1] == "Last"
    assert orders(replaced).services == (Service("Own", "dbo.Q"),)


def test_databases_and_instances_are_put_and_dropped() -> None:
    edits: list[Edit] = [PutDatabase("there", Database("New")), DropDatabase("here", "Parts")]
    estate = ESTATE.edited([*edits, PutInstance(Instance("third"))])
    assert list(estate.instances["there"].databases) == ["New"]
    assert list(estate.instances["here"].databases) == ["Orders"]
    assert list(estate.instances) == ["here", "there", "third"]
    assert list(estate.edited([DropInstance("there")]).instances) == ["here", "third"]


def test_switches_are_set() -> None:
    estate = ESTATE.edited([SetForwarding("here", True), SetBroker("here", "Orders", False), SetHopLimit(3)])
    assert estate.instances["here"].forwarding
    assert not orders(estate).broker_enabled
    assert estate.hop_limit == 3
    assert "Own" not in estate.instances["here"].targets


def test_a_queue_is_switched_and_written_where_it_was_not() -> None:
    written = Queue("dbo.Q", poison_handling=False)
    estate = ESTATE.edited([PutDatabase("here", Database("Orders", queues=(written, Queue("dbo.R"))))])
    switched = estate.edited([SetQueue("here", "Orders", "dbo.Q", False), SetQueue("here", "Orders", "S", False)])
    assert orders(switched).queues == (replace(written, enabled=False), Queue("dbo.R"), Queue("S", enabled=False))
    assert orders(switched.edited([SetQueue("here", "Orders", "dbo.Q", True)])).queues[0] == written


@pytest.mark.parametrize(
    "edit",
    [
        PutRoute("gone", "Orders", ROUTE),
        PutRoute("gone", "msdb", ROUTE),
        PutRoute("here", "Gone", ROUTE),
        DropRoute("here", "Orders", "Gone"),
        DropRoute("there", "msdb", "Gone"),
        PutService("here", "Gone", Service("S")),
        DropService("here", "Orders", "Gone"),
        PutDatabase("gone", Database("D")),
        DropDatabase("here", "Gone"),
        DropDatabase("gone", "Orders"),
        DropInstance("gone"),
        SetForwarding("gone", True),
        SetBroker("here", "Gone", True),
        SetQueue("here", "Gone", "Q", True),
    ],
)
def test_what_is_not_there_cannot_be_edited(edit: Edit) -> None:
    with pytest.raises(Invalid, match="there is no"):
        ESTATE.edited([edit])
