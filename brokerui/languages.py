"""The languages of the product, and the catalogue of one of them without Django."""

from __future__ import annotations

from pathlib import Path

from routing.sentence import Translate

LANGUAGES = ("en", "es", "fr", "pt-br", "zh-hans")
LOCALE = Path(__file__).parent / "locale"
_FOLDERS = {"pt-br": "pt_BR", "zh-hans": "zh_Hans"}


def translation(language: str) -> Translate:
    """gettext in this language; English where there is no catalogue for it."""
    if language == "en":
        return str
    import gettext  # noqa: PLC0415 - only other languages pay for it

    catalogue = gettext.translation("django", LOCALE, [_FOLDERS.get(language, language)], fallback=True)
    return catalogue.gettext
