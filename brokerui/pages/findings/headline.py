"""The answer of the page in one sentence: never "no problems", which no check can know."""

from __future__ import annotations

import shlex
from collections import Counter

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerui.changes.estate_view import EstateView
from brokerui.core.templatetags.look import figure
from routing.common.finding import ERROR, INFO, WARNING
from routing.lint.registry import CHECKS


def answer(counts: Counter[str]) -> str:
    """How many findings hold or lose messages, and how many may."""
    errors, warnings = counts[ERROR], counts[WARNING]
    if errors:
        sure = ngettext(
            "%(n)s finding certainly delays or loses messages",
            "%(n)s findings certainly delay or lose messages",
            errors,
        ) % {"n": figure(errors)}
        return _("%(sure)s; %(more)s more may.") % {"sure": sure, "more": figure(warnings)} if warnings else f"{sure}."
    if warnings:
        text = ngettext(
            "%(n)s finding may delay or lose messages.", "%(n)s findings may delay or lose messages.", warnings
        )
        return text % {"n": figure(warnings)}
    if counts[INFO]:
        return _("None of these %(n)s checks found anything that delays or loses messages.") % {"n": len(CHECKS)}
    return _("None of these %(n)s checks found anything.") % {"n": len(CHECKS)}


def tone(counts: Counter[str]) -> str:
    """How the card with the answer looks."""
    return "bad" if counts[ERROR] else "warn" if counts[WARNING] else ""


def command(viewed: EstateView, *, with_suppressions: bool) -> str:
    """The line that asks the same of the command line."""
    words = [".venv/bin/brokerui", "lint", viewed.file]
    words += ["--suppress", "suppressions.json"] if with_suppressions else []
    words += ["--at", viewed.as_of] if viewed.moment else []
    return shlex.join(words)
