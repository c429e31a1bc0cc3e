"""Failover of a mirrored database as the remedy of a conversation: tried on a copy of the estate. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from brokerui.analysis.explanations.holding import OF_CONNECTION
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.remedies.conversation_offers import is_well
from brokerui.analysis.remedies.wording import harm
from brokerui.estate.pairs import mirrored_pairs
from routing.common.sentence import Sentence, say
from routing.diff.result import BETTER, WORSE
from routing.model.conversation import Conversation
from routing.model.edits import PutDatabase
from routing.model.estate import PRINCIPAL, Estate
from routing.remedies.effects import MAX_NAMES, ClassEffect
from routing.remedies.trial import effects_of, is_compared
from routing.rules.explanation import Explanation, explain

NO_PRINCIPAL = 9753
UNREACHED = OF_CONNECTION | {NO_PRINCIPAL}
"""Transmission statuses for which a partner may be asked to take over, although routing finds nothing wrong."""


@dataclass(frozen=True, slots=True)
class FailoverPair:
    """A mirrored database with the instances of its partners."""

    database: str
    principal: str
    mirror: str


def pair_of(estate: Estate, instance: str, database: str) -> FailoverPair | None:
    """The pair to which the database of an instance belongs; None: it has no partner."""
    other = mirrored_pairs(estate).get((instance, database))
    if other is None:
        return None
    role = estate.instances[instance].databases[database].mirroring_role
    return FailoverPair(database, *((instance, other[0]) if role == PRINCIPAL else (other[0], instance)))


def failed_over(estate: Estate, pair: FailoverPair) -> Estate:
    """The estate in which the partners have exchanged their roles."""
    one, other = (estate.instances[name].databases[pair.database] for name in (pair.principal, pair.mirror))
    return estate.edited([PutDatabase(pair.principal, other), PutDatabase(pair.mirror, one)])


def failover_effects(
    estate: Estate, pair: FailoverPair, at: datetime
) -> tuple[tuple[ClassEffect, ...], tuple[ClassEffect, ...]]:
    """The classes of conversations that end better with a failover, and those that end worse; on a large estate, only
    those that it touches. Those of the pair itself are left out: the database moves with its conversations, and
    messages from outside reach the new principal by a route that has both addresses."""
    names = None if is_compared(estate) else MAX_NAMES
    all_found, _ = effects_of(estate, failed_over(estate, pair), at, pair.mirror, names)
    found = [one for one in all_found if not _is_of_pair(pair, *one.node)]
    worse = sorted((one for one in found if one.verdict == WORSE), key=lambda effect: not effect.breaks)
    return tuple(one for one in found if one.verdict == BETTER), tuple(worse)


def pairs_of(estate: Estate) -> tuple[FailoverPair, ...]:
    """All mirrored databases whose two partners are in the estate."""
    found = (pair_of(estate, instance, database) for instance, database in mirrored_pairs(estate))
    return tuple(dict.fromkeys(pair for pair in found if pair is not None))


def _is_of_pair(pair: FailoverPair, instance: str, database: str | None) -> bool:
    return instance in (pair.principal, pair.mirror) and database in (pair.database, None)


def failover_offer(
    explanation: Explanation, estate: Estate, number: int, pairs: Iterable[FailoverPair]
) -> ConversationOffer | None:
    """The failover of one of these pairs with which messages of this transmission status are delivered; None where
    there is none."""
    conversation, at = explanation.forward.conversation, explanation.forward.at
    if is_well(explanation, estate) and number not in UNREACHED:
        return None
    for pair in pairs:
        if _is_target(pair, conversation, estate):
            after = failed_over(estate, pair)
            if is_well(explain(after, conversation, at), after):
                return _offer(pair, estate, at)
    return None


def _is_target(pair: FailoverPair, conversation: Conversation, estate: Estate) -> bool:
    """Whether the mirrored database could be the conversation's target."""
    database, wanted = estate.instances[pair.principal].databases[pair.database], conversation.to_broker_instance
    has_service = any(one.name == conversation.to_service for one in database.services)
    return has_service and wanted in (None, database.broker_instance)


def _offer(pair: FailoverPair, estate: Estate, at: datetime) -> ConversationOffer:
    place = f"{pair.mirror}/{pair.database}"
    says: list[Sentence] = [
        say(
            "With this, {mirror} becomes the principal of {database}, and routing delivers there. The conversations of"
            " the database move with it.",
            mirror=pair.mirror,
            database=pair.database,
        )
    ]
    _, worse = failover_effects(estate, pair, at)
    if worse:
        says.append(harm(worse))
    command = f"brokerui failover {shlex.quote(place)}"
    return ConversationOffer(pair.mirror, command, tuple(says), is_command=True, failover=(pair.mirror, pair.database))
