"""The languages of the product, and the catalogue of one of them without Django."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from routing.common.sentence import Sentence, Translate, translator

ENGLISH = "en"
LANGUAGES = (ENGLISH, "es", "fr", "pt-br", "zh-hans")
LOCALE = Path(__file__).resolve().parents[1] / "locale"
_FOLDERS = {"pt-br": "pt_BR", "zh-hans": "zh_Hans"}
_REGIONS = {"zh-cn": "zh-hans", "zh-sg": "zh-hans"}
"""Locales named by a country that writes one of the languages."""


def translation(language: str) -> Translate:
    """gettext in this language; English where there is no catalogue for it."""
    if language == ENGLISH:
        return str
    import gettext  # noqa: PLC0415 - only other languages pay for it

    catalogue = gettext.translation("django", LOCALE, [_folder(language)], fallback=True)
    return translator(catalogue.gettext, catalogue.ngettext)


def environment_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the environment of this process, as gettext's programs find it, if it has a catalogue.

    LANGUAGE lists languages, the first that is ready counts; then the locale. A locale C asks for English.
    """
    locale = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    if locale in {"C", "POSIX"}:
        return ENGLISH
    wanted = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next((language for each in wanted for language in _languages(each) if _is_ready(language)), ENGLISH)


def here() -> Translate:
    """gettext in the language of the environment."""
    return translation(environment_language())


def local(sentence: Sentence) -> str:
    """A sentence in the language of the environment."""
    return sentence.render(here())


def _languages(locale: str) -> Iterator[str]:
    """Yield the product's languages that fit a locale, the nearest first: `pt_BR.UTF-8` is pt-br, `fr_CA` is fr."""
    parts = re.split(r"[.@]", locale.lower().replace("_", "-"), maxsplit=1)[0].split("-")
    for length in range(len(parts), 0, -1):
        name = "-".join(parts[:length])
        language = _REGIONS.get(name, name)
        if language in LANGUAGES:
            yield language


def _is_ready(language: str) -> bool:
    return language == ENGLISH or (LOCALE / _folder(language) / "LC_MESSAGES" / "django.mo").exists()


def _folder(language: str) -> str:
    return _FOLDERS.get(language, language)
