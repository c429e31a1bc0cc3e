"""Reads loaded pipeline results for pages and REST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Count, DateTimeField, F, Max, Q, QuerySet, Sum

from brokerui.analysis.flow.folding import Path
from brokerui.analysis.flow.wording import ENDS
from brokerui.analysis.traffic.models import (
    Change,
    Disagreement,
    Episode,
    File,
    Hop,
    Link,
    Met,
    OfRun,
    Round,
    Run,
    UnusedRoute,
    Waiting,
)
from brokerui.analysis.traffic.staging import columns_of
from brokerui.core.csv import MomentColumn
from routing.rules.decision import DELIVERED, EXITS

MOST_ROWS = 100
HOUR = "hour"


class Cause(NamedTuple):
    """A cause that delayed conversations."""

    error: int
    episodes: int
    not_ended: int
    longest_ms: int | None


class Seen(NamedTuple):
    """The observations of one next hop, by whether the prediction held."""

    next_hop: str
    agrees: int
    disagrees: int
    unseen: int


def runs_loaded() -> QuerySet[Run]:
    """Return all loaded runs, the latest first."""
    return Run.objects.defer("record")


def rounds_before(before: int | None, limit: int) -> list[Round]:
    """Return at most `limit` rounds of the pipeline, the newest first; `before`: those with a smaller number."""
    found = Round.objects.select_related("job").defer("log", "steps")
    return list((found if before is None else found.filter(pk__lt=before))[:limit])


def round_get(number: int) -> Round | None:
    """Return the round of this number; None if there is none."""
    return Round.objects.select_related("job").defer("log", "steps").filter(pk=number).first()


def jobs_loaded() -> list[str]:
    """Return the jobs that have a loaded run."""
    return list(Run.objects.order_by("job").values_list("job", flat=True).distinct())


def files_of(run: Run) -> QuerySet[File]:
    """Return the files from which a result was made."""
    return File.objects.filter(run=run).order_by("table", "path")


def sides_of(run: Run) -> list[str]:
    """Return the sides of a result; a replay has `before` and `after`."""
    return list(Link.objects.filter(run=run).values_list("side", flat=True).distinct().order_by("-side"))


def flows(run: Run, side: str) -> Counter[Path]:
    """The messages from each instance to each end."""
    rows = Link.objects.filter(run=run, side=side).values_list(
        "from_instance", "outcome", "instance", "database", "reason", "address"
    )
    found: Counter[Path] = Counter()
    for origin, outcome, instance, database, reason, address, messages in rows.annotate(n=Sum("messages")):
        end = f"{instance}/{database}" if outcome == DELIVERED else f"{ENDS[outcome]}{reason or address}"
        found[Path(origin, None, end, outcome)] += messages
    return found


def verdicts(run: Run) -> dict[str, int]:
    """The messages of a `route` by verdict."""
    rows = Met.objects.filter(run=run).values_list("verdict").annotate(n=Sum("messages"))
    return dict(rows.order_by("verdict"))


def changes(run: Run) -> QuerySet[Change]:
    """The changed classes that carry most."""
    return Change.objects.filter(run=run).order_by("-messages", "pk")[:MOST_ROWS]


def causes(run: Run) -> list[Cause]:
    """The causes of delays, the most frequent first."""
    rows = Episode.objects.filter(run=run).values("cause")
    counted = rows.annotate(n=Count("pk"), open=Count("pk", filter=Q(ended_at=None)), longest=Max("milliseconds"))
    return [Cause(*row) for row in counted.order_by("-n", "cause").values_list("cause", "n", "open", "longest")]


def waiting(run: Run) -> dict[datetime, dict[int, int]]:
    """By hour and cause: how many conversations waited, over all databases. 0: for no cause but time."""
    rows = Waiting.objects.filter(run=run, span=HOUR).values_list("since", "error").annotate(n=Sum("conversations_max"))
    found: dict[datetime, dict[int, int]] = {}
    for since, error, count in rows.order_by("since", "error"):
        found.setdefault(since, {})[error or 0] = count or 0
    return found


def seen(run: Run) -> list[Seen]:
    """By next hop, those with most that disagree first."""
    rows = Hop.objects.filter(run=run, span=HOUR).values("next_hop")
    summed = rows.annotate(agrees=_sum("agrees"), disagrees=_sum("disagrees"), unseen=_sum("unseen"))
    ordered = summed.order_by("-disagrees", "-agrees", "next_hop")
    return [Seen(*row) for row in ordered.values_list("next_hop", "agrees", "disagrees", "unseen")]


def _sum(verdict: str) -> Sum:
    return Sum("predictions", filter=Q(verdict=verdict), default=0)


def totals_seen(run: Run) -> Seen:
    """Return the observed and predicted counts of all next hops together."""
    rows = Hop.objects.filter(run=run, span=HOUR)
    found = rows.aggregate(agrees=_sum("agrees"), disagrees=_sum("disagrees"), unseen=_sum("unseen"))
    return Seen("", **found)


def disagreements(run: Run) -> QuerySet[Disagreement]:
    """The latest messages that came elsewhere."""
    return Disagreement.objects.filter(run=run).order_by("-at", "pk")[:MOST_ROWS]


UNUSED_ORDERS: Final = {
    "route": ("route", "instance", "database"),
    "database": ("instance", "database", "route"),
    "service": ("to_service", "instance", "database", "route"),
    "address": ("address", "instance", "database", "route"),
}
"""Orders of unused routes, each by the name of its column; there may be tens of thousands."""


def unused_routes(run: Run, order: str = "") -> QuerySet[UnusedRoute]:
    """The routes that the log did not use for long: usually first those that it never used; see `UNUSED_ORDERS`."""
    found = UnusedRoute.objects.filter(run=run)
    if order:
        sign, names = "-" * order.startswith("-"), UNUSED_ORDERS[order.removeprefix("-")]
        return found.order_by(*(f"{sign}{name}" for name in names))
    return found.order_by(F("last_used").asc(nulls_first=True), *UNUSED_ORDERS["database"])


def rows_of(run: Run, model: type[OfRun]) -> Iterator[tuple[Any, ...]]:
    """All rows of a table, after the names of its columns."""
    columns = columns_of(model)
    is_moment = {field.name for field in model._meta.get_fields() if isinstance(field, DateTimeField)}
    yield tuple(MomentColumn(name) if name in is_moment else name for name in columns)
    yield from model._default_manager.filter(run=run).order_by(F("pk")).values_list(*columns).iterator(2_000)


def is_delivered(verdict: str) -> bool:
    """Whether conversations of this verdict come to where they should."""
    return verdict in ("must_deliver", EXITS)
