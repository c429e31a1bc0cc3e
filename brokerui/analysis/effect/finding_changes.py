"""The findings that a draft brings, and those that it mends."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.changes.estate_view import EstateView
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate, draft_get, draft_info
from routing.common.finding import ERROR


@dataclass(frozen=True, slots=True)
class FindingChanges:
    """Findings of one of two estates alone, worst first."""

    new: tuple[StoredFinding, ...] = ()
    gone: tuple[StoredFinding, ...] = ()

    @property
    def new_errors(self) -> int:
        return sum(finding.severity == ERROR for finding in self.new)


def finding_changes(draft: SavedDraft) -> FindingChanges | None:
    """Compare the findings of a draft with those of its base; None while a worker looks one of them over."""
    return finding_changes_between(*views_of(draft))


def finding_changes_in(viewed: EstateView) -> FindingChanges | None:
    """Compare the findings of the draft that a page shows with those of its base; None where it shows no draft."""
    return finding_changes(draft_get(viewed.draft.id)) if viewed.draft is not None else None


def finding_changes_between(*views: EstateView) -> FindingChanges | None:
    """Compare the findings of two estates; None while a worker looks one of them over."""
    before, after = (findings_for(view) for view in views)
    if not before.is_there or not after.is_there:
        return None
    old, new = ({_key(one): one for one in report.findings} for report in (before, after))
    return FindingChanges(
        tuple(one for key, one in new.items() if key not in old),
        tuple(one for key, one in old.items() if key not in new),
    )


def views_of(draft: SavedDraft) -> tuple[EstateView, EstateView]:
    """Return the version that a draft was made on, and the estate that it makes."""
    base, made = draft_base(draft), draft_estate(draft)
    as_of = str(base.version) if base.version else ""
    return (
        EstateView(base.estate, base.digest, version=base.version, as_of=as_of),
        EstateView(made.estate, made.digest, version=made.version, draft=draft_info(draft)),
    )


def _key(finding: StoredFinding) -> tuple[str | None, ...]:
    return finding.code, finding.severity, finding.instance, finding.database, finding.object
