"""Reads a text that was pasted of a real server: rows of a view, a result of collect-sql, an error log, or events.

One error says which line is wrong and why; nothing is kept before a person has seen the sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from brokerui.analysis.servers.services import check_sums
from brokerui.analysis.servers.sums import ServerSums, sums_of_snapshot
from routing.catalog.broker_log import read_broker_log
from routing.catalog.reading import read_saved
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say
from routing.dialog.states import STATES
from routing.tsql.encodings import text_from

PASTED: Final = "pasted text"
"""Names the text in errors, where it came without a file."""
_VIEWS: Final = ("sys.transmission_queue", "sys.conversation_endpoints", "collect-sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedText:
    """A text with what a person says of it."""

    server: str
    at: datetime
    """When the server was asked."""
    content: bytes
    database: str = ""
    """Empty: the text says it, or it is of the whole server."""
    name: str = PASTED


def sums_of_text(text: PastedText, now: datetime) -> ServerSums:
    """The sums of the text. Raises `InputError` with the line at the first error."""
    sums = _of_log(text) or _of_rows(text)
    _check_states(sums, text.name)
    try:
        check_sums(sums, now)
    except Invalid as fault:
        raise InputError(text.name, fault.path, fault.problem) from None
    return sums


def _of_log(text: PastedText) -> ServerSums | None:
    events = read_broker_log(text_from(text.content, where=text.name), where=text.name)
    return None if events is None else ServerSums(server=text.server, at=text.at, events=events)


def _of_rows(text: PastedText) -> ServerSums:
    snapshot = _snapshot(text)

    def refused(part: str, name: str | None, problem: Sentence) -> None:
        raise InputError(text.name, part if name is None else f"{part}: {name}", problem)

    sums = sums_of_snapshot(text.server, snapshot, snapshot.collected_at or text.at, refused)
    if sums is None:
        problem = say("says nothing of messages or conversations: {views} do, or a log", views=_VIEWS)
        raise InputError(text.name, "", problem)
    return sums


def _snapshot(text: PastedText) -> CatalogSnapshot:
    try:
        return read_saved(text.content, where=text.name, database=text.database or None, at=text.at)
    except InputError:
        if not text.database and _is_readable(replace(text, database="?")):
            raise InputError(text.name, "", say("does not name its database: give its name")) from None
        raise


def _is_readable(text: PastedText) -> bool:
    try:
        read_saved(text.content, where=text.name, database=text.database)
    except InputError:
        return False
    return True


def _check_states(sums: ServerSums, where: str) -> None:
    """Refuse states that sys.conversation_endpoints does not have: the columns are shifted, or of something else."""
    for database in sums.databases:
        for group in database.endpoints or ():
            if group.state not in STATES:
                problem = say("{state} is no state of sys.conversation_endpoints", state=group.state)
                raise InputError(where, "state", problem)
