"""Statements of the store on a connection of the driver, by the driver's own access to PostgreSQL's library.

A cursor of the driver finds out for each call what this store knows: which types its values have, that the statement is
prepared, and how its rows are read. That takes twice as long as all the rest of a small statement
(`benchmarks/messaging/on_pipeline.py`). Connecting, waiting for the server and errors are the driver's.

Statements within `together` leave when the first reply is read, or at its end; the driver's own pipeline sends each by
itself, and the server wakes for each.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ExecStatus, Format, PipelineStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from brokerui.messaging.store.postgres_values import ServerStatement, server_statement
from brokerui.messaging.store.session import Row

MOST: Final = 200
"""Statements that are prepared on a connection; the server plans all others each time."""
_BEGIN: Final = "BEGIN"
# As names of this module: an enumeration takes longer to find them.
IDLE: Final = TransactionStatus.IDLE
TUPLES_OK: Final = ExecStatus.TUPLES_OK
COMMAND_OK: Final = ExecStatus.COMMAND_OK
BINARY: Final = Format.BINARY
NO_PIPELINE: Final = PipelineStatus.OFF


class Reply:
    """The reply to a statement that has been sent: call it for the rows. Raises the error of the statement."""

    __slots__ = ("_rows", "_statements", "preparing")

    def __init__(self, statements: SessionStatements, preparing: str | None = None) -> None:
        self._statements = statements
        self._rows: list[Row] | None = None
        self.preparing = preparing
        """The statement that this one only prepares."""

    def __call__(self) -> list[Row]:
        if self._rows is None:
            self._statements.collect()
        assert self._rows is not None, "a statement whose way has failed has no reply"
        return self._rows

    def fill(self, rows: list[Row]) -> None:
        """Take the rows."""
        self._rows = rows


class _Prepared:
    """The statements that one connection has prepared."""

    def __init__(self) -> None:
        self.names: dict[str, bytes] = {}
        self.numbers = count()
        self.reader = Transformer()


_of_connections: WeakKeyDictionary[Any, _Prepared] = WeakKeyDictionary()


class SessionStatements:
    """Sends the statements of one session. Each is prepared by its first use on a connection."""

    __slots__ = ("_connection", "_pgconn", "_prepared", "_sent")

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._pgconn: PGconn = connection.pgconn
        if self._pgconn.pipeline_status != NO_PIPELINE:
            raise psycopg.NotSupportedError("the verbs of messaging need a connection that is not in a pipeline")
        found = _of_connections.get(connection)
        if found is None:
            found = _of_connections[connection] = _Prepared()
        self._prepared = found
        self._sent: list[Reply] | None = None
        """Statements that travel together, whose replies have not come; None: each travels by itself."""

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Reply:
        """Send a statement; alone, its reply has come then."""
        if self._sent is not None:
            return self._queued(sql, parameters)
        name = self._prepared.names.get(sql)
        if name is None or self._has_to_begin():
            with self.together():
                return self._queued(sql, parameters)
        values, formats = _values(server_statement(sql), parameters)
        self._pgconn.send_query_prepared(name, values, formats, BINARY)
        reply = Reply(self)
        for error in self._filled([reply], self._waited(execute(self._pgconn))):
            raise error
        return reply

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send the statements within on one way. Raises the error of the first that has failed; the others after it
        have not been run."""
        if self._sent is not None:
            yield
            return
        has_to_begin = self._has_to_begin()
        self._pgconn.enter_pipeline_mode()
        self._sent = []
        if has_to_begin:
            self._queued(_BEGIN, {})
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):
                self._leave()
            raise
        for error in self._leave():
            raise error

    def _leave(self) -> list[psycopg.Error]:
        """End the way; returns the errors of its statements."""
        sent, self._sent = self._sent or [], None
        if self._connection.closed:
            return []
        self._pgconn.pipeline_sync()
        results = self._exchanged(len(sent) + 1)
        self._pgconn.exit_pipeline_mode()
        return self._filled(sent, results)

    def collect(self) -> None:
        """Read the replies to all statements so far."""
        if not self._sent:
            return
        sent, self._sent = self._sent, []
        self._pgconn.send_flush_request()
        for error in self._filled(sent, self._exchanged(len(sent))):
            raise error

    # ------------------------------------------------------------ sending

    def _has_to_begin(self) -> bool:
        """Whether a statement has to begin the transaction, as those of the driver do. Where it is to have a certain
        kind, the driver has begun it afterwards."""
        one = self._connection
        if one.autocommit or self._pgconn.transaction_status != IDLE:
            return False
        if one.isolation_level is None and one.read_only is None and one.deferrable is None:
            return True
        one.execute("")
        return False

    def _queued(self, sql: str, parameters: Mapping[str, Any]) -> Reply:
        assert self._sent is not None
        statement = server_statement(sql)
        values, formats = _values(statement, parameters)
        name = self._prepared.names.get(sql) or self._prepare(sql, statement)
        if name is None:
            self._pgconn.send_query_params(statement.sql, values, None, formats, BINARY)
        else:
            self._pgconn.send_query_prepared(name, values, formats, BINARY)
        reply = Reply(self)
        self._sent.append(reply)
        return reply

    def _prepare(self, sql: str, statement: ServerStatement) -> bytes | None:
        names = self._prepared.names
        if self._connection.prepare_threshold is not None or len(names) >= MOST or self._sent is None:
            return None  # where the driver prepares too, each ROLLBACK of it discards all that is prepared
        names[sql] = name = b"brokerui_%d" % next(self._prepared.numbers)
        self._pgconn.send_prepare(name, statement.sql)
        self._sent.append(Reply(self, sql))
        return name

    # ------------------------------------------------------------ replies

    def _exchanged(self, replies: int) -> list[PGresult]:
        """Send the waiting statements, and return the results of a number of statements."""
        return self._waited(_exchange(self._pgconn, replies))

    def _waited(self, exchange: Generator[Any, Any, list[PGresult]]) -> list[PGresult]:
        """Wait for results. After an interrupted wait the connection is closed: nobody would know which reply comes
        next."""
        try:
            with self._connection.lock:
                return self._connection.wait(exchange)
        except BaseException:
            self._connection.close()
            raise

    def _filled(self, sent: list[Reply], results: list[PGresult]) -> list[psycopg.Error]:
        """Give each reply its rows; returns the errors."""
        errors = []
        for reply, result in zip(sent, results, strict=False):
            try:
                reply.fill(self._rows(result))
            except psycopg.Error as error:
                errors.append(error)
                if reply.preparing is not None:
                    self._prepared.names.pop(reply.preparing, None)
                if isinstance(error, InvalidSqlStatementName):
                    self._prepared.names.clear()  # somebody has discarded them: the next use prepares them again
        return errors

    def _rows(self, result: PGresult) -> list[Row]:
        """Return the rows of a result. Raises `psycopg.Error`."""
        if result.status == TUPLES_OK:
            reader = self._prepared.reader
            reader.set_pgresult(result, format=BINARY)
            return reader.load_rows(0, result.ntuples, tuple)
        if result.status == COMMAND_OK:
            return []
        raise error_from_result(result)


def _values(statement: ServerStatement, parameters: Mapping[str, Any]) -> tuple[list[bytes | None], list[int]]:
    try:
        return statement.values(parameters)
    except ValueError as error:
        raise psycopg.DataError(str(error)) from error


def _exchange(pgconn: PGconn, replies: int) -> Generator[Any, Any, list[PGresult]]:
    yield from send(pgconn)
    found = []
    for _ in range(replies):
        results = yield from fetch_many(pgconn)
        found.append(results[-1])
    return found
