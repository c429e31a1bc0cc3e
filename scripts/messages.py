"""Collect the sentences to translate, without gettext's own programs.

    python scripts/messages.py            write brokerui/locale/django.pot, bring every catalogue up to date
    python scripts/messages.py --check    change nothing; name the sentences that are missing, and fail if any is
    python scripts/messages.py --new fr   begin a catalogue

Sentences stand in gettext's functions, in `{% translate %}` of templates and, where no Django is, in `say(…)`
and `say_counted(…)`.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract, extract_from_file
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from brokerui.core.catalogues import DOMAIN, LOCALE, catalogues  # noqa: E402 - a script finds the project only now

POT = LOCALE / f"{DOMAIN}.pot"
SOURCES = ("brokerui", "routing")
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "say": None,
    "say_counted": (2, 3),
    "lazy": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
CALL = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\s*\(")
COMMENT_TAGS = ["Translators"]
HEADER = "# The sentences of BrokerUI. scripts/messages.py keeps this file."
NOISE = tuple(
    f'"{name}'.encode()
    for name in (
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Report-Msgid-Bugs-To",
        "Last-Translator",
        "Language-Team",
        "Generated-By",
    )
)
"""Header lines that change without a change, or that nobody has filled in."""


Text = str | tuple[str, ...] | list[str] | None
Found = tuple[Path, int, str | tuple[str, ...], list[str], str | None]


def collect() -> Catalog:
    """Every sentence of the sources, sorted, with the files it stands in."""
    catalog = _empty()
    for path, _line, message, comments, context in found_messages():
        # Without line numbers: they change with every edit, and nobody translates by them.
        location = [(str(path.relative_to(ROOT)), 0)]
        catalog.add(message, locations=location, auto_comments=comments, context=context)
    return catalog


def files_under(places: tuple[str, ...], folder: str, pattern: str) -> list[Path]:
    """Return the files of a folder whose path from the checkout begins with one of the places."""
    found = sorted((ROOT / folder).rglob(pattern))
    return [path for path in found if path.relative_to(ROOT).as_posix().startswith(places)]


def has_calls(path: Path) -> bool:
    """Say whether a module may call a function of sentences. Babel reads each sign of it, which takes long."""
    return CALL.search(path.read_text(encoding="utf-8")) is not None


@cache
def found_messages(places: tuple[str, ...] = ("",)) -> tuple[Found, ...]:
    """Return each sentence under these places with its file, line, comments and context."""
    return tuple(_found(places))


def _found(places: tuple[str, ...]) -> Iterator[Found]:
    for folder in SOURCES:
        for path in filter(has_calls, files_under(places, folder, "*.py")):
            found = extract_from_file("python", path, KEYWORDS, COMMENT_TAGS)
            yield from ((path, line, message, comments, context) for line, message, comments, context in found)
    for path in files_under(places, "templates", "*.html"):
        # Read as Python, in which the indentation of a template means nothing.
        lines = templatize(path.read_text(encoding="utf-8")).splitlines()
        code = io.BytesIO("\n".join(line.lstrip() for line in lines).encode())
        collected = extract("python", code, KEYWORDS, COMMENT_TAGS)
        yield from ((path, line, message, comments, context) for line, message, comments, context in collected)


def render(catalog: Catalog) -> bytes:
    """The text of a catalogue, in an order that does not depend on the files'."""
    file = io.BytesIO()
    write_po(file, catalog, width=110, sort_output=True, include_lineno=False, omit_header=False)
    lines = file.getvalue().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(NOISE))


def update(template: Catalog) -> None:
    """Write the template, and take new sentences into the catalogues; those that are gone go."""
    POT.parent.mkdir(exist_ok=True)
    POT.write_bytes(render(template))
    for path in catalogues():
        catalog = _read(path)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        path.write_bytes(render(catalog))


def begin(template: Catalog, locale: str) -> None:
    """An empty catalogue of a new language, named as Django names its folder: `pt_BR`, `zh_Hans`."""
    catalog = _empty(locale)
    catalog.update(template)
    path = LOCALE / locale / "LC_MESSAGES" / f"{DOMAIN}.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render(catalog))


def problems(template: Catalog) -> Iterator[str]:
    """Yield the problems that keep the catalogues from being complete."""
    if not POT.exists() or POT.read_bytes() != render(template):
        yield f"{POT.relative_to(ROOT)}: out of date; run scripts/messages.py"
    for path in catalogues():
        yield from _problems_of(path, template)


def _problems_of(path: Path, template: Catalog) -> Iterator[str]:
    catalog, place = _read(path), path.relative_to(ROOT)
    for message in template:
        translated = catalog.get(message.id, message.context)
        if message.id and (translated is None or not _is_complete(translated.string) or translated.fuzzy):
            yield f"{place}: not translated: {message.id!r}"
    for message, errors in catalog.check():
        yield from (f"{place}: {message.id!r}: {error}" for error in errors)
    for message in catalog:
        if message.id and (lost := _lost_places(message.id, message.string)):
            yield f"{place}: {message.id!r}: places lost or made up: {', '.join(sorted(lost))}"


def _is_complete(string: Text) -> bool:
    return bool(string) if isinstance(string, str) else all(string or ())


def _lost_places(original: Text, translated: Text) -> set[str]:
    """Names in braces that only one of the two has: routing's sentences are filled in by them.

    Of several forms the last, which is for many, has them all; the others may say the number as a word.
    """
    wanted, found = _forms(original), _forms(translated)
    if not all(found):
        return set()
    return (_places(wanted[-1]) ^ _places(found[-1])) | {
        place for form in found for place in _places(form) - _places(wanted[-1])
    }


def _forms(text: Text) -> tuple[str, ...]:
    if isinstance(text, str):
        return (text,)
    return tuple(text or ("",))


def _places(text: str) -> set[str]:
    return {part.split("}")[0] for part in text.split("{")[1:] if "}" in part}


def _empty(locale: str | None = None) -> Catalog:
    return Catalog(
        locale, domain=DOMAIN, header_comment=HEADER, project="BrokerUI", version="", charset="utf-8", fuzzy=False
    )


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, domain=DOMAIN)


def main() -> int:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if something is missing")
    parser.add_argument("--new", metavar="LOCALE", help="begin a catalogue, e.g. pt_BR")
    arguments = parser.parse_args()
    settings.configure()  # templatize asks for the syntax of comments, nothing else
    template = collect()
    if arguments.check:
        found = list(problems(template))
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    if arguments.new:
        begin(template, arguments.new)
    update(template)
    return 0


if __name__ == "__main__":
    sys.exit(main())
