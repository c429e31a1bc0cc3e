"""MIR-2 to MIR-4: nothing goes to a partner of a mirrored route that has not claimed to be the principal.

What a partner says of one service says nothing of another: each is asked about by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from routing.adjacent.roles import RoleAnswer, RoleQuestion, read_role
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.model.estate import PRINCIPAL
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.landscape import address
from routing.simulation.records import (
    BrokerStopped,
    Committed,
    FrameArrived,
    FrameSent,
)

RoleQuestionKey = tuple[str, str]
"""A broker, and the identifier of its question."""
PartnerKey = tuple[str, str, str]
"""A broker, and the address and service of its question."""


class _EarlierClaim(NamedTuple):
    """State of a mirrored route before an answer arrived."""

    question: RoleQuestionKey
    open_question: tuple[int, str, str]
    partner: PartnerKey
    claim: tuple[int, bool]


UNKNOWN = (-1, False)


class MirroringChecker(Checker):
    promise = "only-to-the-principal"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._partners = {
            address(name): name
            for name, instance in self.world.estate.instances.items()
            if any(database.mirroring_role for database in instance.databases.values())
        }
        self._open_questions: dict[RoleQuestionKey, tuple[int, str, str]] = {}
        """By broker and open question: the number of its frame, the address, and the service of the route."""
        self._answers: dict[int, RoleAnswer] = {}
        """Answers by the number of their frame."""
        self._claims: dict[PartnerKey, tuple[int, bool]] = {}
        """By broker, address and service: the frame of the latest answered question, and whether the answer claims the
        role of principal."""
        self._undone: dict[str, list[_EarlierClaim]] = {}
        """By broker: the states that a crash restores, since answers after the last commit are lost."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        if not self._partners:
            return {}
        return {FrameSent: self._leave, FrameArrived: self._arrive, Committed: self._commit, BrokerStopped: self._stop}

    def _leave(self, left: FrameSent) -> None:
        if left.header is None:
            self._note(left)
        elif self._is_bound(left) and not self._claims_it(left.broker, left.address, left.header.names.to_service):
            what = say("A fragment left for {address}, which does not claim to be the principal.", address=left.address)
            side = (identifier_of(left.header.conversation_id), left.header.is_initiator)
            self.broken(left.at, what, next(iter(self.ledger.sides.get(side, ())), ""), left.header.sequence)

    def _is_bound(self, left: FrameSent) -> bool:
        """Whether the fragment leaves by a mirrored route: no other route leads to a partner."""
        return left.address in self._partners and left.broker not in self._partners.values()

    def _claims_it(self, broker: str, to: str, service: str) -> bool:
        _, claims = self._claims.get((broker, to, service), UNKNOWN)
        return claims

    def _note(self, left: FrameSent) -> None:
        message = read_role(left.raw)
        if isinstance(message, RoleQuestion):
            self._open_questions[left.broker, message.question_id] = left.number, left.address, message.service
        else:
            self._answers[left.number] = message

    def _arrive(self, arrived: FrameArrived) -> None:
        """Record an answer that counts: not a damaged one, not the second one to a question, and not one that took a
        detour while a later question was answered, since it is about an earlier time."""
        answer = self._answers.get(arrived.number)
        if answer is None or arrived.damage:
            return
        question = (arrived.broker, answer.question_id)
        open_question = self._open_questions.pop(question, None)
        if open_question is not None:
            number, to, service = open_question
            partner = (arrived.broker, to, service)
            claim = self._claims.get(partner, UNKNOWN)
            self._undone.setdefault(arrived.broker, []).append(_EarlierClaim(question, open_question, partner, claim))
            if number > claim[0]:
                self._claims[partner] = number, answer.role == PRINCIPAL

    def _commit(self, commit: Committed) -> None:
        self._undone.pop(commit.broker, None)

    def _stop(self, stopped: BrokerStopped) -> None:
        """Undo the answers since the last commit: the broker has lost them."""
        for before in reversed(self._undone.pop(stopped.broker, [])):
            self._open_questions[before.question] = before.open_question
            self._claims[before.partner] = before.claim
