"""List every sentence that a user may see, with the place where it stands, for reading all of them in one go.

    python scripts/sentences.py                      all of them, as PATH:LINE: SENTENCE
    python scripts/sentences.py templates routing    those under these paths

Sentences stand in gettext's functions, in `{% translate %}` of templates and in `say(…)` (scripts/messages.py collects
those), and untranslated: in system checks, logs, errors, help texts, descriptions of REST, pages of findings.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.messages import files_under, found_messages  # noqa: E402 - a script finds the project only now

PACKAGES = ("brokerui", "routing", "pipeline", "distributions")
PAGES = ("docs/reference/findings",)
"""Markdown that pages of the product show."""
DESCRIBED = "brokerui/api"
"""Docstrings of classes and methods here are descriptions of the OpenAPI document."""
WORDS_MIN = 3
"""Fewest words of an untranslated text that is listed: shorter ones are names, keys and parts of SQL."""

CODE = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) |redis\.call|^#!")
PLACE = re.compile(r"\{[^{}]*\}")
"""An expression in a text; its words are no words of the sentence."""


@dataclass(frozen=True, slots=True, order=True)
class UserSentence:
    """A text that a user may see, and where it stands."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {' '.join(self.text.split())}"


def sentences(places: tuple[str, ...] = ("",)) -> list[UserSentence]:
    """Return those of the files whose path begins with one of the places, by place, each once."""
    translated = set(_translated(places))
    known = {(one.path, one.text) for one in translated}
    return sorted({*translated, *_untranslated(places, known), *_pages(places)})


def _translated(places: tuple[str, ...]) -> Iterator[UserSentence]:
    for path, line, message, _comments, _context in found_messages(places):
        texts = (message,) if isinstance(message, str) else message
        yield from (UserSentence(_place(path), line, text) for text in texts if text)


def _untranslated(places: tuple[str, ...], translated: set[tuple[str, str]]) -> Iterator[UserSentence]:
    for package in PACKAGES:
        for path in files_under(places, package, "*.py"):
            for one in _literals(_place(path), path.read_text(encoding="utf-8")):
                if (one.path, one.text) not in translated:
                    yield one


def _literals(place: str, source: str) -> Iterator[UserSentence]:
    """Return the texts of a module that are sentences: neither docstrings, nor SQL or the like."""
    nodes = list(ast.walk(ast.parse(source)))
    notes = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    others = notes | parts
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and place.startswith(DESCRIBED):
            text = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in others:
            text = _text(node)
        else:
            continue
        if _is_sentence(text):
            yield UserSentence(place, node.lineno, text)


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a literal, with the expressions of an f-string in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(map(_part_text, node.values))


def _part_text(part: ast.expr) -> str:
    return f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else str(ast.literal_eval(part))


def _is_sentence(text: str) -> bool:
    """Return whether a text has enough words of its own, and is no statement of SQL or Lua."""
    if CODE.search(text):
        return False
    text = PLACE.sub("", text)
    words = [word for word in text.split() if word.strip("'\"().,:;!?").isalpha() and not word.isupper()]
    return len(words) >= WORDS_MIN


def _pages(places: tuple[str, ...]) -> Iterator[UserSentence]:
    for folder in PAGES:
        for path in files_under(places, folder, "*.md"):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if _is_sentence(line):
                    yield UserSentence(_place(path), number, line)


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def main() -> int:
    """Print those that the arguments ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", nargs="*", help="only sentences of files under this path")
    wanted = tuple(parser.parse_args().path)
    settings.configure()  # templatize asks for the syntax of comments, nothing else
    for one in sentences(wanted or ("",)):
        print(one)
    return 0


if __name__ == "__main__":
    sys.exit(main())
