"""The page of an act on several rows: shows first what would be done, and then the result of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

CONFIRMED: Final = "confirmed"
"""The name of the button that acts."""


@dataclass(frozen=True, slots=True)
class BulkRow:
    """One row."""

    name: str
    cells: Sequence[object]
    """Numbers are aligned as such."""
    value: str
    """The value of its hidden field."""
    refusal: str = ""
    """Why it is refused; empty: it is not."""
    done: str = ""
    """The result in words; empty: nothing was done yet, or it was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPage:
    """Everything of the page."""

    title: str
    lead: str
    heading: str
    heads: Sequence[str]
    rows: Sequence[BulkRow]
    field_name: str
    """The name of the hidden field of each row."""
    button: str = ""
    """The label of the button that acts; empty: there is nothing to do, or it was done."""
    is_done: bool = False
    left_out: str = ""
    """How many are left out, in a sentence."""
    nothing: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    """Further values for the template."""

    @property
    def labelled(self) -> list[tuple[BulkRow, list[tuple[str, object, bool]]]]:
        """Each row with its cells: the head of each, its value, and whether it is a number."""
        heads = self.heads[1:]
        return [
            (row, [(head, cell, isinstance(cell, int)) for head, cell in zip(heads, row.cells, strict=True)])
            for row in self.rows
        ]

    @property
    def has_results(self) -> bool:
        return self.is_done or any(row.refusal for row in self.rows)


def bulk_page(request: HttpRequest, page: BulkPage, template: str = "delayed/bulk.html") -> HttpResponse:
    """Answer with the page."""
    return render(request, template, {"bulk": page, **page.more})


def results_title(accepted: str, refused: int) -> str:
    """Return the results in one sentence; `accepted` says how many were."""
    return (
        _("%(accepted)s, %(refused)s refused") % {"accepted": accepted, "refused": f"{refused:,}"}
        if refused
        else (accepted)
    )


def left_out_words(left_out: int) -> str:
    """Return how many rows another request has to do; empty: none."""
    text = ngettext("%(n)s more is left for another time.", "%(n)s more are left for another time.", left_out)
    return text % {"n": f"{left_out:,}"} if left_out else ""
