"""The effect of edits of a draft on the large estate: 1,000 instances, 5,000 databases, 50,000 routes.

.venv/bin/python benchmarks/changes/effect.py

Each figure is the processor time of one process whose index of the base is there, as in a server that answered for the
draft before; the first line is what making the index takes. `counted` is the time to the first counts, which the line
of effect shows while it goes on. Each database also has the three services that SQL Server creates.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, child, claim, large_document, peak_megabytes, settle
from brokerui.analysis.effect.ends import EndsCount
from brokerui.analysis.effect.packing import packed
from routing.classes.indexed_estate import IndexedEstate
from routing.common.names import SYSTEM_SERVICES
from routing.documents.estate_document import read_estate
from routing.model.catalog_objects import Service
from routing.model.edits import DropRoute, PutDatabase, PutRoute, PutService, SetBroker, SetForwarding
from routing.model.estate import Database, Edit, Estate
from routing.model.route import Route

Place = tuple[str, str, Route]


def estate_with_system_services() -> Estate:
    """The large estate, as one that was imported from catalogs."""
    document = json.loads(large_document(hubs_loop=False).read_text(encoding="utf-8"))
    for instance in document["instances"]:
        for database in instance["databases"]:
            database["services"] += sorted(SYSTEM_SERVICES)
    return read_estate(json.dumps(document))


def routes(estate: Estate, *, named: bool, outside: bool = False) -> Iterator[Place]:
    """Yield the routes with, or without, a service name; those of msdb where `outside`."""
    for instance in estate.instances.values():
        for database in instance.databases.values():
            if (database.name == "msdb") is outside:
                for route in database.table.routes.values():
                    if (route.remote_service_name is not None) is named and route.address.is_network:
                        yield instance.name, database.name, route


def altered(estate: Estate, place: Place) -> list[Edit]:
    """Lead a route where another one leads."""
    instance, database, route = place
    other = next(one for *_, one in routes(estate, named=True) if one.address != route.address)
    return [PutRoute(instance, database, replace(route, address=other.address))]


def thousand(estate: Estate) -> list[Edit]:
    """Alter or drop a thousand named routes."""
    rng = random.Random(1)
    places = rng.sample(list(routes(estate, named=True)), 1_000)
    return [DropRoute(one[0], one[1], one[2].name) if rng.random() < 0.3 else altered(estate, one)[0] for one in places]


def mixed(estate: Estate) -> list[Edit]:
    """A thousand edits of all kinds: routes with and without a name, services, brokers, forwarding, two databases."""
    rng = random.Random(2)
    named, nameless = list(routes(estate, named=True)), list(routes(estate, named=False))
    outside = list(routes(estate, named=False, outside=True))
    led = [
        PutRoute(instance, database, replace(route, address=rng.choice(named)[2].address))
        for instance, database, route in [*rng.sample(named, 500), *rng.sample(nameless, 150), *rng.sample(outside, 50)]
    ]
    lost = [DropRoute(instance, database, route.name) for instance, database, route in rng.sample(named, 150)]
    homes = [(one.name, database) for one in estate.instances.values() for database in one.databases]
    new = [PutService(*home, Service(f"//company.example/new/{n}")) for n, home in enumerate(rng.sample(homes, 88))]
    brokers = [SetBroker(*home, False) for home in rng.sample(homes, 30)]
    hops = [SetForwarding(one.name, not one.forwarding) for one in rng.sample([*estate.instances.values()], 30)]
    bare = [PutDatabase(one, Database("Added")) for one in rng.sample([*estate.instances], 2)]
    return [*led, *lost, *new, *brokers, *hops, *bare]


EDITS: dict[str, tuple[str, Callable[[Estate], list[Edit]], float]] = {
    "named": ("one named route", lambda e: altered(e, next(routes(e, named=True))), 0.2),
    "wildcard": ("a wildcard of one database", lambda e: altered(e, next(routes(e, named=False))), 2),
    "hub": ("a wildcard of a hub's msdb", lambda e: altered(e, next(routes(e, named=False, outside=True))), 2),
    "thousand": ("1,000 named routes", thousand, 60),
    "mixed": ("1,000 edits of all kinds", mixed, 60),
}


def measure(kind: str) -> dict[str, float]:
    """Seconds of the index, of the first counts and of all; megabytes of the process."""
    estate = estate_with_system_services()
    edits = EDITS[kind][1](estate)
    settle()
    gc.freeze()
    began = time.process_time()
    indexed = IndexedEstate(estate)
    indexed.specials_with(estate, indexed.vocabulary_with(estate).identifiers.keys())
    made = time.process_time()
    count = EndsCount(indexed, estate.edited(edits), AT)
    counted = time.process_time()
    while not count.is_settled:
        count.step()
    compared = time.process_time()
    data = packed(count.ends)
    return {
        "index": made - began,
        "counted": counted - made,
        "seconds": compared - made,
        "packing": time.process_time() - compared,
        "packed": len(data) / (1 << 20),
        "targets": count.total,
        "changed": count.ends.changed,
        "names": count.ends.names,
        "megabytes": peak_megabytes(),
    }


def report(kind: str) -> Iterator[bool]:
    what, _, bound = EDITS[kind]
    got = child("benchmarks.changes.effect:measure", kind)
    size = f"{got['changed']:,} intended kinds of {got['names']:,} names, {got['targets']:,} targets"
    yield claim(f"effect of {what}", got["seconds"], bound, "s", f"{size}; counted after {got['counted']:.3f} s")
    if kind == "named":
        yield claim("index of the base", got["index"], 2, "s")
    if kind in ("thousand", "mixed"):
        job = got["seconds"] + got["packing"]
        yield claim(f"effect of {what}, as the job keeps it", job, 60, "s", f"{got['packed']:.2f} MB for all processes")
        yield claim(f"effect of {what}, memory of the process", got["megabytes"], 1_536, "MB")


def main() -> int:
    kept = [one for kind in EDITS for one in report(kind)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
