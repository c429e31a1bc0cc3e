"""The panel of a draft where nothing is selected: its last edits in words, and the findings that remain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from brokerui.analysis.lint.selectors import LintReport, findings_for
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.remedies.remedy_edits import remedy_edits
from brokerui.analysis.remedies.viewed_offers import offers_for
from brokerui.changes.edit_sql import InstanceSql, edits_as_sql
from brokerui.changes.edit_wording import edits_in_words
from brokerui.changes.estate_view import EstateView
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_edits
from brokerui.pages.changes.acts import Act
from brokerui.pages.changes.page import EditRow
from routing.common.sentence import Sentence

SHOWN = 40
"""Edits in the panel: the last ones; the page of the draft has all of them."""
FOUND = 12
"""Findings in the panel."""


@dataclass(frozen=True)
class DraftPanel:
    """The edits of a draft."""

    draft: SavedDraft

    @cached_property
    def rows(self) -> Sequence[EditRow]:
        """The last edits, in order. Those before them are applied, since their words depend on what they meet."""
        edits = draft_edits(self.draft)
        first = max(0, len(edits) - SHOWN)
        words = islice(edits_in_words(draft_base(self.draft).estate, edits), first, None)
        return [EditRow(index, kind, says) for index, (kind, says) in enumerate(words, first)]

    @property
    def earlier(self) -> int:
        """Edits before those that are shown."""
        return self.draft.edit_count - len(self.rows)


@dataclass(frozen=True, slots=True)
class RemainingFinding:
    """A finding that remains in a draft, with the act that mends it, if there is one."""

    finding: StoredFinding
    act: Act | None
    says: tuple[Sentence, ...]


def mendings(viewed: EstateView, label: str) -> tuple[list[RemainingFinding], LintReport]:
    """Return the worst findings of the estate of a draft, each with its tried remedy as edits, and the report."""
    report, offer, at = findings_for(viewed), offers_for(viewed), viewed.at()
    found = []
    for finding in report.findings[:FOUND]:
        tried = offer(finding)
        edits = remedy_edits(viewed.estate, finding.instance, tried.sql, at) if tried.sql and finding.instance else ()
        act = Act(label, edits, finding.object or finding.instance or "") if edits else None
        found.append(RemainingFinding(finding, act, tried.says))
    return found, report


def sql_of_edit(draft: SavedDraft, index: int, viewed: EstateView) -> tuple[InstanceSql, ...]:
    """Return one edit of a draft as T-SQL. Raises IndexError for none."""
    edits = draft_edits(draft)
    if index >= len(edits):
        raise IndexError(index)
    before = draft_base(draft).estate.edited(edits[:index])
    return edits_as_sql(before, edits[index : index + 1], viewed.at())
