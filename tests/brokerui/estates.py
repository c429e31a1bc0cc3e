"""Small estates, written down in few words, and a large one."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.estates import large_estate
from tests.extent import IS_ALL

Json = dict[str, Any]
LOCAL: Json = {"name": "AutoCreatedLocal", "address": "LOCAL"}
IDENTIFIER = "00000000-0000-4000-8000-{:012}"


SHARE = 1 if IS_ALL else 4
"""A test of the time that a page takes has this part of a company, and waits this part of its patience."""


def company() -> str:
    """The text of a company's estate, of 1,000 instances and 50,000 routes in make test-all, else of a quarter."""
    size = {"instances": 1_000, "databases": 5_000, "routes": 50_000, "names": 10_000}
    return json.dumps(large_estate(**{name: count // SHARE for name, count in size.items()}))


def document(*instances: Json, hop_limit: int = 10) -> str:
    """The text of an estate document."""
    return json.dumps({"format": "brokerui.estate/1", "hop_limit": hop_limit, "instances": list(instances)})


def instance(name: str, *databases: Json, forwarding: bool = False) -> Json:
    """An instance that listens at tcp://NAME:4022."""
    return {"name": name, "addresses": [f"tcp://{name}:4022"], "forwarding": forwarding, "databases": list(databases)}


def database(name: str, *routes: Json, services: tuple[str, ...] = (), **more: Any) -> Json:
    return {"name": name, "services": list(services), "routes": list(routes), **more}


def to(address: str, service: str | None = None, **more: Any) -> Json:
    """A route, called after where it leads."""
    return {"name": f"To {address}", "remote_service_name": service, "address": address} | more


def fan(branches: int, *, every: int = 7) -> str:
    """One database with a route to each branch; every so manieth branch lacks the service."""
    routes = [to(f"tcp://branch{number}:4022", "Price") for number in range(branches)]
    center = database("Main", *routes, services=("Head",), broker_instance=IDENTIFIER.format(1))
    shops = [
        instance(
            f"branch{number}",
            database("Shop", LOCAL, to("tcp://center:4022", "Head"), services=("Price",) if number % every else ()),
            database("msdb", LOCAL),
        )
        for number in range(branches)
    ]
    return document(instance("center", center, database("msdb", LOCAL)), *shops)


CIRCLE = document(
    instance("north", database("Orders", to("tcp://east"), services=("Own",)), database("msdb", LOCAL)),
    instance("east", database("msdb", to("tcp://west")), forwarding=True),
    instance("west", database("msdb", to("tcp://east")), forwarding=True),
)
EVERY_KIND = document(
    instance(
        "hub",
        database(
            "Sales",
            *(to(f"tcp://{host}", "Ship") for host in ("a", "b", "gone.example")),
            to("tcp://a", "Old", name="OldRoute", lifetime="2030-05-01T00:00:00Z"),
            services=("SalesOut",),
            broker_instance=IDENTIFIER.format(1),
        ),
        database("msdb", LOCAL),
    ),
    instance("a", database("Depot", LOCAL, services=("Ship", "Old")), database("msdb", LOCAL)),
    instance("b", database("msdb", to("tcp://a"))),
)
HOSTILE = '<script>alert("1")</script>\'&'
HOSTILE_ESTATE = document(
    instance("h" + HOSTILE, database("d/" + HOSTILE, to("tcp://b", HOSTILE, name="r" + HOSTILE), services=(HOSTILE,))),
    instance("b", database("t" + HOSTILE, LOCAL, services=(HOSTILE,)), database("msdb", LOCAL)),
).replace(f"tcp://{json.dumps('h' + HOSTILE)[1:-1]}:4022", "tcp://h:4022")
