"""MIR-2 to MIR-4: nothing goes to a partner of a mirrored route that has not claimed to be the principal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.frames import ROLE_ANSWER, ROLE_QUESTION
from routing.sentence import say
from routing.simulation.checking import Checker, Seen
from routing.simulation.estates import address
from routing.simulation.history import Arrived, Left

_KIND_AT = 4
_QUESTION = slice(10, 26)
_ROLE_AT = 26
_PRINCIPAL = 1


class Mirroring(Checker):
    promise = "only-to-the-principal"

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen)
        self._partners = {
            address(name): name
            for name, instance in self.world.estate.instances.items()
            if any(database.mirroring_role for database in instance.databases.values())
        }
        self._asked: dict[tuple[str, bytes], str] = {}
        """By broker and question: which address."""
        self._answers: dict[int, tuple[bytes, int]] = {}
        """By number of a frame: the question and the role."""
        self._claims: dict[tuple[str, str], bool] = {}
        """By broker and address: whether the last answer was that the principal is there."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {Left: self._leave, Arrived: self._arrive} if self._partners else {}

    def _leave(self, left: Left) -> None:
        if left.header is None:
            self._note(left)
        elif self._is_bound(left) and not self._claims.get((left.broker, left.address)):
            what = say("A fragment left for {address}, which does not claim to be the principal.", address=left.address)
            self.broken(left.at, what)

    def _is_bound(self, left: Left) -> bool:
        """Whether it leaves by a mirrored route: those alone lead to partners."""
        return left.address in self._partners and left.broker not in self._partners.values()

    def _note(self, left: Left) -> None:
        kind = left.raw[_KIND_AT]
        if kind == ROLE_QUESTION:
            self._asked[left.broker, left.raw[_QUESTION]] = left.address
        elif kind == ROLE_ANSWER:
            self._answers[left.number] = left.raw[_QUESTION], left.raw[_ROLE_AT]

    def _arrive(self, arrived: Arrived) -> None:
        if arrived.number not in self._answers:
            return
        question, role = self._answers[arrived.number]
        asked = self._asked.get((arrived.broker, question))
        if asked is not None and (role == _PRINCIPAL or not arrived.harm):
            self._claims[arrived.broker, asked] = role == _PRINCIPAL
