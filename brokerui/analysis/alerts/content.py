"""The message about alerts: as JSON for programs, and from it as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, ngettext

from brokerui.analysis.alerts.models import Alert
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.wording import NEXT_STEPS, figure_words
from brokerui.core.moments import moment_words
from brokerui.core.sentence_json import sentence_from_json
from routing.common.moment import format_moment
from routing.common.sentence import say, translator

translate = translator(gettext, ngettext)


def content_of(rows: Sequence[Alert]) -> dict[str, Any]:
    """Return the message about these alerts: open ones, and those that are over."""
    return {"is_test": False, "site": settings.SITE_URL, "alerts": [_alert(row) for row in rows]}


def content_of_test(author: str) -> dict[str, Any]:
    """Return the message of a test."""
    sentence = say("A test of this channel by {author}. No alert is open because of it.", author=author)
    return {"is_test": True, "site": settings.SITE_URL, "alerts": [], "sentence": sentence.render(translate)}


def _alert(row: Alert) -> dict[str, Any]:
    url = f"{settings.SITE_URL}{row.page}"
    return {
        "number": row.pk,
        "event": "opened" if row.closed_at is None else "closed",
        "kind": row.kind,
        "severity": row.severity,
        "alert": sentence_from_json(row.heading).render(translate),
        "instance": row.instance or None,
        "database": row.database or None,
        "since": format_moment(row.since),
        "closed_at": None if row.closed_at is None else format_moment(row.closed_at),
        "sentence": _sentence(row, url),
        "url": url,
    }


def _sentence(row: Alert, url: str) -> str:
    """Name the fault with its place, since when, the next step, and the page."""
    kind, heading = RuleKind(row.kind), sentence_from_json(row.heading)
    values = {"alert": heading, "since": moment_words(row.since)}
    if row.closed_at is not None:
        over = say("Over: {alert}, from {since} to {end}.", **values, end=moment_words(row.closed_at))
        return over.render(translate)
    figure, step = figure_words(kind, row.figure), NEXT_STEPS[kind]
    words = say("{alert}, since {since}: {figure}. {step} {url}", **values, figure=figure, step=step, url=url)
    return words.render(translate)


def text_of(content: dict[str, Any]) -> str:
    """The message as lines of text."""
    return "\n\n".join([one["sentence"] for one in content["alerts"]] or [content["sentence"]]) + "\n"


def subject_of(content: dict[str, Any]) -> str:
    """The subject of an e-mail: the only alert, or how many there are."""
    alerts = content["alerts"]
    if not alerts:
        return gettext("BrokerUI: a test")
    first = " ".join(alerts[0]["alert"].split())[:150]
    if len(alerts) == 1:
        return f"BrokerUI: {first}" if alerts[0]["event"] == "opened" else f"BrokerUI: {gettext('over')}: {first}"
    return f"BrokerUI: {ngettext('%(n)s alert', '%(n)s alerts', len(alerts)) % {'n': len(alerts)}}"
