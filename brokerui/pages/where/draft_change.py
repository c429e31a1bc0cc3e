"""The answer of a draft beside that of the version which the draft was made on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from brokerui.analysis.explanations.turns import ends_at
from brokerui.analysis.explanations.wording import Wording, word
from brokerui.changes.estate_view import EstateView, base_view_of
from routing.common.sentence import Sentence
from routing.diff.result import Outcomes, verdict_of_change
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import explain


@dataclass(frozen=True, slots=True)
class ChangeByDraft:
    """The change of one conversation by the edits of a draft."""

    base: EstateView
    before: Outcomes
    """In the base; empty where the conversation could not begin there."""
    after: Outcomes
    back: tuple[Sentence, ...] | None
    """The words of the base about the way back, where they differ from those of the draft; None where they do not."""

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `moved`; empty where messages end as before."""
        return verdict_of_change(self.before, self.after) if self.before != self.after else ""


def change_by_draft(view: EstateView, conversation: Conversation, words: Wording, at: datetime) -> ChangeByDraft | None:
    """Compare the answer, in these words, with that of the base; None where the page shows no draft."""
    base = base_view_of(view)
    if base is None:
        return None
    before, after = (ends_at(one.estate, conversation, at) for one in (base, view))
    back = _back(base.estate, conversation, at) if before else ()
    return ChangeByDraft(base, before, after, None if back == words.headline.back else back)


def _back(estate: Estate, conversation: Conversation, at: datetime) -> tuple[Sentence, ...]:
    return word(explain(estate, conversation, at), estate).headline.back
