"""Sentences for people, kept apart from the facts in them until somebody's language is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Translate = Callable[[str], str]
"""gettext, or anything that gives the translation of a message text; of a `Counted` one in the form for its number."""


class Counted(str):
    """A message text about a number: it is the form for one, and knows the form for several."""

    many: str
    number: int

    def __new__(cls, one: str, many: str = "", number: int = 1) -> Counted:
        text = super().__new__(cls, one)
        text.many = many
        text.number = number
        return text

    def __str__(self) -> str:
        """English: the form for its number."""
        return str.__str__(self) if self.number == 1 else self.many


def translator(gettext: Translate, ngettext: Callable[[str, str, int], str]) -> Translate:
    """The two functions of a catalogue as one."""

    def translate(text: str) -> str:
        return ngettext(text, text.many, text.number) if isinstance(text, Counted) else gettext(text)

    return translate


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


def say_counted(count: int, one: str, many: str, **values: Any) -> Sentence:
    """A sentence in the form that fits a number, which is its `{count}`; extracted as `say` is."""
    return Sentence(Counted(one, many, count), {"count": f"{count:,}", **values})


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
