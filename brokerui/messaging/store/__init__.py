"""The store on the database: `routing.runtime.store.Store`, for one hosted instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import Any, Final

from django.db import connections

from brokerui.messaging.latency import Latencies, counted
from brokerui.messaging.store import instance_state, recalling, taking
from brokerui.messaging.store.claiming import Claim, ClaimQuery
from brokerui.messaging.store.committing import Commit
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.postgres_pool import pool_of
from brokerui.messaging.store.postgres_transactions import CallersSession, OwnSession
from brokerui.messaging.store.session import OneWaySession, Row, Session
from brokerui.messaging.store.sqlite import SqliteSession
from routing.dialog.appended_messages import AppendedMessages, AppendOutcome
from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import ConversationKey, QueueKey
from routing.runtime.recalled_conversations import RecalledConversations, only_adds
from routing.runtime.store import Conflict, OutdatedError, QueueDepth

__all__ = ["DatabaseStore"]

LATEST: Final = 2**31
"""Beyond all versions."""
_NEXT_DUE = "SELECT min(due) FROM conversation_endpoints WHERE instance_id = %(instance)s AND due IS NOT NULL"
_LEVELS = " UNION ALL ".join(f"SELECT {level} AS priority" for level in range(1, 11))
# The first message of each priority: in this order, and only so, the index gives it at once.
_DEPTH = f"""
    SELECT
        (SELECT sum(messages) FROM queue_counters
            WHERE instance_id = %(instance)s AND database = %(database)s AND queue = %(queue)s),
        (SELECT message_enqueue_time FROM queue_messages WHERE queuing_order = (
            SELECT min((SELECT m.queuing_order FROM queue_messages m
                WHERE m.queue_number = %(number)s AND m.priority <= levels.priority
                ORDER BY m.priority DESC, m.queuing_order LIMIT 1))
            FROM ({_LEVELS}) AS levels))
