"""A conversation with its outcomes, written as a routing test."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime

from brokerui.analysis.explanations.origin import origin_text
from routing.common.moment import format_moment
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.testing.outcome_pattern import outcome_text
from routing.testing.routing_test import MAX_PATTERNS, TEST_NAME_CHARS

_BREAKS = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON holds as they are, and that YAML takes for line breaks or refuses."""


def routing_test_text(
    conversation: Conversation, estate: Estate, outcomes: Sequence[Outcome], at: datetime | None = None
) -> str:
    """The file of one test, which demands what becomes of the conversation now. Its texts are JSON, which is YAML."""
    if conversation.database is None:
        entry, key = conversation.instance, "outside"
    else:
        entry, key = origin_text(estate, conversation.instance, conversation.database), "from"
    members = {
        "name": _name(f"{entry} to {conversation.to_service}"),
        key: entry,
        "to": conversation.to_service,
        **({"broker": conversation.to_broker_instance} if conversation.to_broker_instance else {}),
        **({"reply": True} if conversation.is_reply else {}),
        **({"at": format_moment(at)} if at else {}),
        "must": _must(outcomes),
    }
    lines = [f"    {name}: {_text(value)}" for name, value in members.items()]
    return "\n".join(["tests:", f"  - {lines[0].strip()}", *lines[1:]]) + "\n"


def _text(value: object) -> str:
    """JSON that YAML reads as the same value."""
    text = json.dumps(value, ensure_ascii=False)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _name(text: str) -> str:
    """The text as the name of a test: printable, and not too long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:TEST_NAME_CHARS]


def _must(outcomes: Sequence[Outcome]) -> str | list[str]:
    """The outcomes; only their kinds where there are more than a test may list."""
    texts = [outcome_text(one) for one in outcomes]
    if len(texts) > MAX_PATTERNS:
        texts = sorted({one.kind for one in outcomes})
    return texts[0] if len(texts) == 1 else texts
