"""Sentences for people, kept apart from the facts in them until somebody's language is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Translate = Callable[[str], str]
"""gettext, or anything that gives the translation of a message text."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message text and the values of its named places."""

    text: str
    """English, with `{name}` for each value; the key of the translation."""
    values: Mapping[str, Any] = field(default_factory=dict)

    def render(self, translate: Translate = str) -> str:
        """The sentence in the language of `translate`; English when none is given."""
        return translate(self.text).format(**{name: _shown(value, translate) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.render()


def say(text: str, **values: Any) -> Sentence:
    """A sentence; its text is found by the extraction of messages through the name of this function."""
    return Sentence(text, values)


def _shown(value: Any, translate: Translate) -> Any:
    if isinstance(value, Sentence):
        return value.render(translate)
    if isinstance(value, (tuple, list)):
        return ", ".join(str(_shown(part, translate)) for part in value)
    return value


LISTED = 8
"""Names that a sentence lists; of more it says how many."""


def listed(names: Sequence[str]) -> Sentence | tuple[str, ...]:
    """Names for a place of a sentence, never more than one can read."""
    if len(names) <= LISTED:
        return tuple(names)
    return say("{names} and {count} more", names=tuple(names[:LISTED]), count=len(names) - LISTED)
