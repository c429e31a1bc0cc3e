"""Contents of the page of a run, by its job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from brokerui.analysis.monitoring.wording import age, cause_label, cause_words
from brokerui.analysis.traffic.models import Run, UnusedRoute
from brokerui.analysis.traffic.selectors import (
    MOST_ROWS,
    causes,
    changes,
    disagreements,
    is_delivered,
    seen,
    sides_of,
    totals_seen,
    unused_routes,
    verdicts,
    waiting,
)
from brokerui.drawing.charts.lines import Panel, lines_figure
from brokerui.pages.shell import links
from brokerui.pages.shell.columns import ShownTable
from brokerui.pages.traffic.flow_picture import figure_of, lines_of, picture_of
from brokerui.pages.traffic.telemetry_tables import CAUSES, SEEN, UNUSED
from brokerui.pages.traffic.unanswered import with_unanswered

RunContext = dict[str, Any]
MOST_CAUSES = 6
"""Lines of the chart; all others are one."""


def context_of_run(run: Run, query: Mapping[str, str]) -> RunContext:
    """Return the results of this job, in the order of the address."""
    if run.job == "telemetry":
        return _of_telemetry(run, query)
    return {**(_of_replay(run) if run.job == "replay" else _of_route(run)), **_flow(run, query.get("side", ""))}


def csv_of(run: Run, table: str) -> str:
    return reverse("traffic:csv", args=[run.pk, table])


# ---------------------------------------------------------------- traffic


def _of_route(run: Run) -> RunContext:
    by_verdict = verdicts(run)
    if not by_verdict:
        return with_unanswered(run, gettext("No row could be evaluated."), "warn")
    lost = sum(messages for verdict, messages in by_verdict.items() if not is_delivered(verdict))
    numbers = {"messages": f"{lost:,}", "all": f"{sum(by_verdict.values()):,}"}
    if not lost:
        words = gettext("All %(all)s messages are delivered, or leave the estate.")
        return with_unanswered(run, words % numbers, "good")
    words = gettext("%(messages)s of %(all)s messages are not, or not certainly, delivered.")
    return with_unanswered(run, words % numbers, "bad")


def _of_replay(run: Run) -> RunContext:
    summary, early = run.record.get("summary", {}), (run.record.get("before_estate") or {}).get("changes", {})
    compared = {verdict: weight.get("messages", 0) - early.get(verdict, 0) for verdict, weight in summary.items()}
    messages = {verdict: compared.get(verdict, 0) for verdict in ("worse", "better", "moved")}
    numbers = {"n": f"{sum(messages.values()):,}", "worse": f"{messages['worse']:,}"}
    found = changes(run)
    table = {"changes": found, "changes_csv": csv_of(run, "differential")} if found else {}
    if early and not any(compared.values()):
        return with_unanswered(run, gettext("No row could be compared."), "warn") | table
    if not found or (early and not any(messages.values())):
        return with_unanswered(run, gettext("Nothing changes for this traffic."), "good") | table
    words = gettext("%(n)s messages have another outcome under the proposed routes, %(worse)s of them worse.")
    return with_unanswered(run, words % numbers, "bad" if messages["worse"] else "warn") | table


def _flow(run: Run, wanted_side: str) -> RunContext:
    sides = sides_of(run)
    if not sides:
        return {}
    side = wanted_side if wanted_side in sides else sides[0]
    picture = picture_of(run, side)
    origins, _, ends = picture.of_places
    words = ngettext("What %(n)s origin sends, by where it ends", "What %(n)s origins send, by where it ends", origins)
    return {
        "side": side,
        "sides": [(each, _SIDES[each]()) for each in sides] if len(sides) > 1 else [],
        "title": words % {"n": origins},
        "figure": figure_of(picture) if ends else None,
        "lines": list(lines_of(picture)),
        "csv": csv_of(run, "flow_matrix"),
    }


_SIDES = {
    "before": lambda: gettext("Before"),
    "after": lambda: gettext("After"),
    "met": lambda: gettext("Met"),
}


# ---------------------------------------------------------------- telemetry


def _of_telemetry(run: Run, query: Mapping[str, str]) -> RunContext:
    total, delays = totals_seen(run), causes(run)
    causes_table, seen_table = CAUSES.read(query), SEEN.read(query)
    return {
        **_answer(total.agrees, total.disagrees, sum(one.not_ended for one in delays)),
        **_waiting(run),
        "causes": [(cause_words(one.error), one, age(one.longest_ms or 0)) for one in causes_table.ordered(delays)],
        "causes_table": causes_table,
        "causes_csv": csv_of(run, "episodes"),
        **_unused(run, UNUSED.read(query)),
        "seen": seen_table.ordered(seen(run))[:MOST_ROWS],
        "seen_table": seen_table,
        "seen_total": total,
        "seen_csv": csv_of(run, "hops"),
        "disagreements": disagreements(run),
        "disagreements_more": max(0, total.disagrees - MOST_ROWS),
        "disagreements_csv": csv_of(run, "disagreements"),
    }


def _unused(run: Run, table: ShownTable[UnusedRoute]) -> RunContext:
    """Routes that nothing took, each with its row in the table of routes."""
    found = unused_routes(run, table.sort)
    shown = list(found[:MOST_ROWS])
    count = len(shown) if len(shown) < MOST_ROWS else found.count()
    return {
        "unused": [(one, links.routes({}, one.instance, one.database)) for one in shown],
        "unused_table": table,
        "unused_count": count,
        "unused_more": count - len(shown),
        "unused_csv": csv_of(run, "unused_routes"),
        "has_estate": bool(run.record.get("arguments", {}).get("estate")),
    }


def _answer(agrees: int, disagrees: int, not_ended: int) -> RunContext:
    if disagrees:
        words = ngettext(
            "%(n)s message arrived elsewhere than its route leads.",
            "%(n)s messages arrived elsewhere than their routes lead.",
            disagrees,
        )
        return {"headline": words % {"n": f"{disagrees:,}"}, "tone": "bad"}
    if agrees and not_ended:
        words = ngettext(
            "Every observed message arrived where its route leads, but %(n)s delay has not ended.",
            "Every observed message arrived where its route leads, but %(n)s delays have not ended.",
            not_ended,
        )
        return {"headline": words % {"n": f"{not_ended:,}"}, "tone": "warn"}
    if agrees:
        return {"headline": gettext("Every observed message arrived where its route leads."), "tone": "good"}
    return {"headline": gettext("No message was seen at its next hop in this log."), "tone": "warn"}


def _waiting(run: Run) -> RunContext:
    """Conversations that waited, by cause, hour by hour."""
    by_hour = waiting(run)
    if not by_hour:
        return {}
    most = max(by_hour.values(), key=lambda one: sum(one.values()))
    shown = sorted({error for one in by_hour.values() for error in one}, key=lambda error: -most.get(error, 0))
    shown = shown[:MOST_CAUSES]
    heads = [cause_label(error) for error in shown]
    rows = [[float(one.get(error, 0)) for error in shown] for one in by_hour.values()]
    values = {head: [row[place] for row in rows] for place, head in enumerate(heads)}
    moments = [int(since.timestamp() * 1000) for since in by_hour]
    return {
        "title": gettext("Conversations that waited, by cause"),
        "figure": lines_figure(moments, (Panel(gettext("Conversations that waited, at most in the hour"), values),)),
        "heads": heads,
        "hours": list(_hours(by_hour, shown)),
        "csv": csv_of(run, "waiting"),
    }


def _hours(by_hour: dict[datetime, dict[int, int]], shown: list[int]) -> Iterator[tuple[datetime, list[int]]]:
    for since, one in reversed(by_hour.items()):
        yield since, [one.get(error, 0) for error in shown]
