"""The bar of a draft, above every page that shows one: its state, its steps, its readers, and its views."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from brokerui.changes.presence import note_reader
from brokerui.changes.selectors import DraftInfo, draft_get
from brokerui.changes.step_wording import StepTitles, step_titles

VIEWS: tuple[tuple[Promise, str, bool], ...] = (
    (_("Map"), "map:map", False),
    (_("Table"), "routes:list", False),
    (_("T-SQL"), "changes:sql", True),
    (_("Effect"), "changes:effect", True),
)
"""Label and view; whether the number of the draft stands in its path, else in its query."""
ALSO = {"routes:list": "changes:rows"}
"""Another page of the same view."""


@dataclass(frozen=True, slots=True)
class DraftLink:
    """A view of the draft."""

    label: Promise
    url: str
    is_current: bool


@dataclass(frozen=True)
class DraftBar:
    """The draft of a page. Its parts are read by the template only."""

    info: DraftInfo
    request: HttpRequest

    @cached_property
    def titles(self) -> StepTitles:
        """Return the titles of undo and redo."""
        return step_titles(draft_get(self.info.id)) if self.info.undo or self.info.redo else StepTitles()

    @cached_property
    def others(self) -> list[str]:
        """The names of the other users who look at the draft."""
        return note_reader(self.info.id, self.request.user.get_username())

    @cached_property
    def views(self) -> list[DraftLink]:
        """The views of the draft that there are."""
        found = [self._link(label, view, in_path=in_path) for label, view, in_path in VIEWS]
        return [link for link in found if link is not None]

    @property
    def back(self) -> str:
        """Where the user is, and wants to be again after a step."""
        return self.request.get_full_path()

    def _link(self, label: Promise, view: str, *, in_path: bool) -> DraftLink | None:
        match = self.request.resolver_match
        try:
            url = reverse(view, args=[self.info.id] if in_path else [])
        except NoReverseMatch:
            return None
        query = "" if in_path else "?" + urlencode({"draft": self.info.id})
        return DraftLink(label, url + query, match is not None and match.view_name in (view, ALSO.get(view)))
