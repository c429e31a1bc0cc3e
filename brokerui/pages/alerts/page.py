"""Contents of the page: one sentence, open alerts, rules, channels, silences, history; all of one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from brokerui.analysis.alerts.announcing import Quiet, is_silenced
from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery
from brokerui.analysis.alerts.models import Alert, AlertRule, AlertSilence
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.selectors import (
    alerts_open,
    alerts_over,
    announced_of,
    channels_all,
    last_deliveries,
    quiets_of,
    rules_all,
    silences_now,
)
from brokerui.analysis.alerts.services import rule_of
from brokerui.analysis.alerts.wording import KIND_NAMES, NEXT_STEPS, figure_words, rule_sentence
from brokerui.core.sentence_json import sentence_from_json
from brokerui.pages.shell.columns import Column, Table
from routing.common.finding import SEVERITIES
from routing.common.sentence import Sentence, translator

translate = translator(gettext, ngettext)
SHOWN_OPEN: Final = 100
SHOWN_OVER: Final = 50


@dataclass(frozen=True, slots=True)
class AlertRow:
    """An alert in words."""

    alert: Alert
    heading: Sentence
    figure: Sentence
    peak: Sentence | None
    """The worst figure, where it is another one."""
    step: Sentence
    is_silenced: bool = False

    @classmethod
    def of(cls, alert: Alert, quiets: Iterable[Quiet], now: datetime) -> AlertRow:
        """The row of an alert."""
        kind = RuleKind(alert.kind)
        figure, peak = figure_words(kind, alert.figure), figure_words(kind, alert.peak)
        silenced = is_silenced(announced_of(alert), quiets, now)
        heading = sentence_from_json(alert.heading)
        return cls(alert, heading, figure, None if peak == figure else peak, NEXT_STEPS[kind], silenced)


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule in words."""

    rule: AlertRule
    name: Sentence
    sentence: Sentence
    open: int
    """Alerts that are open because of it."""


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A channel with its last message."""

    channel: AlertChannel
    last: AlertDelivery | None

    @property
    def problem(self) -> Sentence | None:
        """The failure of the last message; None: there is none."""
        return sentence_from_json(self.last.error) if self.last is not None and self.last.error else None


@dataclass(frozen=True, slots=True)
class SilenceRow:
    """A silence in words."""

    silence: AlertSilence
    covers: str


HISTORY: Final[Table[Alert]] = Table(
    Column("ended", gettext_lazy("End"), lambda one: one.closed_at),
    Column("began", gettext_lazy("Beginning"), lambda one: one.since),
    Column("severity", gettext_lazy("Severity"), lambda one: SEVERITIES.index(one.severity)),
)
"""Orders of the history; figures of different rules cannot be compared."""


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates. The number of queries does not depend on how many alerts there are."""
    at, history = timezone.now(), HISTORY.read(query)
    over = alerts_over(history.sort or "-ended", SHOWN_OVER + 1)
    silences, found = silences_now(at), list(alerts_open())
    quiets = quiets_of(silences)
    rows = [AlertRow.of(one, quiets, at) for one in sorted(found, key=_worst_first)[:SHOWN_OPEN]]
    rules, last = rules_all(), last_deliveries()
    return {
        "headline": headline(found, rules),
        "tone": _tone(found, rules),
        "rows": rows,
        "more": len(found) - len(rows),
        "rules": list(_rules(rules, found)),
        "channels": [ChannelRow(one, last.get(one.pk)) for one in channels_all()],
        "silences": [SilenceRow(one, covers(one)) for one in silences],
        "over": [AlertRow.of(one, (), at) for one in over[:SHOWN_OVER]],
        "shown_over": SHOWN_OVER if len(over) > SHOWN_OVER else 0,
        "history": history,
        "keep_days": settings.ALERTS_KEEP_DAYS,
    }


def headline(found: list[Alert], rules: list[AlertRule]) -> str:
    """The answer in one sentence."""
    if found:
        errors = sum(one.severity == SEVERITIES[0] for one in found)
        words = ngettext("%(n)s alert is open", "%(n)s alerts are open", len(found)) % {"n": f"{len(found):,}"}
        if not errors:
            return f"{words}."
        severe = ngettext("%(n)s of severity error", "%(n)s of severity error", errors) % {"n": f"{errors:,}"}
        return f"{words}, {severe}."
    looks = [rule.evaluated_at for rule in rules if rule.is_on]
    if not looks:
        return gettext("No rule is on: nothing is watched.")
    if None in looks:
        return gettext("No alert is open; some rules were never evaluated.")
    words = ngettext(
        "No alert is open: %(n)s rule was evaluated.", "No alert is open: %(n)s rules were evaluated.", len(looks)
    )
    return words % {"n": len(looks)}


def _tone(found: list[Alert], rules: list[AlertRule]) -> str:
    if any(one.severity == SEVERITIES[0] for one in found):
        return "bad"
    is_watched = all(rule.evaluated_at for rule in rules if rule.is_on) and any(rule.is_on for rule in rules)
    return "good" if is_watched and not found else "warn"


def _worst_first(one: Alert) -> tuple[object, ...]:
    return SEVERITIES.index(one.severity), -(one.opened_at or one.since).timestamp(), one.pk


def _rules(rules: list[AlertRule], found: list[Alert]) -> Iterable[RuleRow]:
    by_rule = sorted(one.rule_id or 0 for one in found)
    counts = {key: len(list(some)) for key, some in groupby(by_rule)}
    for row in rules:
        yield RuleRow(row, KIND_NAMES[RuleKind(row.kind)], rule_sentence(rule_of(row)), counts.get(row.pk, 0))


def covers(row: AlertSilence) -> str:
    """The alerts that a silence is about."""
    rule = KIND_NAMES[RuleKind(row.rule.kind)].render(translate) if row.rule is not None else gettext("Every rule")
    parts = [rule, row.instance or gettext("every instance"), row.key]
    return ", ".join(part for part in parts if part)
