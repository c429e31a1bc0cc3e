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
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, child, claim, large_document, peak_megabytes, settle
from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import Vocabulary
from routing.common.names import SYSTEM_SERVICES
from routing.diff.run import compare_stepwise
from routing.documents.estate_document import read_estate
from routing.model.edits import DropRoute, PutRoute
from routing.model.estate import Edit, Estate
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


EDITS: dict[str, tuple[str, Callable[[Estate], list[Edit]], float]] = {
    "named": ("one named route", lambda e: altered(e, next(routes(e, named=True))), 0.2),
    "wildcard": ("a wildcard of one database", lambda e: altered(e, next(routes(e, named=False))), 2),
    "hub": ("a wildcard of a hub's msdb", lambda e: altered(e, next(routes(e, named=False, outside=True))), 2),
    "thousand": ("1,000 named routes", thousand, 60),
}


def system_steps(estate: Estate) -> int:
    """Count the steps for the services that SQL Server creates, which come last."""
    words = Vocabulary(estate, Estate())
    return sum(map(words.count_of_name, SYSTEM_SERVICES))


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
    stepwise = compare_stepwise(indexed, estate.edited(edits), AT)
    counted = time.process_time()
    groups, changed = 0, 0
    steps = stepwise.total - (system_steps(estate) if kind == "hub" else 0)
    for step in islice(stepwise.steps, steps):
        groups += len(step)
        changed += sum(stepwise.intent.members(group) for group in step)
    named = time.process_time()
    for step in stepwise.steps:
        changed += sum(stepwise.intent.members(group) for group in step)
    return {
        "index": made - began,
        "counted": counted - made,
        "seconds": named - made,
        "all": time.process_time() - made,
        "groups": groups,
        "changed": changed,
        "names": stepwise.names,
        "megabytes": peak_megabytes(),
    }


def report(kind: str) -> Iterator[bool]:
    what, _, bound = EDITS[kind]
    got = child("benchmarks.changes.effect:measure", kind)
    size = f"{got['groups']:,} groups, {got['changed']:,} intended kinds; counted over {got['names']:,} names"
    yield claim(f"effect of {what}", got["seconds"], bound, "s", f"{size} after {got['counted']:.3f} s")
    if kind == "hub":
        yield claim(f"effect of {what}, with SQL Server's own services", got["all"], 6, "s")
    if kind == "named":
        yield claim("index of the base", got["index"], 2, "s")
    if kind == "thousand":
        yield claim(f"effect of {what}, memory of the process", got["megabytes"], 1_536, "MB")


def main() -> int:
    kept = [one for kind in EDITS for one in report(kind)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
