"""Trace of a violation for people: what happened in its conversation, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.simulation.application_records import (
    ApplicationEnded,
    ApplicationReceived,
    ApplicationSent,
    DialogBegan,
    VerbRefused,
)
from routing.simulation.checking import Violation
from routing.simulation.clock import START
from routing.simulation.history import WorldHistory
from routing.simulation.ledger import Ledger
from routing.simulation.records import (
    BrokerBroke,
    BrokerRenewed,
    BrokerStarted,
    BrokerStopped,
    Committed,
    FailedOver,
    FaultNoted,
    FrameArrived,
    FrameLost,
    FrameSent,
    KeptMessage,
    Record,
    WorldHealed,
    WorldOver,
)

_NUMBERS = re.compile(r"frame \d+|fragment \d+/\d+")
MAX_LINES = 60
"""Maximum lines; of more, the first few and most of the last are kept."""


def trace_lines(history: WorldHistory, violation: Violation) -> list[str]:
    """Return lines on the events of the conversation and the world up to the violation."""
    teller = _TraceWriter(history, violation)
    lines_by_record = [
        line for record in history.records if record.at <= violation.at for line in teller.lines_of(record)
    ]
    lines = list(_together(lines_by_record))
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES // 6], "…", *lines[-MAX_LINES + MAX_LINES // 6 :]]


def _together(lines: Iterable[str]) -> Iterator[str]:
    """Keep the first and last of consecutive lines that differ only in frame numbers."""
    for _, alike in groupby(lines, lambda line: _NUMBERS.sub("", line)):
        first, *more = alike
        yield first
        if more:
            yield more[-1] if len(more) == 1 else f"{more[-1]} (with {len(more) - 1} between)"


class _TraceWriter:
    """Writes the lines of each record; most records have none."""

    def __init__(self, history: WorldHistory, violation: Violation) -> None:
        ledger = Ledger()
        self._headers: dict[int, Header] = {}
        for record in history.records:
            if isinstance(record, Committed):
                ledger.apply(record)
            elif isinstance(record, FrameSent) and record.header is not None:
                self._headers[record.number] = record.header
        row = ledger.last.get(violation.handle)
        self._conversation = row.conversation_id if row else ""
        self._handles = {
            handle: "initiator" if is_initiator else "target"
            for (conversation, is_initiator), handles in ledger.sides.items()
            for handle in handles
            if conversation == self._conversation
        }

    def lines_of(self, record: Record) -> Iterator[str]:
        text = "; ".join(self._phrases_of(record))
        if text:
            broker = getattr(record, "broker", "")
            yield f"{(record.at - START) / 1000:9.3f} {broker:<2} {text}"

    def _phrases_of(self, record: Record) -> Iterator[str]:
        match record:
            case DialogBegan() | ApplicationSent() | ApplicationReceived() | ApplicationEnded() | VerbRefused() if (
                record.handle in self._handles
            ):
                yield f"{self._handles[record.handle]}: {_of_application(record)}"
            case Committed():
                yield from self._of_commit(record)
            case FrameSent():
                yield from self._of_frame(record.number, f"sends to {record.to or record.address}")
            case FrameArrived():
                yield from self._of_frame(record.number, f"takes in{record.damage and f' ({record.damage})'}")
            case FrameLost():
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
                parts += _rows("held", row.handle, commit.buffered)
                parts += _rows("to send", row.handle, commit.outgoing)
                parts += [
                    f"acknowledged below {below}" for handle, below in commit.acknowledged_below if handle == row.handle
                ]
                parts += [f"unsent from {first}" for handle, first in commit.dropped_from if handle == row.handle]
                yield "commits " + ", ".join(parts)
        for handle in commit.removed:
            if handle in self._handles:
                yield f"commits {self._handles[handle]} removed"


def _of_world(record: Record) -> Iterator[str]:
    match record:
        case BrokerStopped():
            yield f"stops: {record.why}"
        case BrokerBroke():
            yield f"breaks: {record.error}"
        case BrokerStarted():
            yield "starts"
        case FailedOver():
            yield f"the principal is now {record.principal}"
        case BrokerRenewed():
            yield f"{record.database} has a new broker, {record.identifier}"
        case FaultNoted():
            yield record.what
        case WorldHealed():
            yield "healed: nothing goes wrong from here on"
        case WorldOver():
            yield "over"


def _of_application(
    record: DialogBegan | ApplicationSent | ApplicationReceived | ApplicationEnded | VerbRefused,
) -> str:
    match record:
        case DialogBegan():
            return f"begins a dialog from {record.from_service} to {record.to_service}"
        case ApplicationSent():
            return f"sends {record.body.size} bytes"
        case ApplicationReceived():
            return f"receives {record.sequence} {record.message_type.rpartition('/')[2]} {record.code or ''}".rstrip()
        case ApplicationEnded():
            return f"ends ({record.how})"
    return f"{record.verb} is refused, {record.number}"


def _of_header(header: Header) -> str:
    side = "initiator" if header.is_initiator else "target"
    what = f"message {header.sequence}" if header.is_sequenced else "error" if header.is_error else "acknowledgement"
    part = f" fragment {header.fragment + 1}/{header.fragments}" if header.fragments > 1 else ""
    end = " END" if header.is_end else " ERROR" if header.is_error and header.is_sequenced else ""
    ranges = ", ".join(f"{one.first_sequence}.{one.first_fragment}-{one.last_sequence}" for one in header.acknowledged)
    return f"{side}'s {what}{part}{end}{ranges and f', acknowledges {ranges}'}"


def _rows(what: str, handle: str, rows: tuple[KeptMessage, ...]) -> list[str]:
    numbers = [
        f"{kept.sequence}.{kept.fragment}" if kept.fragments > 1 else str(kept.sequence)
        for kept in rows
        if kept.handle == handle
    ]
    return [f"{what} {' '.join(numbers)}"] if numbers else []
