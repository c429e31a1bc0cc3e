"""Pieces of the pages of imports: `{% load imports %}`."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.translation import gettext as _

from brokerui.analysis.effect.kinds import KindWords
from brokerui.analysis.imports.models import ImportFile, ImportRun
from brokerui.pages.imports.forms import Assigning

register = template.Library()
PLACEHOLDERS = {"address": "tcp://a:4022, tcp://b:4022", "encoding": "UTF-8, cp1251 …"}


@register.inclusion_tag("imports/_field.html")
def intake_field(form: Assigning, file: ImportFile, name: str) -> dict[str, Any]:
    """Render a cell with a field about a file, and its errors."""
    labels = {
        "instance": _("Instance of %(name)s"),
        "database": _("Database of %(name)s"),
        "encoding": _("Encoding of %(name)s"),
        "address": _("Addresses of the instance of %(name)s"),
    }
    return {
        "name": name,
        "at": file.position,
        "value": getattr(file, name),
        "label": labels[name] % {"name": file.name},
        "placeholder": PLACEHOLDERS.get(name, ""),
        "fault": form.faults.get(f"{name}-{file.position}"),
    }


@register.inclusion_tag("imports/_question.html", takes_context=True)
def intake_question(context: Any, run: ImportRun, kind: KindWords) -> dict[str, Any]:
    """A button that asks the first conversation of a kind of the estate that the files would make."""
    return {"run": run, "kind": kind, "values": kind.question.items(), "csrf_token": context.get("csrf_token")}


@register.inclusion_tag("imports/_scenario.html", takes_context=True)
def intake_scenario(context: Any, run: ImportRun) -> dict[str, Any]:
    """A button that opens that estate."""
    return {"run": run, "csrf_token": context.get("csrf_token")}
