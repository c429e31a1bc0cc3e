"""All mirrored routes that an instance uses: open questions, answers, and the current principals.

The routing rules look up the principal here (`rules.hop.PrincipalLookup`), which marks the route as used. The caller
calls `handle` after that and at `next_timer`, sends the `frames`, and reports answers, addresses that it cannot reach,
and messages that were not acknowledged. After an event with a principal, waiting messages should be tried again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

from routing.adjacent.roles import RoleAnswer, RoleQuestion, write_role
from routing.common.choices import Choices
from routing.common.deadlines import Deadlines
from routing.common.network_events import MirroredRouteStateChanged
from routing.common.retry import FIRST_MS, LONGEST_MS
from routing.mirror.state_machine import (
    SENDING,
    MirroredRoute,
    MirroredRouteKey,
    answered,
    doubted,
    timed_out,
    unreachable,
    used,
)
from routing.model.address import ADDRESS_CHARS, Address
from routing.model.estate import PRINCIPAL, Estate
from routing.model.route import Route
from routing.rules.mirroring import role_held

MAX_REMEMBERED_ROUTES: Final = 10_000
"""Limit of remembered routes; the least recently used one is forgotten, and asked about again when used. Needed because
a peer whose messages are forwarded creates one with each identifier it invents."""
IDLE_AFTER_MS: Final = 5 * 60_000
"""A route unused for this long is not asked about; messages that wait for it are retried about every minute."""
CLAIM_VALID_MS: Final = LONGEST_MS
"""A principal in use is doubted when its last claim is older than this."""

Frame = tuple[str, bytes]
"""An address, and a frame for it."""


def answer_role_question(estate: Estate, instance: str, question: RoleQuestion) -> RoleAnswer:
    """The answer of an instance of this estate to a question about its role."""
    role = role_held(estate.instances[instance], question.service, question.broker_instance)
    return RoleAnswer(question.question_id, role)


def reply_address(addresses: Iterable[Address]) -> str:
    """The first of an instance's addresses that fits into a question, for its answers; empty: there is none."""
    return next((address.key for address in addresses if len(address.key) <= ADDRESS_CHARS), "")


