"""The content of the page of a review: edits and T-SQL for each server, comments, and the steps that may follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.utils import timezone

from brokerui.analysis.effect.change import change_of, change_of_rollback
from brokerui.analysis.effect.consent import SavePreview, save_preview
from brokerui.analysis.routing_tests.selectors import KeptTestResult, failed_of, kept_results
from brokerui.changes.deployment import ServerStep, deployment
from brokerui.changes.edit_sql import instance_of
from brokerui.changes.edit_wording import edits_in_words
from brokerui.changes.models import PENDING, DraftState, ReviewAction, ReviewEntry, SavedDraft
from brokerui.changes.rebasing import rebase_trial
from brokerui.changes.review import BY_ANOTHER, NO_APPROVAL
from brokerui.changes.review_wording import object_name, object_text
from brokerui.changes.rolling_back import RollbackPlan, rollback_plan
from brokerui.changes.selectors import DraftInfo, draft_base, draft_edits, draft_estate, draft_info
from brokerui.pages.changes.page import EditRow
from routing.model.merging import Merge

SHOWN_EDITS = 200
"""Edits of one server that the page lists; the T-SQL has all of them."""
COUNTING_S = 0.5
"""Seconds that the page counts what gets worse; the line of effect goes on counting."""
SHOWN_TESTS = 50
"""Failed routing tests that the page lists."""
WORDS, SQL, BOTH = "words", "sql", "both"


@dataclass(frozen=True, slots=True)
class ReviewedEdit:
    """An edit with its comments."""

    row: EditRow
    comments: tuple[ReviewEntry, ...]


@dataclass(frozen=True, slots=True)
class ReviewedServer:
    """A server with the edits that concern it."""

    number: int
    step: ServerStep
    edits: tuple[ReviewedEdit, ...]
    more: int
    """Edits that are not listed."""


@dataclass(frozen=True)
class ReviewPage:
    """A draft under review."""

    draft: SavedDraft
    reader: str
    shown: str = BOTH
    refused: SavePreview | None = None
    """The effect for which an apply or a rollback was refused: nobody had confirmed it."""

    @cached_property
    def info(self) -> DraftInfo:
        return draft_info(self.draft)

    @cached_property
    def entries(self) -> tuple[ReviewEntry, ...]:
        return tuple(self.draft.review.all())

    @property
    def history(self) -> list[ReviewEntry]:
        """The steps and comments, but for comments at an edit."""
        return [entry for entry in self.entries if entry.edit is None]

    @cached_property
    def submission(self) -> ReviewEntry | None:
        """The last time that somebody asked for a review."""
        return next((one for one in reversed(self.entries) if one.action == ReviewAction.SUBMIT), None)

    @cached_property
    def servers(self) -> list[ReviewedServer]:
        """The servers in the order in which their T-SQL is to be run, with their edits."""
        edits = self._edits_by_instance
        steps = deployment(self.draft, timezone.now())
        return [_server(number, step, edits[step.instance]) for number, step in enumerate(steps, 1)]

    @property
    def is_tried(self) -> bool:
        """Whether the order was tried out."""
        return all(server.step.harm is not None for server in self.servers)

    @property
    def is_safe(self) -> bool:
        """Whether no step makes a conversation worse than both before and after all of them."""
        return all(server.step.harm is not None and not server.step.harm.count for server in self.servers)

    @cached_property
    def tests(self) -> list[KeptTestResult]:
        """The routing tests of the live estate, judged with the edits."""
        return kept_results(draft_estate(self.draft).estate, timezone.now())

    @cached_property
    def failed_tests(self) -> list[KeptTestResult]:
        return [result for result in self.tests if not result.passed]

    @property
    def shown_tests(self) -> list[KeptTestResult]:
        return self.failed_tests[:SHOWN_TESTS]

    @property
    def more_tests(self) -> int:
        """Failed tests that the page does not list."""
        return max(0, len(self.failed_tests) - SHOWN_TESTS)

    @cached_property
    def failed_before(self) -> int:
        """The number of failed tests that fail without the edits as well."""
        return failed_of(self.failed_tests, draft_base(self.draft).estate, timezone.now())

    @cached_property
    def general(self) -> tuple[ReviewedEdit, ...]:
        """Edits that concern no server of their own."""
        return tuple(self._edits_by_instance[None])

    @cached_property
    def _edits_by_instance(self) -> Mapping[str | None, list[ReviewedEdit]]:
        edits = draft_edits(self.draft)
        comments = _by_edit(self.entries)
        found: defaultdict[str | None, list[ReviewedEdit]] = defaultdict(list)
        words = edits_in_words(draft_base(self.draft).estate, edits)
        for index, (edit, (kind, says)) in enumerate(zip(edits, words, strict=True)):
            found[instance_of(edit)].append(ReviewedEdit(EditRow(index, kind, says), comments.get(index, ())))
        return found

    @property
    def observed(self) -> list[str]:
        """Instances on which nothing changes until somebody runs T-SQL there."""
        return [server.step.instance for server in self.servers if not server.step.is_hosted]

    @property
    def hosted(self) -> list[str]:
        return [server.step.instance for server in self.servers if server.step.is_hosted]

    # -------------------------------------------------------------------------------------------- what may be done
    @property
    def is_pending(self) -> bool:
        return self.draft.state in PENDING

    @property
    def may_submit(self) -> bool:
        return self.draft.state == DraftState.DRAFT and self.draft.edit_count > 0

    @property
    def may_decide(self) -> bool:
        """Whether the reader may approve: a setting keeps authors from approving their own edits."""
        return self.draft.state == DraftState.SUBMITTED and not self.is_own

    @cached_property
    def is_own(self) -> bool:
        """Whether the reader wrote edits of it, and must not approve it."""
        authors = {self.draft.author, *self.draft.steps.values_list("author", flat=True)}
        return settings.CHANGES_APPROVAL == BY_ANOTHER and self.reader in authors

    @property
    def needs_approval(self) -> bool:
        return settings.CHANGES_APPROVAL != NO_APPROVAL and self.draft.state != DraftState.APPROVED

    @property
    def may_apply(self) -> bool:
        states = (DraftState.DRAFT, DraftState.SUBMITTED, DraftState.APPROVED)
        return (
            self.draft.state in states
            and self.draft.edit_count > 0
            and not self.needs_approval
            and not self.info.is_stale
        )

    @cached_property
    def save(self) -> SavePreview:
        """The effect of applying it, with the token to confirm."""
        return self.refused or save_preview(change_of(self.draft), timezone.now(), COUNTING_S)

    @cached_property
    def rollback_save(self) -> SavePreview | None:
        """The effect of rolling it back; None where it cannot be rolled back."""
        if self.rollback is None or not self.rollback.is_possible:
            return None
        change = change_of_rollback(self.draft.pk, self.rollback)
        return self.refused or save_preview(change, timezone.now(), COUNTING_S)

    @property
    def waits_for_confirmation(self) -> bool:
        return self.draft.state == DraftState.APPLIED and self.draft.confirm_by is not None

    @cached_property
    def rebase(self) -> Merge | None:
        """Return the result of a rebase; None: there is nothing to rebase."""
        return rebase_trial(self.draft) if self.info.is_stale else None

    @property
    def conflicts(self) -> list[dict[str, str]]:
        """The objects that both changed, with their values in the three estates."""
        found = self.rebase.conflicts if self.rebase else ()
        return [
            {
                "object": object_name(one.key),
                "base": object_text(one.base),
                "live": object_text(one.ours),
                "draft": object_text(one.theirs),
            }
            for one in found[:SHOWN_EDITS]
        ]

    @cached_property
    def rollback(self) -> RollbackPlan | None:
        """Return the edits of a rollback; None: the draft is not applied, or not any more."""
        is_applied = self.draft.state in (DraftState.APPLIED, DraftState.CONFIRMED)
        return rollback_plan(self.draft) if is_applied else None


def _server(number: int, step: ServerStep, edits: list[ReviewedEdit]) -> ReviewedServer:
    return ReviewedServer(number, step, tuple(edits[:SHOWN_EDITS]), max(0, len(edits) - SHOWN_EDITS))


def _by_edit(entries: Iterable[ReviewEntry]) -> dict[int, tuple[ReviewEntry, ...]]:
    found: dict[int, tuple[ReviewEntry, ...]] = {}
    for entry in entries:
        if entry.edit is not None:
            found[entry.edit] = (*found.get(entry.edit, ()), entry)
    return found
