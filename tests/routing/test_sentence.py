"""Sentences: a text and its values, kept apart until a language is known."""

from __future__ import annotations

import pytest

from routing.sentence import Sentence, say

GERMAN = {
    "{who} has {what}.": "{who} hat {what}.",
    "no service": "keinen Dienst",
    "no queue": "keine Warteschlange",
}


def german(text: str) -> str:
    return GERMAN.get(text, text)


def test_a_sentence_is_english_where_no_language_is_given() -> None:
    sentence = say("{who} has {what}.", who="host1", what="no service")
    assert str(sentence) == sentence.render() == "host1 has no service."


def test_a_sentence_keeps_its_text_and_its_values() -> None:
    assert say("{n} of {m}", n=1, m=2) == Sentence("{n} of {m}", {"n": 1, "m": 2})


def test_a_sentence_within_a_sentence_is_translated_too() -> None:
    sentence = say("{who} has {what}.", who="host1", what=say("no service"))
    assert sentence.render(german) == "host1 hat keinen Dienst."


def test_names_are_never_translated() -> None:
    assert say("{who} has {what}.", who="host1", what="no service").render(german) == "host1 hat no service."


@pytest.mark.parametrize("kind", [tuple, list])
def test_several_values_are_listed_each_in_its_language(kind: type) -> None:
    what = kind([say("no service"), say("no queue"), "Ship", 3])
    assert say("{who} has {what}.", who="host1", what=what).render(german) == (
        "host1 hat keinen Dienst, keine Warteschlange, Ship, 3."
    )


def test_braces_in_a_value_are_no_places() -> None:
    assert str(say("{who}", who="{who} {0}")) == "{who} {0}"
