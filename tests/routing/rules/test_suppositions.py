"""Suppositions: unknown facts under which a conversation that is not delivered would be."""

from __future__ import annotations

from typing import Any

from brokerui.analysis.explanations.wording import MAY, word
from routing.common.finding import INFO
from routing.lint.registry import lint
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import Explanation, explain
from routing.rules.suppositions import Supposition
from tests.routing.lint.estates import AT, db, guid, route, server
from tests.routing.lint.estates import estate as estate_of

A, C = guid(1), guid(3)


def one(*databases: dict[str, Any]) -> Estate:
    return estate_of(server("one", *databases))


def explanation_of(estate: Estate, database: str, service: str, identifier: str | None = None) -> Explanation:
    return explain(estate, Conversation("one", database, service, identifier), AT)


def text_of(explained: Explanation, estate: Estate) -> str:
    words = word(explained, estate)
    assert [chip.certainty for chip in words.headline.chips] == [MAY]
    return " ".join(str(sentence) for sentence in words.headline.means)


def test_the_identifier_of_a_route_that_may_be_that_of_the_service() -> None:
    estate = one(db("A", services=("AOut",)), db("C", route("ToA", "AOut", broker=1), services=("CIn",)))
    explained = explanation_of(estate, "C", "AOut")
    assert explained.supposed == (Supposition("one", "A", A, False, True),)
    sentence = text_of(explained, estate)
    assert f"Delivered to A on one if its identifier is {A}; its identifier is not known." in sentence
    assert "Most likely it is meant" in sentence
    assert "Correct the identifier" not in sentence


def test_the_identifier_of_a_conversation() -> None:
    estate = one(db("A", services=("AOut",)), db("C", services=("CIn",)))
    assert explanation_of(estate, "A", "CIn", C).supposed == (Supposition("one", "C", C, False, True),)


def test_of_two_databases_none_is_most_likely() -> None:
    estate = one(db("A"), db("C", services=("CIn",)), db("D", services=("CIn",)))
    explained = explanation_of(estate, "A", "CIn", C)
    assert [supposed.is_only for supposed in explained.supposed] == [False, False]
    assert "Most likely" not in text_of(explained, estate)


def test_a_known_identifier_is_a_mismatch() -> None:
    estate = one(db("A"), db("C", services=("CIn",), broker=2))
    assert explanation_of(estate, "A", "CIn", C).supposed == ()


def test_an_identifier_that_another_database_has_is_a_mismatch() -> None:
    estate = one(db("A", broker=3), db("C", services=("CIn",)))
    assert explanation_of(estate, "A", "CIn", C).supposed == ()


def test_an_unknown_role_of_a_mirrored_database() -> None:
    mirrored = route("R", "CIn", "one", 3) | {"mirror_address": "tcp://two:4022"}
    there = server("two", db("C", services=("CIn",), broker=3))
    estate = estate_of(server("one", db("A", mirrored)), there)
    explained = explanation_of(estate, "A", "CIn")
    assert explained.supposed == (Supposition("two", "C", None, True, True),)
    assert "if it is the principal, which is not known" in text_of(explained, estate)


def test_a_detour_that_hangs_on_an_unknown_identifier_is_no_error() -> None:
    detour = db("A", route("ToC", "CIn", "one", 3), services=("AOut",))
    unknown = one(detour, db("C", services=("CIn",)), db("msdb"))
    explained = explain(unknown, Conversation("one", "A", "CIn", C), AT)
    assert explained.supposed == (Supposition("one", "C", C, False, True),)
    found = [each for each in lint(unknown, AT) if each.code == "own-address"]
    assert [each.severity for each in found] == [INFO]
    assert f"if the identifier of C is {C}, which is not known" in str(found[0].reason)
