"""The content of the page of one draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from brokerui.changes.edit_wording import edits_in_words
from brokerui.changes.estate_view import EstateView
from brokerui.changes.marks import DraftMarks, marks_of
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import DraftInfo, draft_base, draft_edits, draft_estate, draft_info
from brokerui.changes.splice import Edits
from brokerui.core.paging import Page
from routing.common.sentence import Sentence

VIEWS: tuple[tuple[Promise, str], ...] = (
    (_("Map"), "map:map"),
    (_("Where does it go?"), "where:where"),
    (_("Reachability"), "reachability:matrix"),
    (_("Flow"), "flow:flow"),
    (_("Routes"), "routes:list"),
    (_("Findings"), "findings:list"),
)
"""Pages that show the estate of a draft."""
NAMES: dict[str, Promise] = {
    "added": _("added"),
    "altered": _("altered"),
    "dropped": _("dropped"),
    "switched": _("switched"),
}


@dataclass(frozen=True, slots=True)
class EditRow:
    """An edit of the draft in words."""

    index: int
    kind: str
    """`added`, `altered`, `dropped` or `switched`."""
    says: Sentence

    @property
    def word(self) -> Promise:
        return NAMES[self.kind]

    @property
    def number(self) -> int:
        return self.index + 1


@dataclass(frozen=True)
class DraftPage:
    """One draft: its edits in words, what they come to, and where its estate is looked at."""

    draft: SavedDraft
    page_number: int

    @cached_property
    def info(self) -> DraftInfo:
        return draft_info(self.draft)

    @cached_property
    def edits(self) -> Page[int]:
        """The numbers of the edits, a page at a time."""
        return Page.of(range(self.draft.edit_count), self.page_number)

    @cached_property
    def rows(self) -> Sequence[EditRow]:
        """The edits of the page. Those before them are applied, since their words depend on what they meet."""
        shown, edits = self.edits.shown, draft_edits(self.draft)
        if not shown:
            return ()
        words = islice(edits_in_words(draft_base(self.draft).estate, edits[: shown[-1] + 1]), shown[0], None)
        return [EditRow(index, kind, says) for index, (kind, says) in zip(shown, words, strict=True)]

    @property
    def before(self) -> str:
        """The query of the page before; empty where there is none."""
        return urlencode({"page": self.edits.before}) if self.edits.before else ""

    @property
    def after(self) -> str:
        return urlencode({"page": self.edits.after}) if self.edits.after else ""

    @cached_property
    def marks(self) -> DraftMarks | None:
        edited = draft_estate(self.draft)
        return marks_of(EstateView(edited.estate, edited.digest, version=edited.version, draft=self.info))

    @property
    def changes_hop_limit(self) -> bool:
        """Whether the limit of hops, which belongs to no instance, is another one than in the base."""
        return draft_base(self.draft).estate.hop_limit != draft_estate(self.draft).estate.hop_limit

    @property
    def changes(self) -> list[tuple[Promise, int]]:
        """How many instances, databases and routes differ from the base."""
        counts = self.marks.counts() if self.marks else {}
        return [(NAMES[kind], counts[kind]) for kind in ("added", "altered", "dropped") if counts.get(kind)]

    @property
    def links(self) -> list[tuple[Promise, str]]:
        query = urlencode({"draft": self.draft.id})
        return [(label, f"{reverse(view)}?{query}") for label, view in VIEWS]

    @property
    def document_url(self) -> str:
        return f"{reverse('estate:document')}?{urlencode({'draft': self.draft.id})}"


def without(edits: Edits, index: int) -> Edits:
    """Return the edits but for one."""
    return edits[:index] + edits[index + 1 :]
