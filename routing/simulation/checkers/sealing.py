"""DLG-SEC: a dialog that must be encrypted sends nothing in clear, and keeps the protection of its first fragment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.fragment import Header
from routing.adjacent.guard import SEALED
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.security.instance_security import DialogProtection
from routing.simulation.application_records import BodyDigest
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import Committed, FrameArrived, FrameSent

SHORT = 8
"""Bytes of a body that may by chance be equal encrypted and in clear."""


class SealingChecker(Checker):
    promise = "sealed-when-demanded"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._changed: set[bytes] = set()
        """Conversations with a damaged frame: forwarded copies of it may hold anything."""
        self._kept: dict[str, DialogProtection] = {}
        """By handle: the protection of its first fragment."""
        self._bodies: dict[tuple[str, int], BodyDigest] = {}
        """By handle and sequence number: the body in the transmission queue."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {FrameSent: self._leave, FrameArrived: self._arrive, Committed: self._commit}

    def _commit(self, commit: Committed) -> None:
        for kept in commit.outgoing:
            self._bodies[kept.handle, kept.sequence] = kept.body

    def _arrive(self, arrived: FrameArrived) -> None:
        header = self._headers.get(arrived.number)
        if header is not None and arrived.harm:
            self._changed.add(header.conversation_id)

    def _leave(self, left: FrameSent) -> None:
        header, protection = left.header, left.protection
        if header is None or protection is None:
            return
        self._headers[left.number] = header
        if header.conversation_id not in self._changed:
            for handle in self._own(left.broker, header):
                self._check(left, header, protection, handle)

    def _own(self, broker: str, header: Header) -> list[str]:
        side = (identifier_of(header.conversation_id), header.is_initiator)
        return [handle for handle in self.ledger.sides.get(side, []) if self.ledger.where[handle] == broker]

    def _check(self, left: FrameSent, header: Header, protection: DialogProtection, handle: str) -> None:
        row = self.ledger.last[handle]
        initiators = [row] if row.is_initiator else [self.ledger.last[peer] for peer in self.ledger.peers(row)]
        if any(one.encryption for one in initiators) and protection.integrity != SEALED:
            self.broken(left.at, say("A fragment left in plain, and encryption was demanded."), handle, header.sequence)
        elif protection != self._kept.setdefault(handle, protection):
            self.broken(left.at, say("The protection of a dialog has changed."), handle, header.sequence)
        elif protection.integrity == SEALED and header.is_sequenced and self._can_be_read(left, header, handle):
            self.broken(left.at, say("A body left sealed, and can be read all the same."), handle, header.sequence)

    def _can_be_read(self, left: FrameSent, header: Header, handle: str) -> bool:
        plain = self._bodies.get((handle, header.sequence))
        return header.fragments == 1 and plain is not None and plain.size > SHORT and left.body == plain
