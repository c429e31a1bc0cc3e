"""Statements of the store on a connection of the driver, by the driver's own access to PostgreSQL's library.

A cursor of the driver finds out for each call what this store knows: which types its values have, that the statement is
prepared, and how its rows are read. That takes twice as long as all the rest of a small statement
(`benchmarks/messaging/on_pipeline.py`). Connecting, waiting for the server and errors are the driver's.

Statements within `together` leave when the first reply is read, or at its end; the driver's own pipeline sends each by
itself, and the server wakes for each.
"""

from __future__ import annotations

import select
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ConnStatus, ExecStatus, Format, PipelineStatus, TransactionStatus
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
CLOSED: Final = ConnStatus.BAD
_ON_ITS_WAY: Final = nullcontext()


class Reply:
    """The reply to a statement that has been sent: call it for the rows. Raises the error of the statement."""

    __slots__ = ("_statements", "preparing", "rows")

    def __init__(
        self, statements: SessionStatements, preparing: str | None = None, rows: list[Row] | None = None
    ) -> None:
        self._statements = statements
        self.rows = rows
        """None: they have not come."""
        self.preparing = preparing
        """The statement that this one only prepares."""

    def __call__(self) -> list[Row]:
        if self.rows is None:
            self._statements.collect()
        assert self.rows is not None, "a statement whose way has failed has no reply"
        return self.rows


class _Prepared:
    """The statements that one connection has prepared."""

    def __init__(self) -> None:
        self.names: dict[str, bytes] = {}
        self.numbers = count()
        self.reader = Transformer()


_of_connections: WeakKeyDictionary[Any, _Prepared] = WeakKeyDictionary()


class SessionStatements:
    """Sends statements on a connection. Each is prepared by its first use there.

    As a context it is a way of several statements, which `together` begins unless one has begun. It is no generator:
    that takes three times as long to enter and to leave.
    """

    __slots__ = ("_pgconn", "_prepared", "_sent", "_unasked", "connection")

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self.connection = connection
        self._pgconn: PGconn = connection.pgconn
        if self._pgconn.pipeline_status != NO_PIPELINE:
            raise psycopg.NotSupportedError("the verbs of messaging need a connection that is not in a pipeline")
        found = _of_connections.get(connection)
        if found is None:
            found = _of_connections[connection] = _Prepared()
        self._prepared = found
        self._sent: list[Reply] | None = None
        """Statements that travel together, whose replies have not come; None: each travels by itself."""
        self._unasked: select.poll | None = None
        """Finds bytes of the server that answer no statement; made by the first `is_alive`."""

    def is_alive(self) -> bool:
        """Return whether the server has not ended the connection meanwhile: then there is something to read without a
        query."""
        if self._pgconn.status == CLOSED:
            return False
        if self._unasked is None:
            self._unasked = select.poll()
            self._unasked.register(self._pgconn.socket, select.POLLIN)
        return not self._unasked.poll(0)

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Reply:
        """Send a statement; alone, its reply has come then."""
        if self._sent is not None:
            return self._queued(sql, parameters)
        name = self._prepared.names.get(sql)
        if name is None or self._is_idle():
            with self:
                return self._queued(sql, parameters)
        values, formats = server_statement(sql).values(parameters)
        self._pgconn.send_query_prepared(name, values, formats, BINARY)
        (result,) = self._waited(execute(self._pgconn))
        return Reply(self, rows=self._rows(result))

    def together(self) -> AbstractContextManager[None]:
        """Send the statements within on one way. Raises the error of the first that has failed; the others after it
        have not been run."""
        return self if self._sent is None else _ON_ITS_WAY

    def __enter__(self) -> None:
        has_to_begin = self._is_idle() and self._has_to_begin()
        self._pgconn.enter_pipeline_mode()
        self._sent = []
        if has_to_begin:
            self._queued(_BEGIN, {})

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(psycopg.Error):
                self._leave()
            return
        for error in self._leave():
            raise error

    def _leave(self) -> list[psycopg.Error]:
        """End the way; returns the errors of its statements."""
        sent, self._sent = self._sent or [], None
        if self._pgconn.status == CLOSED:
            return []
        self._pgconn.pipeline_sync()
        results = self._waited(_exchange(self._pgconn, len(sent) + 1))
        self._pgconn.exit_pipeline_mode()
        return self._filled(sent, results)

    def collect(self) -> None:
        """Read the replies to all statements so far."""
        if not self._sent:
            return
        sent, self._sent = self._sent, []
        self._pgconn.send_flush_request()
        for error in self._filled(sent, self._waited(_exchange(self._pgconn, len(sent)))):
            raise error

    # ------------------------------------------------------------ sending

    def _is_idle(self) -> bool:
        """Return whether a transaction is to be open, as those of callers are, and none has begun."""
        return self._pgconn.transaction_status == IDLE and not self.connection.autocommit

    def _has_to_begin(self) -> bool:
        """Whether a statement has to begin the transaction, as those of the driver do. Where it is to have a certain
        kind, the driver has begun it afterwards."""
        one = self.connection
        if one.isolation_level is None and one.read_only is None and one.deferrable is None:
            return True
        one.execute("")
        return False

    def _queued(self, sql: str, parameters: Mapping[str, Any]) -> Reply:
        assert self._sent is not None
        statement = server_statement(sql)
        values, formats = statement.values(parameters)
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
        if self.connection.prepare_threshold is not None or len(names) >= MOST or self._sent is None:
            return None  # where the driver prepares too, each ROLLBACK of it discards all that is prepared
        names[sql] = name = b"brokerui_%d" % next(self._prepared.numbers)
        self._pgconn.send_prepare(name, statement.sql)
        self._sent.append(Reply(self, sql))
        return name

    # ------------------------------------------------------------ replies

    def _waited(self, exchange: Generator[Any, Any, list[PGresult]]) -> list[PGresult]:
        """Wait for results. After an interrupted wait the connection is closed: nobody would know which reply comes
        next."""
        try:
            with self.connection.lock:
                return self.connection.wait(exchange)
        except BaseException:
            self.connection.close()
            raise

    def _filled(self, sent: list[Reply], results: list[PGresult]) -> list[psycopg.Error]:
        """Give each reply its rows; returns the errors."""
        errors = []
        for reply, result in zip(sent, results, strict=False):
            try:
                reply.rows = self._rows(result)
            except psycopg.Error as error:
                errors.append(error)
                if reply.preparing is not None:
                    self._prepared.names.pop(reply.preparing, None)
        return errors

    def _rows(self, result: PGresult) -> list[Row]:
        """Return the rows of a result. Raises `psycopg.Error`."""
        if result.status == TUPLES_OK:
            reader = self._prepared.reader
            reader.set_pgresult(result, format=BINARY)
            return reader.load_rows(0, result.ntuples, tuple)
        if result.status == COMMAND_OK:
            return []
        error = error_from_result(result)
        if isinstance(error, InvalidSqlStatementName):
            self._prepared.names.clear()  # somebody has discarded them: the next use prepares them again
        raise error


def _exchange(pgconn: PGconn, replies: int) -> Generator[Any, Any, list[PGresult]]:
    """Send the waiting statements, and return the results of a number of them."""
    yield from send(pgconn)
    found = []
    for _ in range(replies):
        results = yield from fetch_many(pgconn)
        found.append(results[-1])
    return found
