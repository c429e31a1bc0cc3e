"""The forms of rules and silences: from texts to values that were checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from brokerui.analysis.alerts.models import AlertRule
from brokerui.analysis.alerts.rules import OF_CAUSES, OF_NO_INSTANCE, Rule, RuleKind
from brokerui.analysis.alerts.wording import KIND_NAMES, UNITS
from routing.common.errors import Invalid
from routing.common.finding import SEVERITIES, WARNING
from routing.common.sentence import Sentence, say

MINUTE_S: Final = 60
DIGITS: Final = 10
HOURS: Final = (1, 4, 8, 24, 72, 168, 720)
"""How long a silence may last, for the select."""


@dataclass
class RuleForm:
    """The texts of a form, and the faults by field."""

    texts: Mapping[str, str]
    faults: dict[str, Sentence] = field(default_factory=dict)

    @classmethod
    def of(cls, row: AlertRule) -> RuleForm:
        """The form of a rule as it is."""
        return cls(
            {
                "kind": row.kind,
                "threshold": str(row.threshold),
                "clear": str(row.clear),
                "hold": str(row.hold_s // MINUTE_S),
                "severity": row.severity,
                "instances": "\n".join(row.instances),
                "numbers": ", ".join(map(str, row.numbers)),
                "is_on": "on" if row.is_on else "",
                "seen_at": row.changed_at.isoformat() if row.changed_at else "",
            }
        )

    @classmethod
    def new(cls) -> RuleForm:
        """An empty form."""
        return cls({"kind": RuleKind.DEPTH, "severity": WARNING, "is_on": "on"})

    def read(self) -> Rule | None:
        """The rule; None where a field has a fault."""
        try:
            return Rule(
                kind=self._kind(),
                threshold=(threshold := self._whole("threshold", "")),
                clear=self._whole("clear", str(threshold)),
                hold_s=MINUTE_S * self._whole("hold", "0"),
                severity=self.texts.get("severity", ""),
                instances=tuple(filter(None, map(str.strip, self.texts.get("instances", "").splitlines()))),
                numbers=tuple(self._number(one) for one in self.texts.get("numbers", "").split(",") if one.strip()),
                is_on=bool(self.texts.get("is_on")),
            )
        except Invalid as fault:
            self.fault(fault)
            return None

    def fault(self, fault: Invalid) -> None:
        """Show a fault at its field."""
        self.faults["hold" if fault.path == "hold_s" else fault.path or "kind"] = fault.problem

    def _kind(self) -> RuleKind:
        try:
            return RuleKind(self.texts.get("kind", ""))
        except ValueError:
            raise Invalid("kind", say("is no kind of rule")) from None

    def _whole(self, name: str, default: str) -> int:
        text = self.texts.get(name, "").strip() or default
        return _whole(text, name)

    def _number(self, text: str) -> int:
        return _whole(text.strip(), "numbers")

    @property
    def unit(self) -> Sentence | None:
        kind = self.texts.get("kind", "")
        return UNITS[RuleKind(kind)] if kind in set(RuleKind) else None

    @property
    def has_instances(self) -> bool:
        return self.texts.get("kind", "") not in OF_NO_INSTANCE

    @property
    def has_numbers(self) -> bool:
        return self.texts.get("kind", "") in OF_CAUSES

    @property
    def kinds(self) -> list[tuple[str, Sentence, Sentence, bool]]:
        """Choices: the kind, its name, its unit, and whether it is chosen."""
        chosen = self.texts.get("kind")
        return [(kind.value, name, UNITS[kind], kind == chosen) for kind, name in KIND_NAMES.items()]

    @property
    def severities(self) -> tuple[str, ...]:
        return SEVERITIES


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise Invalid(name, say("must be a whole number"))
    return int(text)


def end_of(texts: Mapping[str, str], now: datetime) -> datetime:
    """The end of a silence that begins now. Raises `Invalid`."""
    hours = _whole(texts.get("hours", ""), "ends")
    if hours not in HOURS:
        raise Invalid("ends", say("is no duration of the list"))
    return now + timedelta(hours=hours)
