"""Why not this route? The first clause that kept a route from being used by a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.model.route import Route
from routing.model.route_table import RouteSet
from routing.rules.choosing import choose
from routing.rules.decision import Deliver, Send
from routing.rules.hop import Hop
from routing.rules.journey_account import HopAccount, journey
from routing.rules.matching import match
from routing.rules.matching_account import unmatched_clause
from routing.rules.trace import Trace


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer for one route."""

    used: bool
    rule: str | None
    """The rule at which it fell out, or which chose it; None: its table was never asked."""
    clause: Sentence


def why_not(
    estate: Estate, conversation: Conversation, at: datetime, *, instance: str, database: str, route: str
) -> tuple[WhyNot, ...]:
    """One answer for each time that the table is asked: a database that began the conversation asks its own table,
    and the msdb of an instance is asked for whatever comes from outside.

    The route must exist: KeyError otherwise.
    """
    row = estate.instances[instance].databases[database].table.routes[route]
    hops = [hop for hop in journey(estate, conversation, at).hops if hop.instance == instance and hop.table == database]
    return tuple(_at_hop(estate, conversation, at, hop, row) for hop in hops) or (_never_used(database),)


def _never_used(database: str) -> WhyNot:
    if database == MSDB:
        clause = say("no message of this conversation reaches the instance from outside, so its msdb is not asked")
    else:
        clause = say("only the database that begins a conversation asks its own table; this one begins elsewhere")
    return WhyNot(False, None, clause)


def _at_hop(estate: Estate, conversation: Conversation, at: datetime, account: HopAccount, row: Route) -> WhyNot:
    if account.steps[0].rule == "RT-REPLY" and account.steps[0].taken:
        return WhyNot(False, "RT-REPLY", say("the reply is for a database of this instance: no route is asked"))
    hop = Hop(
        estate,
        account.instance,
        account.database,
        service=conversation.to_service,
        identifier=conversation.to_broker_instance,
        is_reply=conversation.is_reply,
        at=at,
    )
    rule, alternatives = match(hop)
    for alternative in alternatives:
        if any(row is matched for matched in alternative.routes):
            return _among_matched(hop, alternative, row)
    return WhyNot(False, rule, unmatched_clause(hop, row, rule))


def _among_matched(hop: Hop, matched: RouteSet, row: Route) -> WhyNot:
    """Account for this route in the choice among the routes that match with it."""
    hop.trace = Trace()
    decisions = choose(hop, matched)
    for step in hop.trace.steps:
        if any(rejected.route == row.name for rejected in step.rejected):
            return WhyNot(False, step.rule, next(r.clause for r in step.rejected if r.route == row.name))
    rule = next(step.rule for step in hop.trace.steps if row.name in step.routes)
    if rule == "CHOOSE-2" and not any(isinstance(decision, Deliver) for decision in decisions):
        return WhyNot(False, rule, say("it matches, but the service cannot be located in this instance"))
    if any(step.rule == "CHOOSE-0" and row.name in step.routes for step in hop.trace.steps):
        return WhyNot(False, "CHOOSE-0", say("it is identical to another route, which stands for both"))
    last = hop.trace.steps[-1]
    if any(isinstance(decision, Send | Deliver) for decision in decisions):
        return WhyNot(True, rule, say("it is used"))
    return WhyNot(True, last.rule, say("it is chosen, and leads no further: {why}", why=last.says))
