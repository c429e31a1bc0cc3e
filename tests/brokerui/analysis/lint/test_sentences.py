"""A stored sentence is read back unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from routing.common.sentence import Sentence, say, say_counted

pytestmark = pytest.mark.both_databases

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="{}"), max_size=8)
VALUES = st.one_of(TEXTS, st.integers(), st.none(), st.lists(TEXTS, max_size=3).map(tuple))


def sentences(values: Any) -> Any:
    plain = st.builds(lambda text, value: say(text + "{value}", value=value), TEXTS, values)
    counted = st.builds(
        lambda n, value: say_counted(n, "{count} one {value}", "{count} many {value}", value=value),
        st.integers(0, 9_999),
        values,
    )
    return plain | counted


def upper(text: str) -> str:
    """A language; braces are not its business."""
    return str(text).replace("one", "ONE").replace("many", "MANY")


@given(st.recursive(sentences(VALUES), lambda inner: sentences(inner | st.lists(inner, max_size=2).map(tuple))))
def test_it_says_the_same_in_every_language(sentence: Sentence) -> None:
    again = sentence_from_json(sentence_as_json(sentence))
    assert again == sentence
    assert again.render() == sentence.render()
    assert again.render(upper) == sentence.render(upper)
