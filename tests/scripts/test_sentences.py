"""Every sentence that a user may see is listed, and none has a fault of a kind that a reader stumbled over."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from brokerui.core.home import CHECKOUT
from scripts.sentences import UserSentence, sentences

FAULTS = {
    "a riddle in place of the actor": r"\b[Ww]hoever\b|\b[Ww]ho\b[^.;]*\b(he|him|his)\b|\b(he|him)\b",
    "a number without its unit": r"\b[Ss]o (many|long|often|much)\b(?! (as|that|of)\b)|\bat most so\b",
    "a genitive before what it belongs to": r"\b(say|text|name|one) of which\b",
    "to be told of, said of, had": r"\bis (told|said|had) (of|on|once|only)\b|\bcannot be had\b|\bis said here\b",
    "a filter that is mended": r"\b[Mm]end it above\b|\btake it away\b|\bfilter cannot be\b",
    "nobody knows": r"\b[Nn]obody knows\b",
    "two names of one thing": r"\b(forth and back|go round|in a circle|gets? nowhere|got nowhere|is there no longer)\b",
    "begun and made where created and started are meant": r"\bwas begun \d|\b[Mm]ake a token\b",
}


@pytest.fixture(scope="module")
def found() -> list[UserSentence]:
    return sentences()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("templates/findings/_groups.html", "Correct or clear the filter."),
        ("brokerui/cli/commands/receive.py", "milliseconds to wait for the first message (default: 0)"),
        ("brokerui/running/messages.py", "{name} ended ({how}) and is started again; its log: {log}"),
        ("brokerui/core/checks.py", "The home {settings.HOME} cannot be written to."),
        ("brokerui/core/refusals.py", "the Host header {quoted(host)} is not in ALLOWED_HOSTS"),
        ("brokerui/api/messaging/queue_bodies.py", "The largest number of messages."),
        ("brokerui/core/problems.py", "Unsupported media type"),
        ("pipeline/job_arguments.py", "the same seed gives the same rows"),
        ("routing/lint/registry.py", "Replies do not arrive"),
        ("docs/reference/findings/no-return-route.md", "Replies do not arrive. Severity: error."),
    ],
)
def test_the_list_has_sentences_of(found: list[UserSentence], path: str, text: str) -> None:
    assert text in {one.text for one in found if one.path == path}


def test_code_is_no_sentence(found: list[UserSentence]) -> None:
    assert not [one for one in found if "redis.call" in one.text or one.text.startswith("SELECT ")]


@pytest.mark.parametrize("fault", FAULTS)
def test_no_sentence_has(found: list[UserSentence], fault: str) -> None:
    assert [str(one) for one in found if re.search(FAULTS[fault], one.text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "whoever may receive a message sees what it says",
        "Who finds another at work leaves it to him.",
        "wait so long for the first message, in milliseconds",
        "at most so many messages at once",
        "is a grid of sys.routes; say of which database",
        "what is to be sent cannot be had",
        "Mend it above, or take it away.",
        "Nobody knows which connections there are",
        "Replies get nowhere",
    ],
)
def test_a_fault_is_found(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in FAULTS.values())


@pytest.mark.parametrize("text", ["so many that it is full", "both of which run here", "the header of a message"])
def test_plain_words_are_no_fault(text: str) -> None:
    assert not any(re.search(pattern, text) for pattern in FAULTS.values())


def test_the_command_prints_those_under_a_path() -> None:
    command = [sys.executable, "scripts/sentences.py", "templates/routes"]
    printed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed
    assert all(line.startswith("templates/routes/") for line in printed)
