"""The differential on the large estate after loading: groups and summary of one edit, rows streamed, memory.

.venv/bin/python benchmarks/routing/comparing.py

Each edit is compared in a process of its own: two documents read, as `brokerui diff` does, so that they share nothing;
with the collector of cycles on, and off as in that command; with hubs that hand to one another in loops, and without.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, child, claim, large_document, megabytes, peak_megabytes, settle
from routing.diff.run import compare
from routing.documents.estate_document import read_estate, write_estate
from routing.model.address import parse_address
from routing.model.estate import Estate

ROWS = 100_000
"""Maximum number of rows that `diff` writes."""


def named(estate: Estate) -> Estate:
    """A route for one service leads elsewhere."""
    instance, database, route = next(
        (i.name, d.name, r)
        for i in estate.instances.values()
        for d in i.databases.values()
        for r in d.table.routes.values()
        if r.remote_service_name is not None and d.name != "msdb"
    )
    changed = replace(route, address=parse_address("tcp://elsewhere.example"))
    return estate.with_route(instance, database, route.name, changed)


def wildcard(estate: Estate) -> Estate:
    """The route of one database for everything leads elsewhere."""
    instance, database = next(
        (i.name, d.name) for i in estate.instances.values() for d in i.databases.values() if "ToHub" in d.table.routes
    )
    return _elsewhere(estate, instance, database)


def hub(estate: Estate) -> Estate:
    """Forward all unknown services of a hub elsewhere: nearly every conversation that changes may pass there."""
    hubs = [f"srv{number:04}" for number in range(len(estate.instances) // 100)]
    name = next(name for name in hubs if "ToHub" in estate.instances[name].msdb.routes)
    return _elsewhere(estate, name, "msdb")


def _elsewhere(estate: Estate, instance: str, database: str) -> Estate:
    route = estate.instances[instance].databases[database].table.routes["ToHub"]
    return estate.with_route(instance, database, "ToHub", replace(route, address=parse_address("tcp://x.example")))


EDITS: dict[str, tuple[str, Callable[[Estate], Estate], float]] = {
    "named": ("a named route", named, 0.2),
    "wildcard": ("a wildcard in one database", wildcard, 2),
    "hub": ("a wildcard in a hub's msdb", hub, 2),
}


def measure(path: str, edit: str, collecting: str) -> dict[str, float]:
    """Seconds of groups and summary, of the first rows, and the memory beyond the two estates."""
    before = read_estate(Path(path).read_bytes())
    after = read_estate(write_estate(EDITS[edit][1](before)))
    settle()
    if collecting == "off":
        gc.disable()
    loaded, most = megabytes(), peak_megabytes()
    began = time.process_time()
    comparison = compare(before, after, AT)
    summary = comparison.summary()
    seconds = time.process_time() - began
    rows = sum(1 for _ in islice(comparison.rows(), ROWS))
    streamed = time.process_time() - began - seconds
    grown = peak_megabytes() - loaded if peak_megabytes() > most else megabytes() - loaded
    return {
        "seconds": seconds,
        "streamed": streamed,
        "rows": rows,
        "memory": grown,
        "groups": len(comparison.groups),
        "changed": comparison.classes - summary["unchanged"],
        "classes": comparison.classes,
    }


def report(edit: str, *, hubs_loop: bool) -> list[bool]:
    what, _, bound = EDITS[edit]
    on, off = (child("benchmarks.routing.comparing:measure", large_document(hubs_loop=hubs_loop), edit, collecting)
               for collecting in ("on", "off"))  # fmt: skip
    where = "hubs in loops" if hubs_loop else "no loops"
    size = f"{off['changed']:,} of {off['classes']:,} classes in {off['groups']:,} groups"
    rows = f"{off['rows']:,} rows in {off['streamed']:.2f} s"
    return [
        claim(f"{what} ({where}), collector off", off["seconds"], bound, "s", f"{size}; {rows}"),
        claim(f"{what} ({where}), collector on", on["seconds"], bound, "s"),
        claim(f"{what} ({where}), memory beyond the estates", max(on["memory"], off["memory"]), 1024, "MB"),
    ]


def main() -> int:
    kept = [one for hubs_loop in (True, False) for edit in EDITS for one in report(edit, hubs_loop=hubs_loop)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
