"""Badges: the findings of lint on the map, as the number of the worst about each thing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.estate.refs import DATABASE, Ref, database, instance_ref, route
from brokerui.pages.map.plan import Badge, MapBox, MapPlan
from routing.common.finding import ERROR, WARNING
from routing.common.sentence import say_counted

Known = Mapping[Ref, Counter[str]]
"""By thing: how many findings of each severity."""


def put_badges(plan: MapPlan, findings: Collection[StoredFinding]) -> None:
    """Give a badge to each row, database and box that an error or a warning is about."""
    drawn_out = {thing.name for box in plan.boxes.values() if _is_drawn_out(box) for thing in box.about}
    itself: Known = defaultdict(Counter)
    for found in findings:
        if found.instance in drawn_out:
            itself[_about(found)][found.severity] += 1
    # There may be tens of thousands: they are added up by their names first.
    all_in = Counter((found.instance, found.severity) for found in findings if found.instance not in drawn_out)
    with_all: Known = defaultdict(Counter)
    for (name, severity), count in all_in.items():
        with_all[instance_ref(str(name))][severity] = count
    for box in plan.boxes.values():
        box.sign = _sign(box.about, itself if _is_drawn_out(box) else with_all)
        for cell in box.cells:
            cell.sign = _sign(cell.about, itself)
        for row in box.rows():
            row.sign = _sign(row.about, itself)


def _about(found: StoredFinding) -> Ref:
    if found.is_about_a_route:
        return route(str(found.instance), str(found.database), str(found.object))
    if found.database is not None:
        return database(str(found.instance), found.database)
    return instance_ref(str(found.instance))


def _is_drawn_out(box: MapBox) -> bool:
    """Whether its databases have badges of their own."""
    return any(cell.ref.kind == DATABASE for cell in box.cells)


def _sign(things: Iterable[Ref], known: Known) -> Badge | None:
    counts: Counter[str] = Counter()
    for thing in things:
        counts.update(known.get(thing, {}))
    if counts[ERROR]:
        return Badge(ERROR, say_counted(counts[ERROR], "error", "{count} errors"))
    if counts[WARNING]:
        return Badge(WARNING, say_counted(counts[WARNING], "warning", "{count} warnings"))
    return None
