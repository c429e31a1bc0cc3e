"""No docstring, comment or document has a riddle: a clause that hides the actor, the object or the number."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from brokerui.core.home import CHECKOUT

RIDDLES: Final = {
    "name the actor (the worker, the caller, the user, the peer)": (
        r"\b[Ww]hoever\b",
        r"(?:^|[.:;] |\"\"\"|// |# )Who [a-z]",
        r"\b(?:for|by|of|to|from|than|with) who\b(?! in\b|,)",
        r"\b(?:he|him|his)\b",
        r"; who [a-z]|\ball who\b",
        (
            r"(?::|\b(?:and|or|only|but)) who (?:[a-z]+ )*[a-z]+,? "
            r"(?:is|are|has|may|asks|draws|finds|gets|reaches|reads|says|waits)\b"
        ),
    ),
    "put the noun first (`the rows of a file`, `a file whose rows`)": (r"\b[Oo]f (?:which|whom|whose)\b",),
    "give the number and its unit": (r"\b[Ss]o (?:many|much|often|long)\b",),
    "name the thing (the message, the row, the frame, the user's text)": (
        r"\b[Ww]hat (?:is|was|has|comes|came|leaves|waits)\b",
    ),
}
"""Patterns of riddles, by the advice to their author."""
GROUPS: Final = {advice: f"kind{number}" for number, advice in enumerate(RIDDLES)}
CLAUSES: Final = re.compile(r"[Ww]ho|[Ww]hat|[Oo]f which|[Ss]o (?:many|much|often|long)|\b(?:he|him|his)\b")
"""Every riddle has one of these words: a line without them needs no further search."""
ANY_RIDDLE: Final = re.compile("|".join(f"(?P<{GROUPS[advice]}>{'|'.join(RIDDLES[advice])})" for advice in RIDDLES))

PLAIN: Final = (
    r"\b[Ww]hat (?:is|was) (?:wrong|missing|due|new|left)\b",
    r"\b(?:all|any|both|each|half|many|most|neither|none|one|part|several|some|two|three|copy) of (?:which|whom)\b",
    r"\bso (?:many|much|often|long)\b(?=[^.;]*\b(?:as|that)\b)",
    r"(?:^##+ |\[)[Ww]hat (?:is|was|has)\b",
    r"\bRun what is there\b",
)
"""Words that are understood at once: they are no riddles. Headings of Markdown, and links to them, may be questions;
the last one names a permission, in a migration."""

QUESTIONS: Final = re.compile(r'"""What\b')
"""Docstrings that ask instead of answering: a function begins with its verb, a class or a value with its noun."""
UNNAMED: Final = re.compile(
    r"\b[Ww]hat (?:is|was) (?:wrong|missing|due|new|left|there)\b|\bwho is (?:behind|there)\b|\bthat which\b"
)
"""Words of comments and docstrings that name neither the actor nor the thing. A sentence for users may have them."""
FREE_WHAT: Final = r"\b[Ww]hat (?:new|no|nobody|only|others)\b(?! longer\b)"
"""A clause in place of a noun: it names the actor, or none, and not the thing. A heading may be such a clause."""
UNNAMED_THING: Final = re.compile(rf"(?!^#).*{FREE_WHAT}")
TEXTS: Final = re.compile(r'"[^"]*"')
VERBS: Final = re.compile("asked|told|said")
VERBS_AS_NAMES: Final = re.compile(
    r"(?:\.|\bdef |\bclass |^\s*)(?:asked|told|said)(?=\(|:| =|\b *[.,)\]])"  # attributes, functions, assignments
    r"|[(,] ?(?:asked|told|said)[:=]|\bfor (?:\w+, )*(?:asked|told|said)(?:, \w+)* in "  # parameters, loops
    r"|\{[%{][^}\"]*[ .](?:asked|told|said)(?=[ .|=])"  # variables of templates
    r"|<[^>]*(?:class|id)=\"(?:[^\"]* )?(?:asked|told|said)[\" -]"
    r"|^\s*\.(?:asked|told|said)\b|\w \.(?:asked|told|said)[ .:{]"
)
"""Names of values that do not say what the value is; `told` is a column of the results of the pipeline."""
COLUMNS: Final = ("told = models.JSONField()", "one.told|join")

KINDS: Final = ("*.py", "*.html", "*.md", "*.js", "*.css")
EXAMPLES: Final = ("tests/scripts/test_riddles.py", "tests/scripts/test_sentences.py")
"""Files that quote riddles."""
RECORDS: Final = "benchmarks/results/"
"""Measurements with a date, which are not rewritten."""


def riddles_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield each riddle of a text: the number of its line, its words, and the advice."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        for match in ANY_RIDDLE.finditer(line) if CLAUSES.search(line) else ():
            if not _is_plain(line, lines[number + 1 : number + 2], match):
                yield number + 1, match[0].strip(), _advice(match)


def _advice(match: re.Match[str]) -> str:
    return next(advice for advice in RIDDLES if match[GROUPS[advice]] is not None)


