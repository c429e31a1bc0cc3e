"""The line of effect: what a draft, or further edits of it, would do to all conversations, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils import timezone

from brokerui.analysis.effect.change import change_of
from brokerui.analysis.effect.effect import Effect, effect_shown, progress_of
from brokerui.analysis.effect.wording import EffectWords, effect_in_words
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import MAX_EDITS
from brokerui.core.jobs.models import Job
from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say
from routing.diff.result import BETTER, MOVED, WORSE
from routing.documents.edits_json import edits_from
from routing.model.estate import Edit

FIRST_S, FURTHER_S = 0.15, 0.5
"""Seconds that a request works on the effect: the first one for a change, and those that ask again."""
COUNTING, SETTLED, STOPPED = "counting", "settled", "stopped"
REFUSED, NOTHING = "refused", "nothing"
OLD_CHARS = 600


@dataclass(frozen=True)
class EffectLine:
    """The content of the line."""

    draft: SavedDraft
    state: str
    """`counting`, `settled`, `stopped` where the background job failed or was cancelled, `refused`, or `nothing` for a
    draft without edits."""
    effect: Effect | None = None
    refusal: Sentence | None = None
    edits: str = ""
    """The further edits as they were sent."""
    old: str = ""
    """The sentence that was shown before, until the new one is known."""
    job: Job | None = None
    """The background job that compares what takes longer than a request."""

    @property
    def words(self) -> EffectWords | None:
        return effect_in_words(self.effect) if self.effect and self.state == SETTLED else None

    @property
    def progress(self) -> tuple[int, int]:
        """Targets compared, and all of them: by the background job once it has begun, else by requests."""
        return progress_of(self.effect, self.job) if self.effect else (0, 0)

    @property
    def counts(self) -> dict[str, int]:
        counts = self.effect.ends.counts if self.effect else {}
        return {verdict: counts.get(verdict, 0) for verdict in (WORSE, MOVED, BETTER)}

    @property
    def is_holding(self) -> bool:
        """Whether messages wait from the change on although their outcomes stay."""
        return self.effect is not None and self.state == SETTLED and bool(self.effect.held_count)

    @property
    def total(self) -> int:
        """Kinds of conversation that the page of the effect lists first."""
        return sum(self.counts.values())

    @property
    def apart_worse(self) -> int:
        """Kinds that nobody is likely to send and that get worse."""
        return self.effect.ends.apart[WORSE] if self.effect else 0


def effect_line_of(request: HttpRequest, draft: SavedDraft) -> EffectLine:
    """Return the line for the draft as it is, or for the further edits that a request sends."""
    edits, old = request.POST.get("edits", ""), request.POST.get("old", "")[:OLD_CHARS]
    try:
        further = _edits(edits) if edits else ()
        change = change_of(draft, further)
    except Invalid as fault:
        return EffectLine(draft, REFUSED, refusal=_refusal(fault), edits=edits)
    edits = edits if further else ""
    if change.is_none:
        return EffectLine(draft, NOTHING)
    is_again = "again" in request.POST or "again" in request.GET
    seconds, at = FURTHER_S if is_again else FIRST_S, timezone.now()
    effect, job = effect_shown(change, at, seconds)
    return EffectLine(draft, _state(effect, job), effect, edits=edits, old=old, job=job)


def _state(effect: Effect, job: Job | None) -> str:
    if effect.is_settled:
        return SETTLED
    return COUNTING if job is None or job.is_open else STOPPED


def _edits(text: str) -> Sequence[Edit]:
    try:
        edits = edits_from(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        raise Invalid("edits", say("must be a JSON array")) from None
    if len(edits) > MAX_EDITS:
        raise Invalid("edits", say("has more than {limit} edits", limit=MAX_EDITS))
    return edits


def _refusal(fault: Invalid) -> Sentence:
    return say("{path}: {problem}", path=fault.path, problem=fault.problem)
