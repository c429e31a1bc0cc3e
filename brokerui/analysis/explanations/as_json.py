"""An explanation as JSON: the answer first, then every hop with every rule, then the way back."""

from __future__ import annotations

from typing import Any

from brokerui.analysis.explanations.collected import CollectedMessages, collected_here
from brokerui.analysis.explanations.outcome_wording import outcome_sentences
from brokerui.analysis.explanations.return_wording import return_words
from brokerui.analysis.explanations.wording import headline
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from routing.common.moment import format_moment
from routing.common.sentence import Translate
from routing.documents.collected_json import collected_as_json
from routing.documents.conversation_json import conversation_as_json
from routing.model.estate import Estate
from routing.rules.decision import Decision, Deliver, Send
from routing.rules.explanation import Explanation
from routing.rules.journey_account import HopAccount, Journey, JourneyEnd
from routing.rules.return_path import ReturnPath
from routing.rules.suppositions import Supposition
from routing.rules.trace import RuleStep
from routing.rules.verdict import verdict


def explanation_as_json(
    explanation: Explanation, estate: Estate, translate: Translate, offers: tuple[ConversationOffer, ...] = ()
) -> dict[str, Any]:
    """Keys in fixed order; sentences in the language of `translate`, rule ids and names as they are. `offers` are
    remedies that were tried."""
    forward = explanation.forward
    words = headline(explanation, estate)
    return {
        "conversation": conversation_as_json(forward.conversation),
        "at": format_moment(forward.at),
        "answer": " ".join(sentence.render(translate) for sentence in (words.title, *words.details)),
        **_journey(forward, estate, translate, explanation.supposed),
        "return": [_return(back, explanation, estate, translate) for back in explanation.returns],
        "remedies": [offer_as_json(offer, translate) for offer in offers],
        "collected": [_collected(one, translate) for one in collected_here(explanation, estate)],
    }


def _collected(found: CollectedMessages, translate: Translate) -> dict[str, Any]:
    return {
        **collected_as_json(found.row),
        "number": found.number,
        "says": found.says.render(translate),
    }


def offer_as_json(offer: ConversationOffer, translate: Translate) -> dict[str, Any]:
    """A remedy: where it is to run, its T-SQL, what it does, and the finding that proposes it."""
    says = " ".join(sentence.render(translate) for sentence in offer.says)
    return {"instance": offer.instance, "sql": offer.sql, "says": says, "code": offer.code}


def _journey(
    journey: Journey, estate: Estate, translate: Translate, supposed: tuple[Supposition, ...] = ()
) -> dict[str, Any]:
    return {
        "verdict": verdict(journey.outcomes),
        "outcomes": [_end(journey, end, estate, translate, supposed) for end in journey.ends],
        "hops": [_hop(hop, translate) for hop in journey.hops],
    }


def _end(
    journey: Journey, end: JourneyEnd, estate: Estate, translate: Translate, supposed: tuple[Supposition, ...]
) -> dict[str, Any]:
    path = [{"instance": leg.instance, "database": leg.database, **_send(leg.send)} for leg in end.legs]
    says = " ".join(sentence.render(translate) for sentence in outcome_sentences(journey, end, estate, supposed))
    return {**end.outcome.as_json(), "says": says, "path": path}


def _send(send: Send) -> dict[str, Any]:
    return {"route": send.route, "address": send.address.key, "to": send.to}


def _hop(hop: HopAccount, translate: Translate) -> dict[str, Any]:
    return {
        "instance": hop.instance,
        "table": hop.table,
        "from_outside": hop.database is None,
        "rules": [_step(step, translate) for step in hop.steps],
        "decisions": [_decision(decision) for decision in hop.decisions],
    }


def _step(step: RuleStep, translate: Translate) -> dict[str, Any]:
    return {
        "rule": step.rule,
        "taken": step.taken,
        "says": step.says.render(translate),
        "routes": list(step.routes),
        "rejected": [{"route": r.route, "clause": r.clause.render(translate)} for r in step.rejected],
        "more_rejected": step.more_rejected,
        "branch": step.branch,
    }


def _decision(decision: Decision) -> dict[str, Any]:
    if isinstance(decision, Send):
        return {"decision": "send", **_send(decision)}
    if isinstance(decision, Deliver):
        return {"decision": "deliver", "database": decision.database, "route": decision.route}
    return {"decision": decision.outcome.kind, "reason": decision.reason}


def _return(back: ReturnPath, explanation: Explanation, estate: Estate, translate: Translate) -> dict[str, Any]:
    words = return_words(back, explanation, estate)
    return {
        "to_service": back.journey.conversation.to_service,
        "target": {"instance": back.target.instance, "database": back.target.detail},
        "state": words.state,
        "says": " ".join(sentence.render(translate) for sentence in (words.title, *words.details)),
        **_journey(back.journey, estate, translate),
    }