def _is_plain(line: str, following: list[str], match: re.Match[str]) -> bool:
    """Return whether the match lies in plain words; these may go on in the following line."""
    text = " ".join([line, *(one.strip() for one in following)])
    return any(
        found.start() <= match.end() and match.start() <= found.end()
        for pattern in PLAIN
        for found in re.finditer(pattern, text)
    )


@cache
def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--", *KINDS], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    paths = [path for path in listed.stdout.splitlines() if path not in EXAMPLES and not path.startswith(RECORDS)]
    return [CHECKOUT / path for path in paths if (CHECKOUT / path).is_file()]


def test_no_file_has_a_riddle() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}: {words!r}: {advice}"
        for path in _tracked()
        for number, words, advice in riddles_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(("Rewrite these sentences, or add plain words to PLAIN:", *found))


def _lines() -> Iterator[tuple[str, str]]:
    """Yield each line of code, templates and stylesheets with its place."""
    for path in _tracked():
        name = str(path.relative_to(CHECKOUT))
        if path.suffix != ".md":
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield f"{name}:{number}", line


def test_no_docstring_begins_with_a_question() -> None:
    found = [
        f"{place}: {line.strip()}"
        for place, line in _lines()
        if QUESTIONS.search(line) and not place.startswith("tests/")
    ]
    assert not found, "\n".join(("Begin with the verb, or with the noun that the class or value is:", *found))


def is_unnamed(line: str) -> bool:
    """Return whether a comment or a docstring in a line of Python has such words; texts in quotes are passed over."""
    if "hat " not in line and "who is" not in line:
        return False
    words = TEXTS.sub("", line.replace('"""', ""))
    return UNNAMED.search(words) is not None or re.search(FREE_WHAT, words) is not None


def test_comments_name_the_actor_and_the_thing() -> None:
    found = [f"{place}: {line.strip()}" for place, line in _lines() if ".py:" in place and is_unnamed(line)]
    assert not found, "\n".join(("Name the fault, the rows, the files, the peer:", *found))


def test_documents_name_the_thing() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}: {line.strip()}"
        for path in _tracked()
        if path.suffix == ".md"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNNAMED_THING.match(line)
    ]
    assert not found, "\n".join(("Name the rows, the messages, the text, and begin with that noun:", *found))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("| what new events touch | in |", True),
        ("It keeps what nobody confirmed.", True),
        ("## What no script makes", False),
        ("It says what each route carried, and what no longer holds.", False),
    ],
)
def test_a_thing_without_a_name_is_found_in_documents(line: str, expected: bool) -> None:
    assert (UNNAMED_THING.match(line) is not None) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('    """Return what is wrong."""', True),
        ("    # Then what is left goes.", True),
        ("        what was new, as Spark reads it.", True),
        ('    """Find what new events touch."""', True),
        ("# What others hold stays.", True),
        ('    """See what any change would do, and what each of them carried."""', False),
        ('    """Return the folder: that which its record names."""', True),
        ('    problem = say("Import what is missing, or correct the names.")', False),
        ('    """Return the fault of a line."""', False),
    ],
)
def test_words_that_name_nothing_are_found_in_comments_alone(line: str, expected: bool) -> None:
    assert is_unnamed(line) is expected


def test_values_are_named_by_what_they_are() -> None:
    found = [
        f"{place}: {line.strip()}"
        for place, line in _lines()
        if VERBS.search(line) and VERBS_AS_NAMES.search(line) and not any(column in line for column in COLUMNS)
    ]
    assert not found, "\n".join(("Name the value by the noun that it is:", *found))


@pytest.mark.parametrize(
    "text",
    [
        "    told: set[str]",
        "if self.said:",
        "asked = 1",
        "def told(self):",
        "connect(instance, said=True)",
        "for back, said in pairs:",
        "{{ one.told }}",
        "{% if asked %}",
        '<div class="said" id="x">',
        ".form .said { color: red }",
    ],
)
def test_a_verb_as_name_is_found(text: str) -> None:
    assert VERBS_AS_NAMES.search(text)


@pytest.mark.parametrize(
    "text", ["as the user asked", 'say("it is told")', '{% translate "was asked" %}', "its peer said so"]
)
def test_verbs_in_sentences_are_no_names(text: str) -> None:
    assert not VERBS_AS_NAMES.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Whoever has it says when.",
        '"""Who finds another at work leaves it to them."""',
        "# kept for who asks next",
        "and forget it: who asks again may find more",
        "who was there; who needs them reads the versions",
        "only who debugs asks for them",
        "the principal, or who was, says that it is",
        "the same for all who look",
        "the worker says that he is busy",
        "Of which one worker has the lock",
        "waits so long for a message",
        "# What was sent\nis received",
        "all of what waits here",
    ],
)
def test_a_riddle_is_found(text: str) -> None:
    assert len(list(riddles_in(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a user who has access",
        "`audit/`: who changed what, and who may read it",
        "its name, who sees it, and what it shows",
        "the users who wait, and others who are never reached",
        "two partners, neither of which is the principal",
        "so many that\nthe page shows some",
        "takes so\nlong as it has to",
        "say what is missing",
        "## What is promised",
        "see [What is promised](guarantees.md)",
        "# the head of the queue",
    ],
)
def test_plain_words_are_no_riddle(text: str) -> None:
    assert not list(riddles_in(text))
