"""The list of the audit: its filter as the address has it, a page of entries, and the rows of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.core.csv import MomentColumn
from brokerui.core.paging import KeysetPage
from brokerui.core.templatetags.wording import sentence_text
from brokerui.core.typed_moments import read_moment
from brokerui.estate.audit_reading import AuditFilter, AuditKey, audit_page, latest_actions
from brokerui.estate.models import AuditEntry
from brokerui.pages.shell.columns import Column, Table
from routing.common.errors import Invalid

ROWS: Final = 100
FILE_ROWS: Final = 50_000
DIGITS: Final = 17
"""Of the numbers of a key."""
SHOWN: Final = 6
"""Fields of an entry that the table shows at once."""
FIELDS: Final = ("author", "action", "about", "since", "until", "columns", "after")
TABLE: Final[Table[AuditEntry]] = Table(
    Column("at", _("When"), is_head=True, is_moment=True, files=("at",)),
    Column("author", _("Author"), files=("author",)),
    Column("address", _("Address"), files=("address",)),
    Column("action", _("Act"), files=("action", "version")),
    Column("about", _("Object"), files=("about",)),
    Column("changes", _("Before and after"), files=("field", "old", "new")),
)
"""Entries come by their key, the latest first: no column sorts."""


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """The parameters of the page."""

    author: str = ""
    action: str = ""
    about: str = ""
    since: str = ""
    until: str = ""
    columns: str = ""
    after: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> AuditQuery:
        return cls(**{name: query.get(name, "").strip() for name in FIELDS})

    @property
    def is_filtered(self) -> bool:
        return any((self.author, self.action, self.about, self.since, self.until))

    def query(self, **changed: str) -> str:
        """Return the query string of the same filter; it begins at the first page unless `after` is given."""
        values = {name: getattr(self, name) for name in FIELDS} | {"after": "", **changed}
        return urlencode({name: value for name, value in values.items() if value})

    def problems(self) -> Iterator[str]:
        """Sentences about moments that are none."""
        for text in filter(None, (self.since, self.until)):
            try:
                read_moment(text)
            except Invalid as fault:
                values = {"text": text, "problem": sentence_text(fault.problem)}
                yield gettext("%(text)s %(problem)s.") % values

    def filter(self) -> AuditFilter:
        """Return the filter of a query without problems."""
        return AuditFilter(self.author, self.action, self.about, _moment(self.since), _moment(self.until))


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An entry in the table."""

    entry: AuditEntry
    shown: list[Any]
    more: list[Any]


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the template."""
    table, page_query = TABLE.read(query), AuditQuery.of(query)
    problems = list(page_query.problems())
    page = KeysetPage((), None) if problems else _page(page_query, page_query.after, ROWS)
    return {
        "page_query": page_query,
        "problems": problems,
        "table": table,
        "entries": [_line(entry) for entry in page.rows],
        "actions": latest_actions(),
        "older": page_query.query(after=_key_text(page.after)) if page.after else "",
        "newest": page_query.query() if page_query.after else "",
        "headline": gettext("No entry can have these values.") if problems else _headline(page),
    }


def _headline(page: KeysetPage[AuditEntry, AuditKey]) -> str:
    if not page.rows:
        return gettext("No entry is like this.")
    authors = len({entry.author for entry in page.rows})
    words = ngettext("%(n)s act by %(authors)s", "%(n)s acts by %(authors)s", len(page.rows))
    by = ngettext("%(n)s author", "%(n)s authors", authors) % {"n": authors}
    ending = gettext(", and older ones.") if page.after else "."
    return words % {"n": len(page.rows), "authors": by} + ending


def _line(entry: AuditEntry) -> AuditLine:
    changes = [(name, _words(old), _words(new)) for name, old, new in entry.changes or []]
    return AuditLine(entry, changes[:SHOWN], changes[SHOWN:])


def _words(value: Any) -> Any:
    """The value as the page has it; the file has it as it is stored."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return gettext("empty") if value == "" else value


def _page(page_query: AuditQuery, after: str, limit: int) -> KeysetPage[AuditEntry, AuditKey]:
    return audit_page(page_query.filter(), after=_key_of(after), limit=limit)


def _moment(text: str) -> datetime | None:
    return read_moment(text) if text else None


def _key_text(key: AuditKey | None) -> str:
    return " ".join(map(str, key.numbers())) if key else ""


def _key_of(text: str) -> AuditKey | None:
    """Return the key of an address; a text that is none begins at the first entry."""
    parts = text.split(" ")
    if len(parts) != 2 or not all(part.isdecimal() and part.isascii() and len(part) <= DIGITS for part in parts):
        return None
    return AuditKey.of(int(parts[0]), int(parts[1]))


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS: Final = (
    MomentColumn("at"),
    *("author", "address", "action", "about", "version", "field", "old", "new"),
)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """A line for each changed field; one without a field for an entry that has none."""
    page_query = AuditQuery.of(query)
    if any(page_query.problems()):
        return
    after = ""
    for _page_number in range(FILE_ROWS // (ROWS * 10)):
        page = _page(page_query, after, ROWS * 10)
        for entry in page.rows:
            yield from _cells(entry)
        if page.after is None:
            return
        after = _key_text(page.after)


def _cells(entry: AuditEntry) -> Iterator[tuple[Any, ...]]:
    version = entry.version.number if entry.version else ""
    about = (entry.at, entry.author, entry.address or "", entry.action, entry.note, version)
    for name, old, new in entry.changes or [("", "", "")]:
        yield *about, name, "" if old is None else old, "" if new is None else new
