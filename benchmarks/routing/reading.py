"""The large estate read and indexed: seconds and memory, beside `json.loads` of the same text; and one edit of it.

.venv/bin/python benchmarks/routing/reading.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import best, child, claim, large_document, megabytes, peak_megabytes, settle
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate


def read(path: str) -> dict[str, float]:
    """Reads the document three times; the memory is that of one estate."""
    before = megabytes()
    seconds, estate = best(1, lambda: read_estate(Path(path).read_bytes()))
    memory = peak_megabytes() - before
    settle()
    kept = megabytes() - before
    again, _ = best(2, lambda: read_estate(Path(path).read_bytes()))
    return {"seconds": min(seconds, again), "peak": memory, "kept": kept, "edit": edit(estate)}


def read_by_json(path: str) -> dict[str, float]:
    before = megabytes()
    seconds, _ = best(3, lambda: json.loads(Path(path).read_bytes()))
    return {"seconds": seconds, "peak": peak_megabytes() - before}


def edit(estate: Estate) -> float:
    """Milliseconds of one edit of a route, the median over many places."""
    places = [(i, d) for i in list(estate.instances.values())[:200] for d in i.databases.values() if len(d.table)]
    seconds = []
    for instance, database in places:
        route = next(iter(database.table.routes.values()))
        changed = replace(route, remote_service_name="//changed")
        took, _ = best(1, partial(estate.with_route, instance.name, database.name, route.name, changed))
        seconds.append(took)
    return median(seconds) * 1000


def main() -> int:
    path = large_document()
    size = path.stat().st_size / (1 << 20)
    ours, peer = child("benchmarks.routing.reading:read", path), child("benchmarks.routing.reading:read_by_json", path)
    print(f"1,000 instances, 5,000 databases, 50,000 routes, 10,000 names: {size:.1f} MB; {ours['kept']:.0f} MB kept")
    slower, larger = ours["seconds"] / peer["seconds"], ours["peak"] / peer["peak"]
    kept = [
        claim("document read and indexed", ours["seconds"], 2, "s", f"{slower:.1f} times json.loads"),
        claim("memory at its most", ours["peak"], 600, "MB", f"{larger:.1f} times json.loads"),
        claim(
            "one edit", ours["edit"], 5, "ms", f"{ours['seconds'] * 1000 / ours['edit']:,.0f} times faster than reading"
        ),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
