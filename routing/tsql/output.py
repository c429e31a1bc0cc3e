"""A growing script: every line is applied to a draft at once, so that reading the script back gives the same result."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from routing.common.errors import Invalid
from routing.tsql.directives import PREFIX, apply_directive, directive
from routing.tsql.draft import DraftDatabase, DraftInstance, EstateDraft
from routing.tsql.refusal import NotApplied
from routing.tsql.session import ScriptSession
from routing.tsql.sql import statement_as_sql
from routing.tsql.statement import DATABASE, USE, Statement

SEPARATOR = "GO"


class Output:
    """The lines so far, and the draft after them."""

    def __init__(self, draft: EstateDraft, at: datetime, named: bool) -> None:
        self.draft = draft
        self.at = at
        self.lines: list[str] = []
        self._named = named
        self._session: ScriptSession | None = None

    # ------------------------------------------------------------ where

    def at_instance(self, name: str) -> DraftInstance:
        """Switch to an instance; creates it if it does not exist."""
        if self._session is None or self._session.instance.name != name:
            instance = self.draft.instance(name, exactly=True)
            self._session = ScriptSession(self.draft, instance, self.at, None)
            self._session.connect(instance, is_named=True)
            if self.lines:
                self.lines.append("")
            self.tell(instance={"name": name} if self._named else {})
        return self._session.instance

    def at_database(self, database: DraftDatabase) -> None:
        """Switch to an existing database."""
        session = self._there
        if session.database is not database and not self.run(Statement(USE, DATABASE, (database.name,))):
            self.tell(database={"name": database.name})

    @property
    def _there(self) -> ScriptSession:
        assert self._session is not None
        return self._session

    @property
    def database(self) -> DraftDatabase:
        database = self._there.database
        assert database is not None
        return database

    # ------------------------------------------------------------ what

    def run(self, statement: Statement | None) -> bool:
        """Write a statement, if it can be written and SQL Server would accept it."""
        text = statement_as_sql(statement) if statement is not None else None
        if statement is None or text is None:
            return False
        self.database.is_whole = True  # the export refers to objects of the estate only
        try:
            self._there.apply(statement)
        except (NotApplied, Invalid):
            return False
        self.lines += [text, SEPARATOR]
        return True

    def tell(self, **content: Any) -> None:
        """Write a directive."""
        text = directive(**content)
        apply_directive(text[len(PREFIX) :], self._there)
        self.lines.append(text)

    def tell_anywhere(self, **content: Any) -> None:
        """Write a directive that belongs to no instance."""
        if self._session is None:
            elsewhere = DraftInstance("")  # of no estate
            self._session = ScriptSession(self.draft, elsewhere, self.at, None)
            self.tell(**content)
            self._session = None
        else:
            self.tell(**content)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)
