"""The order of the looks: which one decides, and that the sentence is the deciding one's."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.explanations.evidence import ConnectionHistory, Discard, Evidence, Hold
from brokerui.analysis.explanations.looks import Look, LookKind, holding, looks_of
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.rules.explanation import explain
from tests.brokerui.messaging.hosted import DOCUMENT

AT = datetime(2030, 1, 1, tzinfo=UTC)
BLANK = Hold(0, "")
REFUSED = Discard("B", 11214, "The contract is not known.", 3, 5)


def evidence(document: dict[str, Any] = DOCUMENT, hold: Hold = BLANK, **more: Any) -> Evidence:
    estate = read_estate(json.dumps(document))
    explanation = explain(estate, Conversation("A", "one", "To", None, False, "From"), AT)
    figures: dict[str, Any] = {"messages": 2, "attempts": 3, "next_in_s": 12} | more
    return Evidence(hold=hold, explanation=explanation, estate=estate, **figures)


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document = deepcopy(DOCUMENT)
    *parents, last = path
    place: Any = document["instances"]
    for parent in parents:
        place = place[parent]
    place[last] = value
    return document


def deciding(found: tuple[Look, ...]) -> LookKind:
    (one,) = [look.kind for look in found if look.decides]
    return one


NO_BACK = changed((1, "databases", 0, "routes"), [{"name": "AutoCreatedLocal", "address": "LOCAL"}])
OFF = changed((1, "databases", 0, "queues"), [{"name": "ToQ", "enabled": False}])
STOPPED = changed((1, "endpoint"), {"port": 4022, "state": "STOPPED"})
PORT = changed((0, "databases", 0, "routes", 1, "address"), "tcp://b.example:1433")
LOST = changed((0, "databases", 0, "routes"), [])


@pytest.mark.parametrize(
    ("seen", "kind", "words"),
    [
        (evidence(attempts=0), LookKind.QUEUE, "Nothing was tried yet: routing delivers it in two on B."),
        (evidence(hold=Hold(9727, "No key.")), LookKind.STATUS, "No key. Routes play no part in it"),
        (evidence(hold=Hold(9791, "Off.")), LookKind.STATUS, "Off. Nothing is sent until that is mended"),
        (evidence(LOST, Hold(9793, "None.")), LookKind.WAY_THERE, "None. That still holds"),
        (evidence(hold=Hold(9793, "None.")), LookKind.WAY_THERE, "When it was last tried: None. That has changed"),
        (evidence(PORT), LookKind.WAY_THERE, "leads to tcp://b.example:1433, and B listens at tcp://b.example:4022."),
        (evidence(PORT, Hold(9754, "Refused.")), LookKind.WAY_THERE, "B listens at tcp://b.example:4022."),
        (evidence(STOPPED), LookKind.ENDPOINTS, "the endpoint of B is STOPPED."),
        (evidence(STOPPED, Hold(9753, "No principal.")), LookKind.ENDPOINTS, "the endpoint of B is STOPPED."),
        (evidence(hold=Hold(9754, "Refused.")), LookKind.ENDPOINTS, "Refused. Routes play no part in it"),
        (evidence(discards=(REFUSED,)), LookKind.DISCARDS, "B discards it: The contract is not known."),
        (evidence(NO_BACK), LookKind.WAY_BACK, "its acknowledgements do not find their way back."),
        (evidence(copies=4), LookKind.WAY_BACK, "acknowledgements are lost on their way back"),
        (evidence(OFF), LookKind.TARGET, "The queue ToQ (two, B) of the target is off"),
        (evidence(), LookKind.CONNECTIONS, "look at the other server and the network between."),
    ],
)
def test_the_first_look_that_shows_a_cause_decides(seen: Evidence, kind: LookKind, words: str) -> None:
    found = looks_of(seen)
    assert deciding(found) == kind
    assert words in str(holding(found))


def test_each_look_says_what_it_saw() -> None:
    history = (ConnectionHistory("A", "tcp://b.example:4022", None, 2, 7),)
    found = {look.kind: str(look.saw) for look in looks_of(evidence(discards=(REFUSED,), connections=history))}
    assert found == {
        LookKind.QUEUE: "2 messages, 3 attempts failed, next in 12 s",
        LookKind.STATUS: "Blank: sent, and not acknowledged",
        LookKind.WAY_THERE: "routing delivers it in two on B",
        LookKind.ENDPOINTS: "None on the way is known to be stopped",
        LookKind.DISCARDS: "3 messages at B, the last 5 s ago: 11214",
        LookKind.WAY_BACK: "Acknowledgements arrive",
        LookKind.TARGET: "Its queue is on",
        LookKind.CONNECTIONS: "2 failed connections to tcp://b.example:4022, the last 7 s ago",
    }


@given(
    st.sampled_from((DOCUMENT, NO_BACK, OFF, STOPPED, PORT, LOST)),
    st.sampled_from((0, 954, 9727, 9754, 9783, 9791, 9793, 9796)),
    st.integers(0, 2),
    st.booleans(),
)
def test_exactly_one_look_decides_and_what_is_discarded_only_where_the_status_is_blank(
    document: dict[str, Any], number: int, attempts: int, is_discarded: bool
) -> None:
    seen = evidence(document, Hold(number, "Why."), attempts=attempts)
    found = looks_of(replace(seen, discards=(REFUSED,) if is_discarded else ()))
    assert [look.kind for look in found] == list(LookKind)
    assert deciding(found) != LookKind.DISCARDS or not number
    assert str(holding(found)).endswith(".")