"""


class DatabaseStore:
    """The store of a hosted instance, by its id. Any number of threads and processes may have one each, or share it.

    A claim is a transaction of its own, unless `in_transaction`: then it is part of the transaction that the caller
    has opened with `django.db.transaction.atomic`. Its changes become durable, and its locks are released, when that
    transaction commits.
    """

    def __init__(
        self, instance: int, *, using: str = "default", in_transaction: bool = False, version: int = LATEST
    ) -> None:
        self.instance = instance
        """Id of its row; an instance that is hosted again has another one."""
        self._one_way = _one_way(using, in_transaction, instance)
        """Opens a session on a database to which a verb goes once."""
        self._session: Callable[[], Session] = self._one_way or partial(SqliteSession, using, instance)
        self._in_transaction = in_transaction
        self.version = version
        """The version of the estate by which the broker decides what to write. One that is too old has no claims: its
        changes would belong elsewhere by now (`moving`)."""
        self.follow: Callable[[], None] | None = None
        """Called in a claim, before the broker decides anything, if the estate has another version than the broker's,
        or the instance is gone."""
        self.learn: Callable[[], None] | None = None
        """Called in a claim, before the broker decides anything, if the state of the instance is not the one of the
        claim before: then its keys may be others, too."""
        self.forget: Callable[[], None] | None = None
        """Called if something that was committed may have been lost: the memory of the broker may hold it, and another
        store takes the place of this one."""
        self._losses: int | None = None
        """Losses of the session when something was committed that becomes durable later; None: all of it is durable."""
        self._latencies: Counter[int] = Counter()
        self._claims: dict[int, Claim] = {}
        self._tokens = count(1)
        self._known: instance_state.InstanceState | None = None
        self._recalled = RecalledConversations()
        self._shared_groups: taking.SharedGroups = set()

    def claim(self, wanted: ClaimRequest, now: int) -> ClaimedBatch:
        token = wanted.token or next(self._tokens)
        claim = self._claims.get(token) if wanted.token else Claim(self._session(), self.instance)
        if claim is None:
            raise Conflict("the claim has ended")
        if claim.is_recalled:
            raise OutdatedError("its conversations are not claimed")
        self._claims[token] = claim
        claim.session.wait_ms = wanted.wait_ms
        try:
            self._check_losses(claim.session)
            with claim.session.reading():
                with claim.session.together():
                    known = instance_state.ask(claim.session, self.instance) if claim.known is None else None
                    query = ClaimQuery(claim, wanted, now)
                if known is not None:
                    claim.known = self._begin(claim.session, known())
                batch = claim.batch(token)
                query.fill(batch)
        except BaseException:
            self.release(token)
            raise
        return batch

    def _begin(self, session: Session, found: list[Row]) -> instance_state.InstanceState:
        known = instance_state.known_as_of(found, session, self.instance, self._known)
        if self.follow is not None and (known is None or known.live_version != self.version):
            self.follow()
        now_known = self._checked(known)
        if self.learn is not None and (self._known is None or self._known.number != now_known.number):
            self.learn()
        self._known = now_known
        return now_known

    def recall(self, conversations: Iterable[ConversationKey], now: int) -> ClaimedBatch | None:
        """On PostgreSQL, outside of transactions of callers: elsewhere nothing is learned."""
        found = self._recalled.find(conversations, now)
        if found is None or self._known is None or self.version not in (self._known.live_version, LATEST):
            return None
        token, claim = next(self._tokens), Claim(self._session(), self.instance, known=self._known, is_recalled=True)
        self._claims[token] = claim
        try:
            self._check_losses(claim.session)
        except Conflict:
            self.release(token)
            raise
        return claim.recalled(token, found)

    def commit(self, changes: ChangeSet) -> None:
        claim = self._claims.get(changes.token)
        if claim is None:
            raise Conflict("the claim has ended")
        try:
            self._write(claim, changes)
            if changes.is_async_commit and self._losses is None:
                self._losses = claim.session.losses
        except OutdatedError:
            self._recalled.forget(claim.endpoints.values())
            raise
        finally:
            self.release(changes.token)

    def _write(self, claim: Claim, changes: ChangeSet) -> None:
        """In the transaction of the claim, or of the caller."""
        if claim.is_recalled and not only_adds(changes):
            raise OutdatedError("the messages change more than endpoints and queues")
        with claim.session.writing(is_async_commit=changes.is_async_commit):
            if claim.is_recalled:
                recalling.begin(claim)
            elif not claim.session.holds_still:
                self._checked(instance_state.look(claim.session, self.instance, claim.known))
            commit = Commit(claim, changes)
            commit.write()
        self._latencies.update(counted(commit.waited_ms()))
        if not self._in_transaction:
            self._recalled.learn(claim, changes, claim.versions, commit.versions())

    def append(self, appended: AppendedMessages) -> AppendOutcome | None:
        """In the caller's transaction, or in one of its own. The state of the instance, too, has to be as the store has
        read it last."""
        known = self._known
        if self._one_way is None or known is None or appended.requests is not known.requests:
            return None
        if self.version not in (known.live_version, LATEST):
            return None
        session = self._one_way()
        try:
            return session.append(appended, known.number, known.live_version)
        finally:
            session.close()

    def take(self, request: ReceiveRequest, known: ClaimedBatch, now: int) -> ClaimedBatch | None:
        """On one way to the database, in the caller's transaction, or in one of its own. The estate, too, has to be the
        one by which the caller has decided that the queue retains no messages."""
        state = self._known
        if state is None or not known.has_instance_of(state) or self.version not in (state.live_version, LATEST):
            return None
        if self._one_way is None or not request.takes_first or request.queue in state.off:
            return None
        session = self._one_way()
        try:
            self._check_losses(session)
            return taking.take(session, self.instance, now, request, state, self._shared_groups)
        finally:
            session.close()

    def take_latencies(self) -> Latencies:
        """How long messages had waited that were acknowledged since this was asked last."""
        taken, self._latencies = self._latencies, Counter()
        return taken

    def flush(self) -> None:
        if self._losses is None:
            return
        session = self._session()
        try:
            self._check_losses(session)
            session.flush()
            self._losses = None
        finally:
            session.close()

    def _check_losses(self, session: Session) -> None:
        """Refuse further work after the server went down with commits that were not durable.

        The refusal lasts for the life of this store: callers may have kept frames to send later.
        """
        if self._losses not in (None, session.losses):
            if self.forget is not None:
                self.forget()
            raise Conflict("the database has gone down since something was committed that was not durable yet")

    def _checked(self, known: instance_state.InstanceState | None) -> instance_state.InstanceState:
        if known is None:
            raise LookupError(f"no hosted instance {self.instance}")
        if self.version < known.least_version:
            raise Conflict(f"version {self.version} of the estate is too old: what it says has been moved since")
        return known

    def release(self, token: int) -> None:
        claim = self._claims.pop(token, None)
        if claim is not None:
            claim.session.close()

    def forget_claims(self) -> None:
        for token in tuple(self._claims):
            self.release(token)
        self._recalled = RecalledConversations()

    def next_due(self) -> int | None:
        (due,) = self._row(_NEXT_DUE)
        return None if due is None else int(due)

    def depth(self, queue: QueueKey) -> QueueDepth:
        number = queue_number(self.instance, queue)
        messages, oldest = self._row(_DEPTH, database=queue[0], queue=queue[1], number=number)
        return QueueDepth(int(messages or 0), oldest)

    def _row(self, sql: str, **parameters: object) -> tuple[Any, ...]:
        session = self._session()
        try:
            return session.rows(sql, {"instance": self.instance, **parameters})[0]
        finally:
            session.close()


def _one_way(using: str, in_transaction: bool, instance: int) -> Callable[[], OneWaySession] | None:
    """Return what opens a session of an instance: in a transaction of its own, or in the caller's; None on SQLite."""
    if connections[using].vendor != "postgresql":
        return None
    if in_transaction:
        return lambda: CallersSession(connections[using], instance)
    return partial(OwnSession, pool_of(using), instance)
