"""The page *Overview*: causes that need a person, faults that will, charts, the real servers, and the checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from brokerui.accounts.levels import UserAccess
from brokerui.analysis.monitoring.spans import LONG_SPANS, Span, span_of
from brokerui.analysis.monitoring.wording import age_now
from brokerui.analysis.overview.forthcoming import MOST, codes_of
from brokerui.analysis.overview.overview import Overview, overview_now
from brokerui.drawing.charts.cards import VersionMark
from brokerui.estate.selectors import version_list
from brokerui.messaging.clock import now
from brokerui.pages.overview.cards import COLUMNS, DEPTHS, cards_of, csv_rows, span_links
from brokerui.pages.overview.quiet import quiet_context
from brokerui.pages.overview.steps import forthcoming_step, with_step
from routing.common.moment import to_milliseconds

SERVERS: Final = 10
"""Real servers that are shown: those that hold messages, and those that were read longest ago."""
SPANS: Final[Mapping[str, str]] = {"1h": "1 h", "6h": "6 h", "24h": "24 h", "7d": "7 d", "30d": "30 d"}


def page_context(query: Mapping[str, str], access: UserAccess) -> dict[str, Any]:
    """For the templates: everything of one moment."""
    found, span = overview_now(), span_of(query.get("span", ""), LONG_SPANS)
    mark = _mark()
    cards = cards_of(found, span, mark) if found.hosted else []
    return {
        "found": found,
        "headline": headline(found),
        "lead": lead(found),
        "is_quiet": not found.ranked and not found.forthcoming,
        "entries": [with_step(entry, access) for entry in found.entries],
        "more": len(found.ranked) - len(found.entries),
        **quiet_context(found),
        "lines": [forthcoming_step(line) for line in found.forthcoming],
        "more_codes": max(0, len(codes_of(found.report)) - MOST),
        "checks": found.checks,
        "servers": found.servers[:SERVERS],
        "more_servers": max(0, len(found.servers) - SERVERS),
        "stale_servers": sum(server.is_stale for server in found.servers),
        "span": span,
        "spans": [(SPANS[one.name], *rest, one.label) for one, *rest in span_links(LONG_SPANS, span)],
        "cards": cards,
        "mark": mark,
        "shape": _shape(found, cards),
        "others": (
            ("overview-head", "overview/_head.html"),
            ("overview-below", "overview/_below.html"),
            ("overview-checks", "overview/_checks.html"),
        ),
    }


def _shape(found: Overview, cards: object) -> str:
    """The parts of the page: a page that was loaded with other ones is loaded anew."""
    if found.is_empty:
        return "empty"
    return "charts" if cards else "words"


def _mark() -> VersionMark | None:
    """When the live version was applied."""
    newest = version_list(limit=1)
    if not newest:
        return None
    text = gettext("version %(n)s") % {"n": newest[0].number}
    return VersionMark(to_milliseconds(newest[0].created_at), text)


def headline(found: Overview) -> str:
    """The answer in one sentence."""
    if found.is_empty:
        return gettext("No instance is known yet")
    if found.causes:
        causes = found.totals.causes
        number = found.totals.messages
        messages = ngettext("%(n)s message", "%(n)s messages", number) % {"n": f"{number:,}"}
        text = ngettext("%(n)s cause holds back %(messages)s", "%(n)s causes hold back %(messages)s", causes)
        return text % {"n": f"{causes:,}", "messages": messages}
    if found.ranked:
        text = ngettext(
            "Real servers logged %(n)s error; no message is known to be held back",
            "Real servers logged %(n)s errors; no message is known to be held back",
            len(found.ranked),
        )
        return text % {"n": f"{len(found.ranked):,}"}
    if found.failed:
        text = ngettext(
            "No message is held back; %(failed)s of %(n)s checks failed",
            "No message is held back; %(failed)s of %(n)s checks failed",
            found.failed,
        )
        return text % {"failed": found.failed, "n": len(found.checks)}
    return gettext("None of %(n)s checks failed") % {"n": len(found.checks) - found.unknown}


def lead(found: Overview) -> str:
    """Return the sentences below the headline."""
    if found.is_empty:
        return ""
    parts = [_oldest(found), _remedies(found), _logged(found)] if found.causes else [_looked(found)]
    if found.unknown:
        text = ngettext("%(n)s check could not be made now.", "%(n)s checks could not be made now.", found.unknown)
        parts.append(text % {"n": found.unknown})
    return " ".join(filter(None, parts))


def _oldest(found: Overview) -> str:
    oldest = found.totals.oldest
    if oldest is None:
        return ""
    return gettext("The oldest waits %(age)s, in %(place)s.") % {
        "age": age_now((oldest.oldest_s or 0) * 1000),
        "place": oldest.place,
    }


def _logged(found: Overview) -> str:
    """Name the rows of the list that the headline does not count."""
    number = len(found.ranked) - len(found.causes)
    if number <= 0:
        return ""
    text = ngettext("Real servers logged %(n)s more error.", "Real servers logged %(n)s more errors.", number)
    return text % {"n": f"{number:,}"}


def _remedies(found: Overview) -> str:
    mended = sum(entry.remedy is not None for entry in found.entries)
    text = ngettext("For %(n)s of them a remedy is ready.", "For %(n)s of them remedies are ready.", mended)
    return text % {"n": mended} if mended else ""


def _looked(found: Overview) -> str:
    hosted, servers = len(found.hosted), len(found.servers)
    here = ngettext("%(n)s instance that runs here", "%(n)s instances that run here", hosted) % {"n": f"{hosted:,}"}
    real = ngettext("%(n)s real server", "%(n)s real servers", servers) % {"n": f"{servers:,}"}
    return gettext("Looked at: %(hosted)s and %(servers)s.") % {"hosted": here, "servers": real}


# -- Files -------------------------------------------------------------------------------------------------

CSV_COLUMNS = (*COLUMNS, *DEPTHS)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """The counts behind the charts."""
    span: Span = span_of(query.get("span", ""), LONG_SPANS)
    return iter(csv_rows(span, now()))
