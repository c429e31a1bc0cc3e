"""A field of a form of a draft, with all that is said about its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.pages.changes.connect import PLACE, TARGET, Connecting
from brokerui.pages.changes.route_facts import Fact, FieldChoice
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say


@dataclass(frozen=True, slots=True)
class EditField:
    """One field with all that is said about its value."""

    name: str
    label: Promise
    placeholder: Promise | str
    value: str
    is_fixed: bool = False
    """A row keeps its name."""
    is_first: bool = False
    """Whether the form begins at this field, though fields before it are filled in."""
    faults: Sequence[str | Sentence] = ()
    findings: Sequence[Finding] = ()
    fact: Fact | None = None
    choices: Sequence[FieldChoice] = ()
    offers: Sentence | None = None
    """How much there is to choose from."""


def connect_fields(connecting: Connecting) -> list[EditField]:
    """The fields of the first step of a route without a mouse."""
    faults = connecting.faults if connecting.is_filled else {}
    return [
        EditField(
            name=name,
            label=label,
            placeholder=example,
            value=value,
            is_first=name == TARGET and bool(connecting.place),
            faults=(faults[name],) if name in faults else (),
            choices=choices,
            offers=say("{count} to choose from", count=len(choices)),
        )
        for name, label, example, value, choices in (
            (PLACE, _("From the database"), "instance/database", connecting.place, connecting.places),
            (TARGET, _("To"), _("instance, LOCAL or tcp://HOST:PORT"), connecting.target, connecting.targets),
        )
    ]