class PrincipalRegistry:
    """The mirrored routes of one instance. `rows` are those that its store kept."""

    def __init__(self, choices: Choices, reply_to: str = "", rows: Iterable[MirroredRoute] = ()) -> None:
        self._choices = choices
        self._reply_to = reply_to
        self._rows: OrderedDict[MirroredRouteKey, MirroredRoute] = OrderedDict()
        """Least recently used first."""
        self._by_address: dict[str, dict[MirroredRouteKey, None]] = {}
        self._by_question: dict[str, MirroredRouteKey] = {}
        self._used: dict[MirroredRouteKey, None] = {}
        self._used_at: dict[MirroredRouteKey, int] = {}
        self._due: Deadlines[MirroredRouteKey] = Deadlines()
        self._frames: list[Frame] = []
        self._events: list[MirroredRouteStateChanged] = []
        self._changed: dict[MirroredRouteKey, MirroredRoute | None] = {}
        self.learn(rows)

    def learn(self, rows: Iterable[MirroredRoute]) -> None:
        """Take over rows that other workers of the same instance have stored since."""
        for row in rows:
            before = self._rows.get(row.key)
            if row != before:
                self._drop_questions(before)
                self._keep(row)

    def __len__(self) -> int:
        return len(self._rows)

    # ------------------------------------------------------------ what routing asks

    def principals(self, route: Route, service: str, identifier: str | None) -> tuple[Address, ...]:
        """The address of the principal now, or none. Marks the route as used."""
        assert route.mirror_address is not None
        key = MirroredRouteKey(route.address.key, route.mirror_address.key, service, identifier)
        self._used[key] = None
        row = self._rows.get(key)
        if row is None or row.receiver is None:
            return ()
        return ((route.address, route.mirror_address)[row.principal],)

    # ------------------------------------------------------------ what happens

    def has_used(self) -> bool:
        """Return True if a mirrored route was used since `handle` was called last."""
        return bool(self._used)

    def doubt(self, address: str, service: str, now: int) -> None:
        """A message to an address for a service was not acknowledged in time."""
        for row in self._rows_at(address):
            is_news = now - row.claimed_at >= FIRST_MS  # else it was sent before the claim
            if is_news and row.key.service == service and row.receiver == address:
                self._put(doubted(row, now, self._choices))

    def cannot_reach(self, address: str, now: int) -> None:
        """The caller could not connect to an address, or its connection broke."""
        for row in self._rows_at(address):
            self._put(unreachable(row, row.key.addresses.index(address), now, self._choices))

    def hear(self, answer: RoleAnswer, now: int) -> None:
        """Take an answer. One to an unknown question, or a second one to the same question, changes nothing."""
        key = self._by_question.get(answer.question_id)
        if key is not None:
            self._put(answered(self._rows[key], answer.question_id, answer.role == PRINCIPAL, now, self._choices))

    # ------------------------------------------------------------ time

    def next_timer(self) -> int | None:
        """When `handle` is due next; None: only after a route was used."""
        first = self._due.first()
        return first[0] if first else None

    def handle(self, now: int) -> None:
        """Ask about routes that were used since the last call, and handle questions whose time has passed."""
        for key in self._used:
            self._use(key, now)
        self._used.clear()
        while (first := self._due.first()) is not None and first[0] <= now:
            row = self._rows[first[1]]
            wanted = now - self._used_at.setdefault(row.key, now) < IDLE_AFTER_MS
            self._put(timed_out(row, now, self._choices, wanted=wanted))

    def _use(self, key: MirroredRouteKey, now: int) -> None:
        row = self._rows.get(key) or MirroredRoute(key)
        if row.phase == SENDING and now - row.claimed_at >= CLAIM_VALID_MS:
            row = doubted(row, now, self._choices)
        self._put(used(row, now, self._choices))
        self._used_at[key] = now
        self._rows.move_to_end(key)
        if len(self._rows) > MAX_REMEMBERED_ROUTES:
            self._forget(next(iter(self._rows)))

    # ------------------------------------------------------------ questions, events and changes to the caller

    def frames(self) -> list[Frame]:
        """Questions to send, new since the last call."""
        frames, self._frames = self._frames, []
        return frames

    def events(self) -> list[MirroredRouteStateChanged]:
        """Events since the last call."""
        events, self._events = self._events, []
        return events

    def changed(self) -> dict[MirroredRouteKey, MirroredRoute | None]:
        """Rows that changed since the last call, for the store; None: the row is forgotten."""
        changed, self._changed = self._changed, {}
        return changed

    def take_back(
        self,
        frames: list[Frame],
        events: list[MirroredRouteStateChanged],
        changed: dict[MirroredRouteKey, MirroredRoute | None],
    ) -> None:
        """Undo of frames(), events() and changed() after a failed commit: the next call returns them again."""
        self._frames[:0] = frames
        self._events[:0] = events
        self._changed = changed | self._changed

    # ------------------------------------------------------------ rows

    def _rows_at(self, address: str) -> Iterator[MirroredRoute]:
        return (self._rows[key] for key in tuple(self._by_address.get(address, ())))

    def _put(self, row: MirroredRoute) -> None:
        before = self._rows.get(row.key)
        if row is before:
            return
        self._drop_questions(before)
        self._keep(row)
        self._changed[row.key] = row
        self._ask(row, before)
        if before is None or row.shown != before.shown:
            self._tell(row)

    def _keep(self, row: MirroredRoute) -> None:
        key = row.key
        self._rows[key] = row
        for address in key.addresses:
            self._by_address.setdefault(address, {})[key] = None
        for question_id in filter(None, row.questions):
            self._by_question[question_id] = key
        self._due.set(key, row.due)

    def _drop_questions(self, row: MirroredRoute | None) -> None:
        for question_id in row.questions if row else ():
            self._by_question.pop(question_id, None)

    def _ask(self, row: MirroredRoute, before: MirroredRoute | None) -> None:
        open_questions = before.questions if before else ()
        for address, question_id in zip(row.key.addresses, row.questions, strict=True):
            if question_id and question_id not in open_questions:
                question = RoleQuestion(question_id, row.key.service, row.key.identifier, self._reply_to)
                self._frames.append((address, write_role(question)))

    def _tell(self, row: MirroredRoute) -> None:
        if row.shown is not None:
            self._events.append(MirroredRouteStateChanged(row.shown, *row.key, row.receiver or ""))

    def _forget(self, key: MirroredRouteKey) -> None:
        row = self._rows.pop(key)
        self._due.set(key, None)
        self._drop_questions(row)
        self._used_at.pop(key, None)
        self._changed[key] = None
        for address in key.addresses:
            keys = self._by_address[address]
            del keys[key]
            if not keys:
                del self._by_address[address]
