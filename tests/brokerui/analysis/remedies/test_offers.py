"""Remedies for one conversation, on any estate: each helps, and its harm to other traffic stands beside it."""

from __future__ import annotations

import json

from hypothesis import example, given, settings

from brokerui.analysis.explanations.outcome_wording import place
from brokerui.analysis.remedies.conversation_offers import conversation_offers, findings_of_way, is_well
from routing.common.errors import Invalid
from routing.diff.run import compare
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.lint.obstacles import obstacles
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.rules.explanation import Explanation, explain
from tests.strategies import AT, Case, cases


def known_of(explanation: Explanation, where: Estate) -> tuple[object, ...]:
    """Where it ends, which ways back arrive, and what stands in the way besides."""
    arrives = [back.arrives for back in explanation.returns]
    return explanation.forward.outcomes, arrives, [str(one.says) for one in obstacles(explanation, where)]


MSDB_OFF = {"name": "R", "remote_service_name": "Bill", "address": "tcp://gone.example:4022"}
LEAVES = Case(
    {
        "format": "brokerui.estate/1",
        "instances": [{"name": "h", "databases": [{"name": "msdb", "broker_enabled": False, "routes": [MSDB_OFF]}]}],
    },
    [{"id": "c", "from": {"instance": "h", "database": "msdb"}, "to_service": "Bill"}],
)
"""Once its broker is on, the message leaves the estate."""


@example(LEAVES)
@settings(deadline=None)
@given(cases())
def test_no_offer_leaves_its_conversation_as_it_was_or_hides_what_gets_worse(case: Case) -> None:
    where = read_estate(json.dumps(case.estate))
    for document in case.conversations:
        conversation = conversation_from(document)
        try:
            conversation.check(where)
        except Invalid:
            continue
        explanation = explain(where, conversation, AT)
        offers = conversation_offers(explanation, where, findings_of_way(explanation, where))
        assert not (offers and is_well(explanation, where))
        for offer in offers:
            before = with_msdb(where, offer.instance)
            after = applied(before, offer.instance, offer.sql, AT)
            assert after is not None
            then, says = explain(after, conversation, AT), " ".join(map(str, offer.says))
            assert known_of(explanation, where) != known_of(then, after)
            if "With this: delivered in" in says:
                assert all(str(place(end, then.forward)) in says for end in then.forward.outcomes)
                assert {end.kind for end in then.forward.outcomes} == {"delivered"}
            assert ("end worse" in says) == (compare(before, after, AT).intended["worse"] > 0)
