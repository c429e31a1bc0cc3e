"""Sentences as JSON, so that a stored finding can be shown in every language."""

from __future__ import annotations

import json
from typing import Any

from routing.common.sentence import CountedText, Sentence

SENTENCE = "text"
"""The key that tells the object of a sentence from other values."""


def sentence_as_json(sentence: Sentence) -> str:
    """Return a sentence as JSON: text, plural form and values."""
    return json.dumps(_packed(sentence), ensure_ascii=False, separators=(",", ":"))


def sentence_from_json(text: str) -> Sentence:
    """The sentence that was written."""
    sentence = _unpacked(json.loads(text))
    assert isinstance(sentence, Sentence)  # we wrote it
    return sentence


def _packed(value: Any) -> Any:
    if isinstance(value, Sentence):
        packed: dict[str, Any] = {
            SENTENCE: str.__str__(value.text),
            "values": {k: _packed(v) for k, v in value.values.items()},
        }
        if isinstance(value.text, CountedText):
            packed |= {"many": value.text.many, "number": value.text.number}
        return packed
    return [_packed(part) for part in value] if isinstance(value, (tuple, list)) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_unpacked(part) for part in value)
    if not isinstance(value, dict):
        return value
    text = CountedText(value[SENTENCE], value["many"], value["number"]) if "many" in value else value[SENTENCE]
    return Sentence(text, {name: _unpacked(part) for name, part in value["values"].items()})
