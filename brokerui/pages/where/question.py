"""The question as the address of the page holds it, and as the engine takes it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

from brokerui.analysis.explanations.origin import OUTSIDE, ambiguous, as_origin, cuts, is_outside, meant, origin_text
from brokerui.core.typed_moments import read_moment
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import format_moment
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import Sentence, say
from routing.model.conversation import Conversation
from routing.model.estate import Estate

FIELDS = ("from", "to", "broker", "service", "reply", "at", "route")
SPACED = ("broker", "at")
"""Fields in which spaces around mean nothing. Names compare byte by byte: theirs are part of them."""


@dataclass(frozen=True, slots=True)
class WhereQuestion:
    """The fields as they were typed; an empty field counts as not given."""

    values: Mapping[str, str]

    @classmethod
    def of(cls, query: Mapping[str, str]) -> WhereQuestion:
        """Read a query string, without empty values."""
        given = {name: query.get(name, "") for name in FIELDS}
        values = {name: text.strip() if name in SPACED else text for name, text in given.items()}
        return cls({name: text for name, text in values.items() if text})

    def in_words_of(self, estate: Estate) -> WhereQuestion:
        """Return the question with its origin as questions write it, also if it was typed as answers write it."""
        return WhereQuestion({**self.values, "from": as_origin(self.get("from"), estate)}) if self.get("from") else self

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def is_empty(self) -> bool:
        """Nobody has asked anything yet."""
        return not self.get("from") and not self.get("to")

    @property
    def from_outside(self) -> bool:
        return self.get("from").startswith(OUTSIDE)

    def query(self, viewed: Mapping[str, str]) -> str:
        """The query string that asks this again, of the same estate."""
        return urlencode({**viewed, **self.values})

    def asked_at(self, at: datetime) -> WhereQuestion:
        """Return the question at this moment, unless it names one."""
        return WhereQuestion({"at": format_moment(at), **self.values})


@dataclass(slots=True)
class ParsedQuestion:
    """The conversation to ask the engine about, or for each invalid field the reason."""

    conversation: Conversation | None = None
    at: datetime | None = None
    """The moment that was given; None: now."""
    faults: dict[str, Sentence] = field(default_factory=dict)


def read(question: WhereQuestion, estate: Estate) -> ParsedQuestion:
    """The conversation of a question, or every fault in it, by field."""
    parsed = ParsedQuestion()
    instance, database = asked_from(question, estate, parsed.faults)
    service = _checked(parsed, "to", question, _service) or ""
    identifier = _checked(parsed, "broker", question, parse_identifier)
    own = _checked(parsed, "service", question, _service)
    if question.get("at"):
        _moment(parsed, question.get("at"))
    if not service and "to" not in parsed.faults:
        parsed.faults["to"] = say("Name the service that the conversation is for.")
    if not parsed.faults:
        reply = question.from_outside and bool(question.get("reply"))
        parsed.conversation = Conversation(instance, database, service, identifier, reply, own)
    return parsed


def asked_from(question: WhereQuestion, estate: Estate, faults: dict[str, Sentence]) -> tuple[str, str | None]:
    """Instance and database of `HOST/DB` or `outside:HOST`. Names may hold slashes: the estate decides where to cut."""
    text = question.get("from")
    if is_outside(text, estate):
        return text.removeprefix(OUTSIDE), None
    known = meant(text, estate)
    if len(known) == 1:
        return known[0]
    faults["from"] = say("This {problem}.", problem=ambiguous(known)) if known else _unknown(text, cuts(text), estate)
    return "", None


def _unknown(text: str, cuts: list[tuple[str, str]], estate: Estate) -> Sentence:
    if not text:
        return say("Choose where the conversation begins.")
    for host, name in cuts:
        if host in estate.instances:
            return say('There is no database "{name}" on {host}.', name=name, host=host)
    host = cuts[0][0] if cuts else text.removeprefix(OUTSIDE)
    return say('There is no instance "{host}" here. Write HOST/DATABASE, or outside:HOST.', host=host)


def _service(text: str) -> str:
    check_name(text, "", SERVICE_NAME_CHARS)
    return text


def _checked(parsed: ParsedQuestion, name: str, question: WhereQuestion, parse: object) -> str | None:
    text = question.get(name)
    if not text:
        return None
    try:
        return parse(text)  # type: ignore[operator, no-any-return]  # one of the functions above
    except Invalid as fault:
        parsed.faults[name] = say("This {problem}.", problem=fault.problem)
        return None


def _moment(parsed: ParsedQuestion, text: str) -> None:
    try:
        parsed.at = read_moment(text)
    except Invalid as fault:
        parsed.faults["at"] = say("This {problem}.", problem=fault.problem)


def command(conversation: Conversation, at: datetime | None, document: str, estate: Estate) -> str:
    """The line that asks the same of the command line, quoted for a shell."""
    words = [".venv/bin/brokerui", "explain", document]
    if conversation.database is None:
        words += _option("--outside", conversation.instance)
    else:
        words += _option("--from", origin_text(estate, conversation.instance, conversation.database))
    words += _option("--to", conversation.to_service)
    words += _option("--broker", conversation.to_broker_instance)
    words += _option("--service", conversation.from_service)
    words += ["--reply"] if conversation.is_reply else []
    words += _option("--at", format_moment(at) if at else None)
    return shlex.join(words)


def _option(name: str, value: str | None) -> list[str]:
    if not value:
        return []
    # A value that begins with a dash would be taken for an option.
    return [f"{name}={value}"] if value.startswith("-") else [name, value]
