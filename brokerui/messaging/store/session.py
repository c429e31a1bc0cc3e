"""Interface between the store and a database: what a claim asks of it, alike for PostgreSQL and SQLite.

Statements have `%(name)s` for parameters. The databases differ in how a conversation is locked, and in how many values
and rows travel in one statement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple

from brokerui.messaging.store.tables import WrittenTable
from routing.dialog.appended_messages import AppendedMessages, AppendOutcome

Row = tuple[Any, ...]
Answer = Callable[[], list[Row]]
"""The result of a statement; call it once all statements of the round trip were sent."""

CONVERSATION: Final = 0
GROUP: Final = 1
"""Kinds of locks."""


class RowsAsTable(NamedTuple):
    """Rows that travel to the database as a table."""

    sql: str
    """For FROM: a table `given`."""
    parameters: dict[str, Any]


class Session(ABC):
    """A claim's hold on the database: its locks live until `close`."""

    holds_still: bool
    """Whether no transaction can move or drop the instance's objects as long as the claim lives; else that is checked
    in the transaction that writes."""
    row: str
    """The name of a row of any table."""
    at_most: str
    """LIMIT of the parameter `top`; None: no limit."""
    wait_ms: int = 0
    """How long `lock_named` waits for keys that another session has, in milliseconds, where the database can wait."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """Transaction in which a claim takes its locks and reads committed rows."""

    @abstractmethod
    def together(self) -> AbstractContextManager[None]:
        """Send the statements that are run within in one round trip to the database. Each sees the commits until it
        begins itself; the answers are there at the end."""

    @abstractmethod
    def begin(self, sql: str) -> Answer:
        """Begin a claim: from now on no transaction moves or drops the instance, if `holds_still`. Return the result
        of a statement without parameters."""

    @abstractmethod
    def writing(self, *, is_async_commit: bool) -> AbstractContextManager[None]:
        """All that is written in it is committed together, or nothing is. Raises `Conflict`. `is_async_commit`:
        it need not be durable before `flush`."""

    @abstractmethod
    def flush(self) -> None:
        """Make asynchronous commits durable. Raises `Conflict` if the server may have lost some since."""

    @property
    @abstractmethod
    def losses(self) -> int:
        """Connections that the server has ended, of those that this process had; with each it may have gone down."""

    @abstractmethod
    def close(self) -> None:
        """Roll back and release the locks."""

    @abstractmethod
    def lock(self, kind: int, keys: Sequence[str]) -> Answer:
        """Lock keys; return a row of one value for each: whether no other session has it. It is this session's then."""

    @abstractmethod
    def lock_named(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        """The rows of a query, each with two columns more: whether its column `conversation_group_id` is this session's
        now, as a group, and then whether its `conversation_id` is."""

    @abstractmethod
    def take(self, kind: int, sql: str, parameters: Mapping[str, Any], limit: int) -> Answer:
        """Return the first rows of a query, in its order, whose first column, `key`, no other session has. They are
        this session's then."""

    @abstractmethod
    def take_first(self, kind: int, sql: str, parameters: Mapping[str, Any], otherwise: str) -> Answer:
        """Return the first value, in the order of a query with one column, `key`, that no other session has. It is
        this session's then. Where there is none: the value of an expression, which is no key; no row if it is NULL."""

    @abstractmethod
    def taken(self) -> RowsAsTable:
        """A condition on what stands before it: that it is one of the keys that were taken last."""

    @abstractmethod
    def taken_one(self) -> RowsAsTable:
        """An expression: the key that was taken last, where it was only one. Where none was taken it is none, or one
        that was taken earlier in the claim."""

    @abstractmethod
    def free(self, kind: int, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Return the rows of a query whose first column no other session has. They are not locked."""

    @abstractmethod
    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        """Collects the results of statements."""

    @abstractmethod
    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """The rows of a statement."""

    @abstractmethod
    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """A statement that gives nothing back."""

    @abstractmethod
    def insert(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        """Rows into a table, in this order."""

    @abstractmethod
    def update_endpoints(self, columns: Sequence[str], rows: Sequence[Row]) -> Answer:
        """Columns of endpoints; a row has the number of the instance, the handle, then the values. Return the handle
        and the version of each row, where the database has versions."""

    @abstractmethod
    def version(self, alias: str) -> str:
        """An expression: another text whenever the row of an alias has changed; NULL where the database has none."""

    @abstractmethod
    def next_orders(self, count: int) -> list[int]:
        """The next values of `queuing_order`, which no row of a queue has then."""

    @abstractmethod
    def of_rows(self, sql: str) -> str:
        """A condition on `row`: that it is one of those that a query gives."""

    @abstractmethod
    def among(self, keys: Iterable[str]) -> RowsAsTable:
        """A condition on what stands before it: that it is one of these."""

    @abstractmethod
    def given(self, rows: Sequence[Row], **kinds: str) -> RowsAsTable:
        """Rows of numbers and texts, with the name and the kind of each column."""

    @classmethod
    @abstractmethod
    def firsts(cls, table: WrittenTable, condition: str, order: str) -> str:
        """SQL for FROM after something else: `found`, for each row of that the first of a table, called `row` in the
        condition. The parameter `top` says how many; None: all."""


class OneWaySession(Session):
    """A session with a database to which a verb goes once, without a claim: one of its statements can delete rows and
    count them in another table, and all statements of a verb travel together."""

    @abstractmethod
    def at_once(self) -> AbstractContextManager[None]:
        """Send the statements that are run within in one round trip, in a transaction that is committed with it, or in
        the caller's. They are a claim of their own, whose changes are durable at the end; after an error there are
        none. Raises `Conflict`."""

    @abstractmethod
    def append(self, appended: AppendedMessages, known: int, version: int) -> AppendOutcome | None:
        """`routing.runtime.store.Store.append`, for the state of the instance with this number and the estate of this
        version."""
