"""What the checks ask of the engine, by its short cuts and without them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, Vocabulary
from routing.documents.estate_document import read_estate
from routing.lint.context import LintContext
from routing.lint.linted_objects import lost
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import outcomes
from routing.rules.router import route
from tests.strategies import AT, estates


def drawn_class(data: st.DataObject, estate: Estate) -> tuple[str, str | None]:
    """A service and an identifier that something in the estate may look at."""
    known = Vocabulary(estate, estate).identifiers
    service = data.draw(st.sampled_from(sorted(known)))
    identifiers = sorted(set().union(*known.values()))
    return service, data.draw(st.sampled_from([None, UNKNOWN_IDENTIFIER, *identifiers]))


@given(estates(), st.data())
def test_from_outside_it_answers_as_the_engine_does(document: dict[str, Any], data: st.DataObject) -> None:
    estate = read_estate(json.dumps(document))
    scene = LintContext(estate, AT)
    service, identifier = drawn_class(data, estate)
    for instance in estate.instances:
        scene.from_outside(instance, UNKNOWN_SERVICE)
        expected = route(estate, Conversation(instance, None, service, identifier), AT)
        assert scene.from_outside(instance, service, identifier) == expected


@given(estates(), st.data())
def test_what_it_says_is_kept_is_lost(document: dict[str, Any], data: st.DataObject) -> None:
    estate = read_estate(json.dumps(document))
    scene = LintContext(estate, AT)
    service, identifier = drawn_class(data, estate)
    for held in scene.databases:
        if scene.keeps(held, service):
            reply = Conversation(held.instance.name, held.database.name, service, identifier, is_reply=True)
            ends = outcomes(estate, reply, AT)
            assert lost(ends)
            assert {end.instance for end in ends} == {held.instance.name}
