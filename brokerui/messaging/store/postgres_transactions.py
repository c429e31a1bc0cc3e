"""Both kinds of transaction of a claim on PostgreSQL: one of the store's own, or the one that its caller has open."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

from django.db import DatabaseError, DataError, IntegrityError, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from brokerui.messaging.store.postgres import INSTANCES, TAKEN, PostgresSession, appended_outcome
from brokerui.messaging.store.postgres_pool import PLANS, Pool
from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, Row
from routing.dialog.appended_messages import AppendedMessages, AppendOutcome
from routing.runtime.store import Conflict, OutdatedError

if TYPE_CHECKING:
    import psycopg

    from brokerui.messaging.store.postgres_statements import SessionStatements

# Something to be written, as small as possible: a commit without it waits for nothing.
_HARDEN: Final = "SELECT pg_logical_emit_message(true, 'brokerui', '')"
_CURRENT = ", ".join(f"current_setting('{name}') AS {name}" for name in PLANS)
# A claim of the same transaction may have taken keys before.
_SET = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in {**PLANS, TAKEN: ""}.items())
# OFFSET keeps the two apart: what they were is read first.
_PLANNED: Final = f"SELECT before.*, {_SET} FROM (SELECT {_CURRENT} OFFSET 0) AS before"
# The same without an answer: what they were stays in the transaction.
_KEPT: Final = ", ".join(f"set_config('brokerui.{name}', current_setting('{name}'), true)" for name in PLANS)
_KEPT_AND_PLANNED: Final = f"SELECT {_SET}, {{shared}} FROM (SELECT {_KEPT} OFFSET 0) AS kept"
_AS_KEPT: Final = "SELECT " + ", ".join(
    f"set_config('{name}', current_setting('brokerui.{name}'), true)" for name in PLANS
)
_AS_BEFORE: Final = "SELECT " + ", ".join(f"set_config('{name}', %({name})s, true)" for name in PLANS)
DUPLICATE: Final = "23505"
OTHERS_WERE_FASTER: Final = (DUPLICATE, "40001", "40P01", "55P03")
"""Unique violation, serialization failure, deadlock, and a lock that another transaction has for too long."""

_OUTDATED: Final = "22P02"
"""A text that is no number."""
# A statement cannot fail by a sentence, unless it takes it for a number. The server's log has this one then.
_GOING_ON: Final = (
    "SELECT CAST(CASE WHEN {condition} THEN '1'"
    " ELSE 'another transaction has a conversation, or has changed it: the worker reads it again' END AS int4)"
)
_LOCKED: Final = (
    _GOING_ON.format(condition="pg_try_advisory_xact_lock(hashtextextended(given.key, %(seed)s))")
    + " FROM unnest(%(keys)s::text[]) AS given(key)"
)
_PATIENCE: Final = "SET LOCAL lock_timeout = '{ms}ms'"
_SEND_WAITS_MS: Final = 200
"""Patience of a SEND without a claim: a worker that has its conversation commits long before."""
_TAKE_TURN: Final = (
    "SELECT pg_advisory_xact_lock(hashtextextended(%(group)s::text, %(group_seed)s::int8)),"
    " pg_advisory_xact_lock(hashtextextended(%(conversation)s::text, %(conversation_seed)s::int8))"
)
_KEPT_TIMEOUT: Final = "SELECT set_config('brokerui.lock_timeout', current_setting('lock_timeout'), true)"
_FORMER_TIMEOUT: Final = "SELECT set_config('lock_timeout', current_setting('brokerui.lock_timeout'), true)"
_IS_SHARED: Final = f"pg_advisory_xact_lock_shared({INSTANCES}, {{instance}})"
_SHARED: Final = f"SELECT {_IS_SHARED}"


class SendingSession(PostgresSession):
    """Adds messages without a claim. Where a worker has their conversation, it waits for it: a claim would do so too,
    and read everything again."""

    @abstractmethod
    def in_turn(self) -> AbstractContextManager[None]:
        """Send statements on one way; one of them may wait for a lock. Raises `Conflict` where it waits in vain, or
        another transaction was faster; then nothing has happened."""

    def append(self, appended: AppendedMessages, known: int, version: int) -> AppendOutcome | None:
        return super().append(appended, known, version) or self._append_in_turn(appended, known, version)

    def _append_in_turn(self, appended: AppendedMessages, known: int, version: int) -> AppendOutcome | None:
        group, conversation = appended.before.conversation_group_id, appended.before.conversation_id
        seeds = {"group_seed": self._seed(GROUP), "conversation_seed": self._seed(CONVERSATION)}
        try:
            with self.in_turn():
                self.run(_TAKE_TURN, {"group": group, "conversation": conversation, **seeds})
                answer = self.ask(*self.appending(appended, known, version))
        except Conflict:
            return None
        return appended_outcome(answer())


class OwnSession(SendingSession):
    """A transaction on a connection of our own."""

    def __init__(self, pool: Pool, instance: int) -> None:
        self._pool = pool
        super().__init__(pool.take(), instance)
        self._is_open = False

    @property
    def _wrapped(self) -> AbstractContextManager[None]:
        return self._pool.database.wrap_database_errors

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            self._check_open(error)
            _check_conflict(error)
            raise

    def begin(self, sql: str) -> Answer:
        self._is_open = True
        self.run("BEGIN", {})
        if self.wait_ms:
            self.run(_PATIENCE.format(ms=self.wait_ms), {})
        self.run(_SHARED.format(instance=self._instance), {})
        return self.ask(sql, {})

    def begin_if(self, conversations: Sequence[str], condition: str, parameters: Mapping[str, Any]) -> None:
        """Begin, lock conversations, and go on where a condition is met, which is asked under the locks. Within
        `writing`, which raises `OutdatedError` where it is not, or another session has one of them; then nothing that
        follows is run."""
        self._is_open = True
        self.run("BEGIN", {})
        self.run(_SHARED.format(instance=self._instance), {})
        self.run(_LOCKED, {"keys": list(conversations), "seed": self._seed(CONVERSATION)})
        self.run(_GOING_ON.format(condition=condition), parameters)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        self._is_open = True
        try:
            with self._statements.together():
                self.run("BEGIN", {})
                self.run(_SHARED.format(instance=self._instance), {})
                yield
                # If the connection breaks from here on, it is not known whether it was committed.
                self.run("COMMIT", {})
        except Exception:
            with _raising_conflicts(), self._wrapped:
                raise
        self._is_open = False

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        with self.at_once():
            self.run(_PATIENCE.format(ms=_SEND_WAITS_MS), {})
            yield

    @property
    def losses(self) -> int:
        return self._pool.losses

    def flush(self) -> None:
        with self.reading():
            self.run(_HARDEN, {})

    @contextmanager
    def writing(self, *, is_async_commit: bool) -> Iterator[None]:
        self._check_open()
        with _raising_conflicts(), _raising_outdated(), self.travelling():
            yield
            if is_async_commit:
                self.run("SET LOCAL synchronous_commit = off", {})
            # With the rest: if the connection breaks from here on, it is not known whether it was committed.
            self.run("COMMIT", {})
        self._is_open = False

    def _check_open(self, error: OperationalError | None = None) -> None:
        """The locks ended with the connection, and nothing was written."""
        if not self._statements.is_alive():
            raise Conflict("the claim has ended with its connection to the database") from error

    def close(self) -> None:
        if self._is_open and not self._statements.connection.closed:
            import psycopg  # noqa: PLC0415 - a program on SQLite starts without it

            with suppress(psycopg.Error):
                self._statements.ask("ROLLBACK", {})
        self._pool.put(self._statements)


class CallersSession(SendingSession):
    """Within the transaction that the caller has opened, and ends: locks and changes live as long as that one.

    After a conflict the caller has to roll back, to a savepoint of its own at least.
    """

    def __init__(self, database: BaseDatabaseWrapper, instance: int) -> None:
        if database.connection is None:
            database.ensure_connection()
        self._database = database
        super().__init__(_statements(database.connection), instance)
        self._before: Answer | None = None
        """For the caller's settings, while others hold for our statements."""

    @property
    def _wrapped(self) -> AbstractContextManager[None]:
        return self._database.wrap_database_errors

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._patience() if self.wait_ms else nullcontext():
            yield

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        try:
            with _raising_conflicts(), self.together():
                self.run(_KEPT_TIMEOUT, {})
                self.run("SAVEPOINT brokerui_wait", {})
                self.run(_PATIENCE.format(ms=_SEND_WAITS_MS), {})
                yield
                self.run(_FORMER_TIMEOUT, {})
                self.run("RELEASE SAVEPOINT brokerui_wait", {})
        except Conflict:
            self.run("ROLLBACK TO SAVEPOINT brokerui_wait", {})
            raise

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """The caller's transaction goes on where the wait was in vain."""
        (former,), *_ = self.rows("SELECT current_setting('lock_timeout')", {})
        self.run("SAVEPOINT brokerui_wait", {})
        self.run(_PATIENCE.format(ms=self.wait_ms), {})
        try:
            with _raising_conflicts():
                yield
        except Conflict:
            self.run("ROLLBACK TO SAVEPOINT brokerui_wait", {})
            self._before = None
            raise
        self.run("SELECT set_config('lock_timeout', %(former)s, true)", {"former": former})
        self.run("RELEASE SAVEPOINT brokerui_wait", {})

    def begin(self, sql: str) -> Answer:
        self._before = self.ask(_PLANNED, {})
        self.run(_SHARED.format(instance=self._instance), {})
        return self.ask(sql, {})

    @contextmanager
    def at_once(self) -> Iterator[None]:
        try:
            with self._statements.together():
                self.run(_KEPT_AND_PLANNED.format(shared=_IS_SHARED.format(instance=self._instance)), {})
                yield
                self.run(_AS_KEPT, {})
        except Exception:
            with _raising_conflicts(), self._wrapped:
                raise

    losses = 0

    def flush(self) -> None:
        """The caller's commit does."""

    @contextmanager
    def writing(self, *, is_async_commit: bool) -> Iterator[None]:
        with _raising_conflicts(), self.travelling():
            yield
            self._restore()

    def _restore(self) -> None:
        if self._before is not None:
            (settings,), self._before = self._before(), None
            self.run(_AS_BEFORE, dict(zip(PLANS, settings, strict=False)))

    def close(self) -> None:
        """The transaction goes on, and the locks with it."""
        if self._before is not None:
            with suppress(DatabaseError):  # it is broken, and what holds in it ends with it
                self._restore()


def _statements(connection: psycopg.Connection[Row]) -> SessionStatements:
    from brokerui.messaging.store.postgres_statements import SessionStatements  # noqa: PLC0415 - it imports psycopg

    return SessionStatements(connection)


@contextmanager
def _raising_conflicts() -> Iterator[None]:
    """A conflict with the commit of another process is raised as one; any other error stays what it is."""
    try:
        yield
    except (OperationalError, IntegrityError) as error:
        _check_conflict(error)
        raise


@contextmanager
def _raising_outdated() -> Iterator[None]:
    try:
        yield
    except DataError as error:
        if getattr(error.__cause__, "sqlstate", None) == _OUTDATED:
            raise OutdatedError(str(error)) from error
        raise


def _check_conflict(error: OperationalError | IntegrityError) -> None:
    if getattr(error.__cause__, "sqlstate", None) in OTHERS_WERE_FASTER:
        raise Conflict(str(error)) from error
