"""A violation as a person reads it: what happened to its message, line by line, and with what it is made again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.simulation.checking import Violation
from routing.simulation.clock import START
from routing.simulation.history import (
    Arrived,
    Began,
    Broke,
    Committed,
    Ended,
    FailedOver,
    Fault,
    Healed,
    History,
    Kept,
    Left,
    Lost,
    Over,
    Received,
    Record,
    RefusedVerb,
    Renewed,
    Sent,
    Started,
    Stopped,
)
from routing.simulation.ledger import Ledger

_NUMBERS = re.compile(r"frame \d+|fragment \d+/\d+")
LINES = 60
"""That are worth reading; of more, some of the first and most of the last."""


def story(history: History, violation: Violation) -> list[str]:
    """What happened in the conversation up to the violation, and in the world around it."""
    teller = _Story(history, violation)
    told = [line for record in history.records if record.at <= violation.at for line in teller.told(record)]
    lines = list(_together(told))
    return lines if len(lines) <= LINES else [*lines[: LINES // 6], "…", *lines[-LINES + LINES // 6 :]]


def _together(lines: Iterable[str]) -> Iterator[str]:
    """Of frames that differ in their numbers alone, the first and the last."""
    for _, alike in groupby(lines, lambda line: _NUMBERS.sub("", line)):
        first, *more = alike
        yield first
        if more:
            yield more[-1] if len(more) == 1 else f"{more[-1]} (with {len(more) - 1} between)"


class _Story:
    """What is to be told of each record; nothing of most."""

    def __init__(self, history: History, violation: Violation) -> None:
        ledger = Ledger()
        self._headers: dict[int, Header] = {}
        for record in history.records:
            if isinstance(record, Committed):
                ledger.apply(record)
            elif isinstance(record, Left) and record.header is not None:
                self._headers[record.number] = record.header
        row = ledger.last.get(violation.handle)
        self._conversation = row.conversation_id if row else ""
        self._handles = {
            handle: "initiator" if is_initiator else "target"
            for (conversation, is_initiator), handles in ledger.sides.items()
            for handle in handles
            if conversation == self._conversation
        }

    def told(self, record: Record) -> Iterator[str]:
        said = "; ".join(self._said(record))
        if said:
            broker = getattr(record, "broker", "")
            yield f"{(record.at - START) / 1000:9.3f} {broker:<2} {said}"

    def _said(self, record: Record) -> Iterator[str]:
        match record:
            case Began() | Sent() | Received() | Ended() | RefusedVerb() if record.handle in self._handles:
                yield f"{self._handles[record.handle]}: {_of_application(record)}"
            case Committed():
                yield from self._of_commit(record)
            case Left():
                yield from self._of_frame(record.number, f"sends to {record.to or record.address}")
            case Arrived():
                yield from self._of_frame(record.number, f"takes in{record.damage and f' ({record.damage})'}")
            case Lost():
                yield from self._of_frame(record.number, record.why)
            case _:
                yield from _of_world(record)

    def _of_frame(self, number: int, how: str) -> Iterator[str]:
        header = self._headers.get(number)
        if header is not None and identifier_of(header.conversation_id) == self._conversation:
            yield f"{how} frame {number}: {_of_header(header)}"

    def _of_commit(self, commit: Committed) -> Iterator[str]:
        for row in commit.endpoints:
            if row.handle in self._handles:
                parts = [
                    f"{self._handles[row.handle]} {row.state}, sent {row.send_sequence}, next {row.receive_sequence}"
                ]
                parts += _rows("queued", row.handle, commit.enqueued)
                parts += _rows("held", row.handle, commit.held)
                parts += _rows("to send", row.handle, commit.outgoing)
                parts += [f"acknowledged below {below}" for handle, below in commit.settled if handle == row.handle]
                parts += [f"unsent from {first}" for handle, first in commit.unsent if handle == row.handle]
                yield "commits " + ", ".join(parts)
        for handle in commit.removed:
            if handle in self._handles:
                yield f"commits {self._handles[handle]} removed"


def _of_world(record: Record) -> Iterator[str]:
    match record:
        case Stopped():
            yield f"stops: {record.why}"
        case Broke():
            yield f"breaks: {record.error}"
        case Started():
            yield "starts"
        case FailedOver():
            yield f"the principal is now {record.principal}"
        case Renewed():
            yield f"{record.database} has a new broker, {record.identifier}"
        case Fault():
            yield record.what
        case Healed():
            yield "healed: nothing goes wrong from here on"
        case Over():
            yield "over"


def _of_application(record: Began | Sent | Received | Ended | RefusedVerb) -> str:
    match record:
        case Began():
            return f"begins a dialog from {record.from_service} to {record.to_service}"
        case Sent():
            return f"sends {record.body.size} bytes"
        case Received():
            return f"receives {record.sequence} {record.message_type.rpartition('/')[2]} {record.code or ''}".rstrip()
        case Ended():
            return f"ends ({record.how})"
    return f"{record.verb} is refused, {record.number}"


def _of_header(header: Header) -> str:
    side = "initiator" if header.is_initiator else "target"
    what = f"message {header.sequence}" if header.is_sequenced else "error" if header.is_error else "acknowledgement"
    part = f" fragment {header.fragment + 1}/{header.fragments}" if header.fragments > 1 else ""
    end = " END" if header.is_end else " ERROR" if header.is_error and header.is_sequenced else ""
    ranges = ", ".join(f"{one.first_sequence}.{one.first_fragment}-{one.last_sequence}" for one in header.acknowledged)
    return f"{side}'s {what}{part}{end}{ranges and f', acknowledges {ranges}'}"


def _rows(what: str, handle: str, rows: tuple[Kept, ...]) -> list[str]:
    numbers = [
        f"{kept.sequence}.{kept.fragment}" if kept.fragments > 1 else str(kept.sequence)
        for kept in rows
        if kept.handle == handle
    ]
    return [f"{what} {' '.join(numbers)}"] if numbers else []
