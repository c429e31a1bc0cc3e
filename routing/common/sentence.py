"""Translatable sentences: the English text and the values in it, rendered once the reader's language is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Translate = Callable[[str], str]
"""Translates a message text, as gettext does; a `CountedText` text in the plural form for its number."""


class CountedText(str):
    """A message text with a number: the string is the singular form, `many` the plural form."""

    many: str
    number: int

    def __new__(cls, one: str, many: str = "", number: int = 1) -> CountedText:
        text = super().__new__(cls, one)
        text.many = many
        text.number = number
        return text

    def __str__(self) -> str:
        """The English form for its number."""
        return str.__str__(self) if self.number == 1 else self.many


def translator(gettext: Translate, ngettext: Callable[[str, str, int], str]) -> Translate:
    """Combine the gettext and ngettext of one language into one `Translate`."""

    def translate(text: str) -> str:
        return ngettext(text, text.many, text.number) if isinstance(text, CountedText) else gettext(text)

    return translate


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message text and the values of its placeholders."""

    text: str
    """English, with `{name}` placeholders; the msgid of the translation."""
    values: Mapping[str, Any] = field(default_factory=dict)

    def render(self, translate: Translate = str) -> str:
        """The sentence in the language of `translate`; English when none is given."""
        return translate(self.text).format(**{name: _shown(value, translate) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.render()


def say(text: str, **values: Any) -> Sentence:
    """Make a sentence. makemessages finds the texts to translate by the name of this function."""
    return Sentence(text, values)


def say_counted(count: int, one: str, many: str, **values: Any) -> Sentence:
    """Make a sentence in the singular or plural form for `count`, its `{count}`; extracted as `say` is."""
    return Sentence(CountedText(one, many, count), {"count": f"{count:,}", **values})


def bounded(sentence: Sentence, limit: int) -> Sentence:
    """The sentence with its values cut after this many characters; the same one if none is longer."""
    values = {name: _cut(value, limit) for name, value in sentence.values.items()}
    if all(values[name] is value for name, value in sentence.values.items()):
        return sentence
    return Sentence(sentence.text, values)


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, Sentence):
        return bounded(value, limit)
    if isinstance(value, (tuple, list)):
        parts = [_cut(part, limit) for part in value]
        return value if all(one is other for one, other in zip(parts, value, strict=True)) else tuple(parts)
    if isinstance(value, str) and len(value) > limit:
        return f"{value[:limit]}…"
    return value


def _shown(value: Any, translate: Translate) -> Any:
    if isinstance(value, Sentence):
        return value.render(translate)
    if isinstance(value, (tuple, list)):
        return ", ".join(str(_shown(part, translate)) for part in value)
    return value


MAX_LISTED_NAMES = 8
"""A sentence lists this many names and counts the rest."""


def listed(names: Sequence[str]) -> Sentence | tuple[str, ...]:
    """Names for a placeholder, at most `MAX_LISTED_NAMES` of them."""
    if len(names) <= MAX_LISTED_NAMES:
        return tuple(names)
    shown = tuple(names[:MAX_LISTED_NAMES])
    return say("{names} and {count} more", names=shown, count=len(names) - MAX_LISTED_NAMES)
