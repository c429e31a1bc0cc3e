"""A claim: takes locks first, then reads the committed rows under them, in a few statements whatever its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from brokerui.messaging.store import receiving
from brokerui.messaging.store.instance_state import InstanceState
from brokerui.messaging.store.objects import unpacked
from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, Row, RowsAsTable, Session
from brokerui.messaging.store.tables import ENDPOINTS, GROUPS, HELD, OUTGOING, WrittenTable
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM, ClaimedBatch, ClaimRequest
from routing.dialog.endpoint import ConversationGroupState, Endpoint
from routing.dialog.messages import BufferedFragment, FragmentNumber, OutboundMessage
from routing.runtime.recalled_conversations import LeftConversation, recall

BYTES_AT_ONCE: Final = 2 << 20
"""Bytes of bodies that a claim reads to be sent; the last one may have any size."""
ROWS_AT_ONCE: Final = 2_000
"""Rows of messages that it reads if many conversations are due."""
LEAST: Final = 10
"""Messages of each of them."""
_WIDTH: Final = len(ENDPOINTS.columns) - 1

_CONVERSATIONS = (
    f"SELECT {ENDPOINTS.of('e')}, {GROUPS.of('found')},"
    " (SELECT t.state FROM transmission_objects t"
    " WHERE t.conversation_handle = e.conversation_handle AND t.instance_id = e.instance_id), {version}"
    " FROM conversation_endpoints e {group} WHERE e.instance_id + 0 = %(instance)s AND e.conversation_id {among}"
)
_ITS_GROUP = "row.conversation_group_id = e.conversation_group_id AND row.instance_id = e.instance_id"
_GROUPS = (
    f"SELECT {GROUPS.of('g')} FROM conversation_groups g"
    " WHERE g.instance_id = %(instance)s AND g.conversation_group_id "
)
_DUE = (
    "SELECT conversation_id AS key, conversation_handle FROM conversation_endpoints"
    " WHERE instance_id = %(instance)s AND due <= %(now)s ORDER BY due"
)
_OF_HANDLES = (
    "SELECT conversation_handle, conversation_id, conversation_group_id FROM conversation_endpoints"
    " WHERE instance_id + 0 = %(instance)s AND conversation_handle "
)
_IDS = (
    "SELECT conversation_id FROM conversation_endpoints WHERE instance_id + 0 = %(instance)s AND conversation_handle "
)
_TO_SEND = (
    "row.instance_id = %(instance)s AND row.conversation_handle = given.key"
    " AND row.message_sequence_number >= given.first AND row.message_sequence_number < given.below"
)
# In the order in which they are due, up to the limit in bytes.
_AFFORDABLE = (
    f"SELECT {OUTGOING.of('found')} FROM (SELECT found.*, given.place,"
    " sum(coalesce(length(found.message_body), 0)) OVER"
    " (ORDER BY given.place, found.message_sequence_number ROWS UNBOUNDED PRECEDING)"
    " - coalesce(length(found.message_body), 0) AS bytes_before FROM {given} {firsts}) AS found"
    " WHERE found.bytes_before < %(bytes)s ORDER BY found.place, found.message_sequence_number"
)
_PARTS = (
    "SELECT conversation_handle, message_sequence_number, fragment, fragments FROM held_fragments"
    " WHERE instance_id = %(instance)s AND conversation_handle {among}"
    " ORDER BY conversation_handle, message_sequence_number, fragment"
)
_OF_MESSAGE = (
    "row.instance_id = %(instance)s AND row.conversation_handle = given.key"
    " AND row.message_sequence_number = given.number"
)


@dataclass
class Claim:
    """An open claim: its session, and the rows that were handed out under its locks."""

    session: Session
    instance: int
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    groups: dict[str, ConversationGroupState] = field(default_factory=dict)
    conversations: set[str] = field(default_factory=set)
    locked: set[str] = field(default_factory=set)
    """Groups."""

    known: InstanceState | None = None
    versions: dict[str, str] = field(default_factory=dict)
    """Of the endpoints as they were read, where the database has versions; not of one with a transmission object, which
    has to be read."""
    is_recalled: bool = False
    """Whether nothing was read: the commit locks the conversations, and checks that they are as they were left."""

    def batch(self, token: int) -> ClaimedBatch:
        """An empty one."""
        assert self.known is not None, "a claim begins with reading the state of the instance"
        known = self.known
        return ClaimedBatch(
            token, off=known.off, rollbacks=known.rollbacks, requests=known.requests, mirrored=known.mirrored
        )

    def recalled(self, token: int, conversations: Iterable[LeftConversation]) -> ClaimedBatch:
        """A batch of conversations as a commit has left them."""
        batch = recall(self.batch(token), conversations)
        self.endpoints, self.groups = batch.endpoints, batch.groups
        self.conversations.update(endpoint.conversation_id for endpoint in batch.endpoints.values())
        self.versions.update(
            (handle, str(version)) for left in conversations for handle, version in left.versions.items()
        )
        return batch

    @property
    def mine(self) -> dict[str, int]:
        """The parameter of all statements."""
        return {"instance": self.instance}


class ClaimQuery:
    """All requests of a claim at once: the locks first, then the rows under them."""

    def __init__(self, claim: Claim, wanted: ClaimRequest, now: int) -> None:
        self._claim = claim
        self._wanted = wanted
        self._now = now
        self._named = self._lock_named() if wanted.handles else _nothing
        self._keys = list(dict.fromkeys(wanted.groups))
        self._groups = claim.session.lock(GROUP, self._keys) if self._keys else _nothing
        self._ids = list(dict.fromkeys(map(itemgetter(0), wanted.conversations)))
        self._conversations = claim.session.lock(CONVERSATION, self._ids) if self._ids else _nothing
        self._due = self._take_due() if wanted.due else _nothing
        self._rows = [self._read(among) for among in self._what_to_read()]
        request = wanted.receive
        self._free_group = receiving.ask(claim.session, claim.instance, now, request) if request else None

    def _lock_named(self) -> Answer:
        """The conversations of handles, with their groups."""
        among = self._claim.session.among(self._wanted.handles)
        return self._claim.session.lock_named(_OF_HANDLES + among.sql, {**self._claim.mine, **among.parameters})

    def _take_due(self) -> Answer:
        parameters = {**self._claim.mine, "now": self._now}
        return self._claim.session.take(CONVERSATION, _DUE, parameters, self._wanted.due)

    def _what_to_read(self) -> Iterator[RowsAsTable]:
        session, wanted = self._claim.session, self._wanted
        if wanted.handles:
            among = session.among(wanted.handles)
            yield RowsAsTable(session.of_rows(_IDS + among.sql), among.parameters)
        if self._ids:
            yield session.among(self._ids)
        if wanted.due:
            yield session.taken()

    def _read(self, among: RowsAsTable) -> Answer:
        session = self._claim.session
        group = session.firsts(GROUPS, _ITS_GROUP, "instance_id")
        sql = _CONVERSATIONS.format(group=group, among=among.sql, version=session.version("e"))
        return session.ask(sql, {**self._claim.mine, **among.parameters, "top": 1})

    def fill(self, batch: ClaimedBatch) -> None:
        """Add the endpoints that were free to the batch, and read the rows that belong to them."""
        claim, wanted, now = self._claim, self._wanted, self._now
        busy, due = self._note_locked(), self._due()
        claim.conversations.update(row[0] for row in due)
        for rows in self._rows:
            _take_rows(claim, batch, rows())
        _read_groups(claim, batch, [group for group in wanted.groups if group in claim.locked])
        busy += _moved_away(claim, batch, wanted.handles)
        batch.busy = frozenset(busy)
        batch.due = _due(batch, wanted, [row[1] for row in due], now)
        _read_rows(claim, batch, now)
        if wanted.bodies:
            _read_bodies(claim, batch, wanted.bodies)
        if wanted.receive is not None and self._free_group is not None:
            receiving.receive(claim.session, claim.instance, now, claim.locked, batch, wanted.receive, self._free_group)
        claim.endpoints |= batch.endpoints
        claim.groups |= batch.groups

    def _note_locked(self) -> list[Any]:
        """Take over the locked endpoints; returns the keys that other transactions hold."""
        claim, wanted, named = self._claim, self._wanted, self._named()
        claim.locked.update(group for _, _, group, has_group, _ in named if has_group)
        claim.locked.update(_mine(self._keys, self._groups()))
        claim.conversations.update(one for _, one, _, _, is_mine in named if is_mine)
        claim.conversations.update(_mine(self._ids, self._conversations()))
        busy: list[Any] = [handle for handle, *_, is_mine in named if not is_mine]
        busy += [group for group in wanted.groups if group not in claim.locked]
        return busy + [key for key in wanted.conversations if key[0] not in claim.conversations]


def _nothing() -> list[Row]:
    return []


def _mine(keys: Iterable[str], locked: Iterable[Row]) -> list[str]:
    return [key for key, (is_mine,) in zip(keys, locked, strict=True) if is_mine]


def _moved_away(claim: Claim, batch: ClaimedBatch, handles: Iterable[str]) -> list[str]:
    """Conversations that went to a group of others before they were locked: they are out of the batch."""
    gone = [h for h in handles if h in batch.endpoints and batch.endpoints[h].conversation_group_id not in claim.locked]
    for handle in gone:
        endpoint = batch.endpoints[handle]
        for key in (endpoint.key, endpoint.peer):
            batch.endpoints.pop(batch.handles.pop(key, ""), None)
    return gone


def _due(batch: ClaimedBatch, wanted: ClaimRequest, taken: Iterable[str], now: int) -> tuple[str, ...]:
    """Return the endpoints of the batch with due work, among those claimed for the engine and those claimed as due."""
    request = [
        batch.handles.get(key)
        for conversation_id, is_initiator in wanted.conversations
        for key in ((conversation_id, is_initiator), (conversation_id, not is_initiator))
    ]
    # Between the query and the lock another may have done it.
    return tuple(handle for handle in dict.fromkeys((*request, *taken)) if handle and _is_due(batch, handle, now))


def _is_due(batch: ClaimedBatch, handle: str, now: int) -> bool:
    due = batch.endpoints[handle].due if handle in batch.endpoints else None
    return due is not None and due <= now


# ---------------------------------------------------------------- reading


def _take_rows(claim: Claim, batch: ClaimedBatch, rows: Iterable[Row]) -> None:
    """Take rows of conversations that the claim has locked: those of others may be changing."""
    for row in rows:
        endpoint = Endpoint(*row[:_WIDTH])
        if endpoint.conversation_id not in claim.conversations:
            continue
        handle = endpoint.conversation_handle
        batch.endpoints[handle] = endpoint
        batch.handles[endpoint.key] = handle
        batch.groups[endpoint.conversation_group_id] = ConversationGroupState(*row[_WIDTH:-2])
        if row[-2] is not None:
            batch.transmissions[handle] = unpacked(handle, row[-2])
        elif row[-1] is not None:
            claim.versions[handle] = row[-1]


def _read_groups(claim: Claim, batch: ClaimedBatch, groups: Iterable[str]) -> None:
    missing = [group for group in groups if group not in batch.groups]
    if missing:
        among = claim.session.among(missing)
        for row in claim.session.rows(_GROUPS + among.sql, {**claim.mine, **among.parameters}):
            batch.groups[row[0]] = ConversationGroupState(*row)


def _read_rows(claim: Claim, batch: ClaimedBatch, now: int) -> None:
    """Read the messages to send and the buffered ones of the endpoints of the batch."""
    firsts = list(_firsts(batch, now))
    if firsts:
        _read_outgoing(claim, batch, firsts)
    holding = [handle for handle, endpoint in batch.endpoints.items() if endpoint.held]
    if holding:
        among = claim.session.among(holding)
        parts = claim.session.rows(_PARTS.format(among=among.sql), {**claim.mine, **among.parameters})
        for handle, of_handle in groupby(parts, itemgetter(0)):
            batch.buffered[handle] = tuple(FragmentNumber(*row[1:]) for row in of_handle)


def _read_outgoing(claim: Claim, batch: ClaimedBatch, firsts: list[tuple[str, int]]) -> None:
    """Not much more than a batch sends: conversations to which it does not come are due the next time."""
    each = min(MAX_OUTGOING_PER_CLAIM, max(LEAST, ROWS_AT_ONCE // len(firsts)))
    ranges = [
        # Where the last attempt found no way, one message shows whether there is one now; the others follow it.
        (handle, first, first + (1 if batch.endpoints[handle].transmission_status else each), place)
        for place, (handle, first) in enumerate(firsts)
    ]
    given = claim.session.given(ranges, key="text", first="int8", below="int8", place="int8")
    found = claim.session.firsts(OUTGOING, _TO_SEND, "message_sequence_number")
    parameters = {**claim.mine, **given.parameters, "top": None, "bytes": BYTES_AT_ONCE}
    rows = claim.session.rows(_AFFORDABLE.format(given=given.sql, firsts=found), parameters)
    batch.outgoing = {handle: () for handle, _ in firsts}
    for handle, mine in groupby(map(OutboundMessage._make, rows), itemgetter(0)):
        batch.outgoing[handle] = tuple(mine)
    if sum(len(row[3] or b"") for row in rows) >= BYTES_AT_ONCE:
        _leave_for_later(batch)


def _leave_for_later(batch: ClaimedBatch) -> None:
    """Take conversations off the due list whose messages this claim did not read."""
    later = {handle for handle, mine in batch.outgoing.items() if not mine and batch.endpoints[handle].outgoing}
    batch.due = tuple(handle for handle in batch.due if handle not in later)
    for handle in later:
        del batch.outgoing[handle]


def _found(claim: Claim, table: WrittenTable, given: RowsAsTable, condition: str, *order: str) -> list[Row]:
    """Rows of a table, of each given one in an order, those of a conversation together."""
    firsts = claim.session.firsts(table, condition, ", ".join(order))
    sorting = ", ".join(f"found.{column}" for column in ("conversation_handle", *order))
    sql = f"SELECT {table.of('found')} FROM {given.sql} {firsts} ORDER BY {sorting}"
    return claim.session.rows(sql, {**claim.mine, **given.parameters, "top": None})


def _firsts(batch: ClaimedBatch, now: int) -> Iterator[tuple[str, int]]:
    """Yield the due handles with messages to send, each with the first message number to read."""
    for handle in batch.due:
        endpoint = batch.endpoints[handle]
        if endpoint.next_attempt is not None and endpoint.next_attempt <= now:
            yield handle, endpoint.acknowledged_sequence
        elif endpoint.ready_since is not None:
            yield handle, endpoint.sending_sequence


def _read_bodies(claim: Claim, batch: ClaimedBatch, wanted: tuple[tuple[str, int], ...]) -> None:
    batch.bodies = dict.fromkeys(wanted, ())
    given = claim.session.given(wanted, key="text", number="int8")
    rows = _found(claim, HELD, given, _OF_MESSAGE, "message_sequence_number", "fragment")
    for key, mine in groupby(map(BufferedFragment._make, rows), itemgetter(0, 1)):
        batch.bodies[key] = tuple(mine)
