"""Reads functions and queries of the catalog in conditions: DB_ID, OBJECT_ID, SELECT … FROM sys.services."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from routing.common.sentence import Sentence
from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import NULL, Constant, NotConstant, TextConstant, flat
from routing.tsql.growth import ExpansionBudget
from routing.tsql.known_objects import KnownObjects, fact
from routing.tsql.lexer import END, QUOTED, SYMBOL, WORD, next_token
from routing.tsql.procedure_bodies import name_from
from routing.tsql.statement import (
    BINDING,
    CONTRACT,
    DATABASE,
    ENDPOINT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
)

_VIEWS = {
    "databases": DATABASE,
    "sysdatabases": DATABASE,
    "services": SERVICE,
    "service_queues": QUEUE,
    "routes": ROUTE,
    "service_contracts": CONTRACT,
    "service_message_types": MESSAGE_TYPE,
    "conversation_priorities": PRIORITY,
    "remote_service_bindings": BINDING,
    "endpoints": ENDPOINT,
    "tcp_endpoints": ENDPOINT,
    "service_broker_endpoints": ENDPOINT,
    "objects": "",
    "sysobjects": "",
    "all_objects": "",
}
"""The kind of object whose names a catalog view lists; none for views of objects of many kinds."""
_QUEUE_TYPES = frozenset(("sq", "service_queue"))
_TYPES = frozenset(("type", "type_desc", "xtype"))
_MOST_COLUMNS = 200
"""Limit of tokens before FROM."""


class Something:
    """A value that is not NULL, and not known otherwise."""


SOMETHING = Something()
ConditionValue: TypeAlias = Constant | Something
Subject = tuple[str, str]


@dataclass(slots=True)
class _Query:
    """One SELECT from a catalog view."""

    column: str
    view: str
    database: str | None
    filters: dict[str, ConditionValue | None] = field(default_factory=dict)
    """The compared value by column in lower case; None: a value that is not known."""
    is_open: bool = False
    """True if it is restricted otherwise, too."""


class CatalogQueries:
    """The values of one condition. Methods raise `NotConstant` at what they cannot read."""

    def __init__(self, reader: ConstantReader, known: KnownObjects, budget: ExpansionBudget) -> None:
        self._reader = reader
        self._known = known
        self._budget = budget
        self.facts: list[tuple[Subject, Sentence]] = []
        """The objects whose existence is known."""
        self.open: list[Subject] = []
        """The objects whose existence is not known."""

    def text(self, value: TextConstant) -> str:
        self._budget.spend(value.size_chars)
        return flat(value, self._budget).text

    def value(self) -> ConditionValue | None:
        """Read a value; None if it depends on an unknown one."""
        if self.is_query():
            return self._scalar()
        name = self._reader.ahead.text.upper() if self._reader.ahead.kind == WORD else ""
        if name in ("DB_ID", "OBJECT_ID"):
            self._reader.take()
            return self._identifier(name)
        if name == "NULL":
            self._reader.take()
            return NULL
        return self._reader.value()

    def is_query(self) -> bool:
        """True if a SELECT in parentheses is next."""
        reader = self._reader
        return (
            reader.ahead.kind == SYMBOL
            and reader.ahead.text == "("
            and next_token(reader.text, reader.ahead.end).text.upper() == "SELECT"
        )

    def _identifier(self, function: str) -> ConditionValue | None:
        """DB_ID or OBJECT_ID, after that word."""
        reader, arguments = self._reader, list[str]()
        reader.expect("(")
        while not reader.accept(")"):
            if arguments:
                reader.expect(",")
            value = reader.value()
            if not isinstance(value, TextConstant):
                raise NotConstant
            arguments.append(self.text(value))
        if function == "DB_ID":
            return self._found(self._ask(DATABASE, arguments[0])) if arguments else SOMETHING
        return self._object(arguments)

    def _object(self, arguments: list[str]) -> ConditionValue | None:
        parts = _parts(arguments[0]) if arguments else []
        if not parts or len(parts) > 3 or (len(arguments) > 1 and arguments[1].strip().lower() != "sq"):
            raise NotConstant
        schema = parts[-2] if len(parts) > 1 and parts[-2] else "dbo"
        database = parts[-3] if len(parts) > 2 else None
        is_there = self._ask(QUEUE, f"{schema}.{parts[-1]}", database)
        # Without a type it may be the name of a table or procedure.
        return self._found(is_there if is_there or len(arguments) > 1 else None)

    def _found(self, is_there: bool | None) -> ConditionValue | None:
        return None if is_there is None else SOMETHING if is_there else NULL

    def _ask(self, kind: str, name: str, database: str | None = None) -> bool | None:
        is_there = self._known.is_there(kind, name, database)
        if is_there is None:
            self.open.append((kind, name))
        else:
            self.facts.append(((kind, name), fact(kind, name, is_there=is_there)))
        return is_there

    # ------------------------------------------------------------ queries

    def exists(self) -> bool | None:
        """`(SELECT … FROM view WHERE …)`, after EXISTS."""
        if not self.is_query():
            raise NotConstant
        return self._answer(self._query())

    def _scalar(self) -> ConditionValue | None:
        query = self._query()
        is_there = self._answer(query)
        if query.column == "count":
            return None if is_there is None else int(is_there)
        if is_there is False:
            return NULL
        if query.column == "is_broker_enabled":
            return self._broker_enabled(query)
        return SOMETHING if is_there and query.column in ("name", "1", "database_id", "object_id", "*") else None

    def _broker_enabled(self, query: _Query) -> int | None:
        name = query.filters.get("name")
        place = self._known.database(self.text(name) if isinstance(name, TextConstant) else None)
        return int(place.broker_enabled) if place is not None and place.is_whole and not query.is_open else None

    def _query(self) -> _Query:
        reader = self._reader
        reader.expect("(")
        reader.take()
        column = self._columns()
        first = reader.ahead
        parts, last = name_from(reader.text, first)
        if first.kind not in (WORD, QUOTED) or parts[-1].lower() not in _VIEWS:
            raise NotConstant
        reader.go_to(last.end)
        found = _Query(column, parts[-1].lower(), parts[-3] if len(parts) > 2 else None)
        self._alias()
        if reader.accept_word("WHERE"):
            self._filters(found)
        reader.expect(")")
        return found

    def _columns(self) -> str:
        """The word that distinguishes the columns; takes everything up to FROM."""
        reader, first, depth = self._reader, "", 0
        for _ in range(_MOST_COLUMNS):
            token = reader.take()
            if token.kind == WORD and token.text.upper() == "FROM" and depth == 0:
                return first
            if token.kind == END or (token.kind == SYMBOL and token.text == ")" and depth == 0):
                raise NotConstant
            depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0
            is_name = token.kind in (WORD, QUOTED) or token.text in ("*", "1")
            first = first or (token.text.lower() if is_name and token.text.upper() not in ("TOP", "DISTINCT") else "")
        raise NotConstant

    def _alias(self) -> None:
        reader = self._reader
        reader.accept_word("AS")
        if reader.ahead.kind in (WORD, QUOTED) and reader.ahead.text.upper() not in ("WHERE", "WITH"):
            reader.take()
        if reader.accept_word("WITH"):
            reader.expect("(")
            while not reader.accept(")"):
                if reader.take().kind == END:
                    raise NotConstant

    def _filters(self, query: _Query) -> None:
        while True:
            column = self._column()
            if column is None or not self._reader.accept("="):
                raise NotConstant
            if column in query.filters:
                query.is_open = True
            query.filters[column] = self._database_of(query) if column == "database_id" else self.value()
            if column == "database_id":
                query.filters.setdefault("name", query.filters.pop(column))
            if not self._reader.accept_word("AND"):
                return

    def _database_of(self, query: _Query) -> ConditionValue | None:
        """`DB_ID('name')` or `DB_ID()` as the name that it stands for."""
        reader = self._reader
        if not reader.accept_word("DB_ID"):
            raise NotConstant
        reader.expect("(")
        if reader.accept(")"):
            query.filters.setdefault("current", SOMETHING)
            return None
        value = reader.value()
        reader.expect(")")
        return value

    def _column(self) -> str | None:
        token = self._reader.take()
        if self._reader.accept("."):
            token = self._reader.take()
        return token.text.lower() if token.kind in (WORD, QUOTED) and token.text[:1] != "@" else None

    def _answer(self, query: _Query) -> bool | None:
        """Whether the query finds a row."""
        kind, filters = _VIEWS[query.view], dict(query.filters)
        is_current = filters.pop("current", None) is not None
        name = filters.pop("name", None)
        types = {column: filters.pop(column) for column in _TYPES & filters.keys()}
        if not kind and any(self._is_queue(value) for value in types.values()):
            kind = QUEUE
            types = {}
        enabled = filters.pop("is_broker_enabled", None) if kind == DATABASE else None
        if is_current and kind == DATABASE:
            is_there: bool | None = True
        elif not kind or not isinstance(name, TextConstant):
            return None
        else:
            is_there = self._ask(kind, self.text(name), query.database)
        if is_there is not True:
            return is_there
        if enabled is not None and (flag := self._broker_enabled(query)) is not None and isinstance(enabled, int):
            return flag == enabled if not (filters or types or query.is_open) else None
        is_open = bool(filters or types or query.is_open) or "is_broker_enabled" in query.filters
        return None if is_open else True

    def _is_queue(self, value: ConditionValue | None) -> bool:
        return isinstance(value, TextConstant) and self.text(value).strip().lower() in _QUEUE_TYPES


def _parts(name: str) -> list[str]:
    """The parts of a name in a string; none if it is no name."""
    first = next_token(name, 0)
    if first.kind not in (WORD, QUOTED):
        return []
    parts, last = name_from(name, first)
    return parts if not name[last.end :].strip() else []
