"""Sentences: a text and its values, kept apart until a language is known."""

from __future__ import annotations

import pytest

from routing.common.sentence import CountedText, Sentence, say, say_counted, translator

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


# ---------------------------------------------------------------- numbers


def errors(count: int) -> Sentence:
    return say_counted(count, "{count} error of {who}", "{count} errors of {who}", who="host1")


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 errors of host1"),
        (1, "1 error of host1"),
        (2, "2 errors of host1"),
        (1000, "1,000 errors of host1"),
    ],
)
def test_a_number_is_said_in_its_form(count: int, expected: str) -> None:
    assert str(errors(count)) == expected


def test_another_language_has_forms_of_its_own() -> None:
    forms = {"{count} error of {who}": ("{count} Fehler (einer) von {who}", "{count} Fehler von {who}")}
    translate = translator(german, lambda one, many, number: forms[one][number != 1])
    assert errors(1).render(translate) == "1 Fehler (einer) von host1"
    assert errors(3).render(translate) == "3 Fehler von host1"
    assert say("{what}: {errors}", what=say("no queue"), errors=errors(3)).render(translate) == (
        "keine Warteschlange: 3 Fehler von host1"
    )


def test_a_text_about_a_number_is_found_by_its_form_for_one() -> None:
    text = CountedText("{count} error", "{count} errors", 3)
    assert {text: True}["{count} error"]
    assert str(text) == "{count} errors"
