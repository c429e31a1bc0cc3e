"""The backend of Django's setting ENGINE, which loads this module by its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that knows whether its transaction has written, and can leave a transaction that has not."""

    _at_begin: tuple[int, ...] = ()

    def _start_transaction_under_autocommit(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]  # its stubs leave it out
        self._at_begin = self._writes()

    def has_written(self) -> bool:
        """Return whether the open transaction has changed a row or a table."""
        return self._writes() != self._at_begin

    def _writes(self) -> tuple[int, ...]:
        """Return two numbers: a changed row raises the first, a changed table the second."""
        (schema,) = self.connection.execute("PRAGMA schema_version").fetchone()
        return self.connection.total_changes, schema

    @contextmanager
    def write_lock_released(self) -> Iterator[None]:
        """Release the write lock of the open transaction, which must not have written; take it again at the end, after
        at most the database's timeout. Rows that were read before may have changed by then."""
        self.connection.execute("ROLLBACK")
        try:
            yield
        finally:
            with transaction.mark_for_rollback_on_error(self.alias):
                self._begin_again()

    def _begin_again(self) -> None:
        self._start_transaction_under_autocommit()
        for savepoint in filter(None, self.savepoint_ids):
            self.connection.execute(self.ops.savepoint_create_sql(savepoint))
