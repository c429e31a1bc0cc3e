"""Remedies for one conversation: what would have it delivered, or its acknowledgements come home, each one tried.

Candidates follow from where the rules stop: a route to where the service is, a broker or forwarding switched on, an
identifier corrected; where the routes deliver, from what holds messages all the same: a queue or an endpoint that is
off. Those that lint proposes on the way are tried beside them. Only what mends the conversation stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from routing.common.finding import Finding
from routing.common.sentence import Sentence
from routing.lint.obstacles import obstacles
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.remedies.candidates import Candidate, candidates
from routing.rules.decision import DELIVERED, EXITS, Outcome
from routing.rules.explanation import Explanation, explain
from routing.rules.journey import outcomes
from routing.rules.verdict import goodness

MAX_TRIED, MAX_KEPT = 8, 3
"""Remedies of one conversation that are tried, of findings and of candidates each, and remedies that are kept."""


@dataclass(frozen=True, slots=True)
class ConversationRemedy:
    """T-SQL that mends a conversation, and where it ends with it."""

    instance: str
    """On which it is to run."""
    sql: str
    after: tuple[Outcome, ...]
    """The outcomes of the conversation with it."""
    ways_back: int
    """How many more ways of acknowledgements and replies arrive with it; 0 if it mends the way forth."""
    estate: Estate
    """The estate with it."""
    finding: Finding | None = None
    """The finding whose remedy it is."""
    unblocks: bool = False
    """True if the routes deliver without it, and it takes away what holds the messages all the same."""
    left: tuple[Sentence, ...] = ()
    """The obstacles that remain with it."""

    @property
    def delivers(self) -> bool:
        """True if every outcome is delivered then."""
        return all(end.kind == DELIVERED for end in self.after)

    @property
    def is_way_back(self) -> bool:
        """True if the conversation is delivered without it, and its acknowledgements and replies come home with it."""
        return self.ways_back > 0


def conversation_remedies(
    explanation: Explanation, estate: Estate, found: Iterable[Finding] = ()
) -> tuple[ConversationRemedy, ...]:
    """The remedies that mend it, those of the way forth before those of the way back; the best first."""
    distinct: dict[tuple[str, str], Candidate] = {}
    proposed = islice(_proposed(found), MAX_TRIED)
    held = _of_obstacles(explanation, estate)
    for candidate in (*proposed, *held, *islice(_candidates(explanation, estate), MAX_TRIED)):
        distinct.setdefault((candidate.instance, candidate.sql), candidate)
    tried = (_tried(one, explanation, estate) for one in distinct.values())
    kept = [remedy for remedy in tried if remedy is not None]
    kept.sort(key=_rank)
    sure = [one for one in kept if one.is_way_back or one.delivers]
    return _distinct(sure or kept)[:MAX_KEPT]


def _proposed(found: Iterable[Finding]) -> Iterator[Candidate]:
    for finding in found:
        if finding.remedy_sql is not None and finding.instance is not None:
            yield Candidate(finding.instance, finding.remedy_sql, finding)


def _rank(one: ConversationRemedy) -> tuple[object, ...]:
    """Order of offers: first statements that have the conversation delivered, then those that remove obstacles to
    delivered messages, then ways back."""
    kind = 2 if one.is_way_back else int(one.unblocks)
    return kind, len(one.left), goodness(one.after), -one.ways_back, one.finding is None


def _of_obstacles(explanation: Explanation, estate: Estate) -> Iterator[Candidate]:
    for one in obstacles(explanation, estate):
        if one.sql is not None:
            yield Candidate(one.instance, one.sql)


def _candidates(explanation: Explanation, estate: Estate) -> Iterator[Candidate]:
    if not explanation.supposed:  # an unknown fact is no mismatch: no statement is needed
        yield from candidates(explanation.forward, estate)
    for back in explanation.returns:
        if not back.arrives and back.needed is None:
            yield from candidates(back.journey, estate, home=back.home)


def _tried(candidate: Candidate, explanation: Explanation, estate: Estate) -> ConversationRemedy | None:
    """The candidate as a remedy; None if the engine cannot run it or it does not mend the conversation."""
    conversation, at = explanation.forward.conversation, explanation.forward.at
    changed = applied(with_msdb(estate, candidate.instance), candidate.instance, candidate.sql, at)
    if changed is None or not _has_origin(changed, conversation):
        return None
    before, after = explanation.forward.outcomes, outcomes(changed, conversation, at)
    is_better = goodness(after) < goodness(before) and _delivered(after)
    delivers = _delivered(after) > _delivered(before) or bool(is_better)
    if not delivers and after != before:
        return None
    return _remedy(candidate, explanation, estate, changed, delivers=delivers)


def _remedy(
    candidate: Candidate, explanation: Explanation, estate: Estate, changed: Estate, *, delivers: bool
) -> ConversationRemedy | None:
    """With what stands behind routing then: obstacles, and the ways back."""
    then = explain(changed, explanation.forward.conversation, explanation.forward.at)
    left = tuple(one.says for one in obstacles(then, changed))
    leads_on = all(end.kind in (DELIVERED, EXITS) for end in then.forward.outcomes)
    unblocks = not delivers and leads_on and len(left) < len(obstacles(explanation, estate))
    ways = 0 if delivers or unblocks else _brought_back(explanation, then)
    if not (delivers or unblocks or ways):
        return None
    after = then.forward.outcomes
    return ConversationRemedy(
        candidate.instance, candidate.sql, after, ways, changed, candidate.finding, unblocks, left
    )


def _delivered(ends: tuple[Outcome, ...]) -> int:
    """0: none is delivered; 1: some are; 2: all are."""
    count = sum(end.kind == DELIVERED for end in ends)
    return 2 if count == len(ends) else int(count > 0)


def _brought_back(explanation: Explanation, then: Explanation) -> int:
    """How many more ways back arrive then; 0 if one does not any more."""
    if all(back.arrives for back in explanation.returns):
        return 0
    old = {_way(back.journey.conversation): back.arrives for back in explanation.returns}
    new = {_way(back.journey.conversation): back.arrives for back in then.returns}
    if not all(new.get(way, False) for way, arrived in old.items() if arrived):
        return 0
    return max(0, sum(new.values()) - sum(old.values()))


def _way(back: Conversation) -> tuple[str, str | None, str]:
    return back.instance, back.database, back.to_service


def _has_origin(estate: Estate, conversation: Conversation) -> bool:
    instance = estate.instances.get(conversation.instance)
    return instance is not None and conversation.database in instance.tables


def _distinct(remedies: Iterable[ConversationRemedy]) -> tuple[ConversationRemedy, ...]:
    """Without those whose change of the estate is that of an earlier one."""
    kept: list[ConversationRemedy] = []
    for one in remedies:
        if not any(_is_same(one, other) for other in kept):
            kept.append(one)
    return tuple(kept)


def _is_same(one: ConversationRemedy, other: ConversationRemedy) -> bool:
    same_way = (one.is_way_back, one.after, one.left) == (other.is_way_back, other.after, other.left)
    return same_way and one.instance == other.instance and one.sql.split("\n")[0] == other.sql.split("\n")[0]
