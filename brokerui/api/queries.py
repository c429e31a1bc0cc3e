"""Parameters that several resources take: which estate, which page, and why."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from brokerui.api.fields import NameField, StrictIntegerField
from brokerui.api.serializers import QuerySerializer

PAGE_ROWS: Final = 100
MAX_PAGE_ROWS: Final = 1_000
MAX_CURSOR: Final = 4_000
"""Characters. A cursor holds up to three names."""
MAX_NOTE: Final = 1_000
"""Characters of the reason for a change, in a query, a form and a body alike."""
SCENARIO_NAME: Final = 200
AS_OF: Final = 40
"""Characters of a version's number or of a moment."""
DRAFT_NUMBER: Final = 15
"""Digits of a draft's number."""


def scenario_field(**options: Any) -> NameField:
    """Return the field that names a scenario, for queries and bodies."""
    help_text = _("The scenario to ask in place of the live estate.")
    return NameField(max_length=SCENARIO_NAME, required=False, help_text=help_text, **options)


def draft_field(**options: Any) -> NameField:
    """Return the field that names a draft, for queries and bodies."""
    help_text = _("The estate with the edits of this draft (its number).")
    return NameField(max_length=DRAFT_NUMBER, required=False, help_text=help_text, **options)


class NoQuery(QuerySerializer):
    """No parameters at all."""


class EstateQuery(QuerySerializer):
    """Which estate a request is about; `estate_view_from` reads them."""

    scenario = scenario_field()
    as_of = NameField(
        max_length=AS_OF,
        help_text=_("The estate as it was in this version (its number) or at this time (ISO 8601)."),
    )
    draft = draft_field()


class PageQuery(QuerySerializer):
    """Which page of a list."""

    limit = StrictIntegerField(min_value=1, max_value=MAX_PAGE_ROWS, default=PAGE_ROWS, help_text=_("Rows of a page."))
    cursor = NameField(max_length=MAX_CURSOR, help_text=_("Where the previous page ended, as its `next` says."))


class NoteQuery(QuerySerializer):
    """The reason for a change."""

    note = NameField(max_length=MAX_NOTE, help_text=_("The reason for the change, for the history of versions."))
