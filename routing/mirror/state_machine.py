"""The state machine of a mirrored route at run time: how an instance learns which partner is the principal.
`routing.rules.mirroring` is the same rule for the roles written in an estate.

Rule 1: every change of phase is caused by an input and stands in the table below; no other code sets a phase.
Rule 2: messages are sent only to a partner that claims to be the principal. No answer is no claim.
Rule 3: this module knows addresses and times, not messages. Its state is one value that a store keeps; after a crash
it continues from the stored value, and at worst repeats a question.

**First use** (MIR-2). Both addresses are asked at once. One that claims the role is the principal as soon as the
other has denied it, cannot be reached, or has not answered in time. While no principal is known, nothing is sent, and
both are asked again at the intervals of retransmission: after 4, 8, … 64 seconds.

**From then on** all messages go to the principal, and the mirror is not asked. If messages are not acknowledged, the
principal is doubted: it alone is asked, and messages still go to it meanwhile. A forwarding instance receives no
acknowledgements; so a principal in use that has not claimed the role for a minute is doubted too.

**Lost** (MIR-3, MIR-4). The principal cannot be reached, has given up the role, or does not answer. Nothing is sent,
and both partners are asked again and again, until the principal confirms the role or the partner claims it. The first
of the two that does so is the principal.

**Both claim the role.** The mirroring session is broken, and a message may be lost at either partner. A route with a
principal keeps it; a route without one takes neither, and asks again until only one claims the role.

**At rest.** A route that no message needs any more is not asked about; the next use asks at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeVar

from routing.common.choices import Choices
from routing.common.event_subclasses import MirroredRouteSubclass
from routing.common.retry import retry_delay_ms

Phase = Literal["UNUSED", "ASKING", "SENDING", "DOUBTING", "LOST"]
UNUSED: Final = "UNUSED"
ASKING: Final = "ASKING"
SENDING: Final = "SENDING"
DOUBTING: Final = "DOUBTING"
LOST: Final = "LOST"

PHASES: Mapping[Phase, str] = {
    UNUSED: "nobody has used the route",
    ASKING: "no principal is known, and both partners are asked",
    SENDING: "everything goes to the principal",
    DOUBTING: "everything goes to the principal, and it is asked whether it still is",
    LOST: "the principal is away or is no more: nothing is sent, and both partners are asked",
}

Input = Literal[
    "use", "doubt", "unreachable", "silent",
    "confirms", "gives up", "partner claims", "partner denies",
    "one claims", "both claim", "nobody claims",
]  # fmt: skip
USE: Final = "use"
DOUBT: Final = "doubt"
UNREACHABLE: Final = "unreachable"
SILENT: Final = "silent"
CONFIRMS: Final = "confirms"
GIVES_UP: Final = "gives up"
PARTNER_CLAIMS: Final = "partner claims"
PARTNER_DENIES: Final = "partner denies"
ONE_CLAIMS: Final = "one claims"
BOTH_CLAIM: Final = "both claim"
NOBODY_CLAIMS: Final = "nobody claims"

INPUTS: Mapping[Input, str] = {
    USE: "a message is to go by the route",
    DOUBT: "the principal has not acknowledged messages, or has not claimed the role for a while",
    UNREACHABLE: "the principal cannot be reached",
    SILENT: "the principal has not answered in time",
    CONFIRMS: "the principal, or the partner that was, says that it is",
    GIVES_UP: "the principal says that it is not any more",
    PARTNER_CLAIMS: "the other one says that it is the principal",
    PARTNER_DENIES: "the other one says that it is not, or cannot be reached",
    ONE_CLAIMS: "one of two says that it is the principal; the other denies it, is away, or has not answered in time",
    BOTH_CLAIM: "both of two say that they are",
    NOBODY_CLAIMS: "both of two deny it, are away, or have not answered in time",
}

NEVER: Final = None

# fmt: off
TABLE: Mapping[Input, tuple[Phase | None, ...]] = {
    #                UNUSED  ASKING   SENDING   DOUBTING  LOST
    USE:            (ASKING, ASKING,  SENDING,  DOUBTING, LOST),
    DOUBT:          (UNUSED, ASKING,  DOUBTING, DOUBTING, LOST),
    UNREACHABLE:    (NEVER,  NEVER,   LOST,     LOST,     LOST),
    SILENT:         (NEVER,  NEVER,   NEVER,    LOST,     LOST),
    CONFIRMS:       (NEVER,  NEVER,   NEVER,    SENDING,  SENDING),
    GIVES_UP:       (NEVER,  NEVER,   NEVER,    LOST,     LOST),
    PARTNER_CLAIMS: (NEVER,  NEVER,   SENDING,  DOUBTING, SENDING),
    PARTNER_DENIES: (NEVER,  NEVER,   SENDING,  DOUBTING, LOST),
    ONE_CLAIMS:     (NEVER,  SENDING, NEVER,    NEVER,    NEVER),
    BOTH_CLAIM:     (NEVER,  ASKING,  NEVER,    NEVER,    NEVER),
    NOBODY_CLAIMS:  (NEVER,  ASKING,  NEVER,    NEVER,    NEVER),
}
"""The next phase. NEVER: the input cannot occur, because there is no principal yet, or the partner was not asked."""
# fmt: on

STEPS: Mapping[tuple[Phase, Input], Phase | None] = {
    (phase, given): to for given, row in TABLE.items() for phase, to in zip(PHASES, row, strict=True)
}

Heard = Literal["", "claims", "denies", "away"]
"""A partner's answer to the last question; empty: none yet."""
CLAIMS: Final = "claims"
DENIES: Final = "denies"
AWAY: Final = "away"


_OF_PRINCIPAL: Mapping[Heard, Input] = {CLAIMS: CONFIRMS, DENIES: GIVES_UP, AWAY: UNREACHABLE}


class MirroredRouteKey(NamedTuple):
    """Identifies a mirrored route at run time: each service of a pair of partners has its own principal."""

    address: str
    mirror_address: str
    """Canonical network addresses."""
    service: str
    identifier: str | None
    """The one in force: the conversation's, else the route's."""

    @property
    def addresses(self) -> tuple[str, str]:
        return self.address, self.mirror_address


class MirroredRoute(NamedTuple):
    """The knowledge of an instance about one mirrored route; a row that a store keeps."""

    key: MirroredRouteKey
    phase: Phase = UNUSED
    principal: int = 0
    """Index of the principal's address, 0 or 1; meaningless in UNUSED and ASKING."""
    heard: tuple[Heard, Heard] = ("", "")
    """By address."""
    questions: tuple[str, str] = ("", "")
    """By address: the GUID of the unanswered question; empty: there is none."""
    rounds: int = 0
    """How many times in a row both partners were asked."""
    due: int | None = None
    """When the time for answers ends, in milliseconds; None: no question is open."""
    claimed_at: int = 0
    """When a partner last claimed the role, in milliseconds."""
    shown: MirroredRouteSubclass | None = None
    """As the event Broker:Mirrored Route State Changed tells it; None: nothing is known yet."""

    @property
    def receiver(self) -> str | None:
        """The address to which messages are sent; None: messages wait."""
        return self.key.addresses[self.principal] if self.phase in {SENDING, DOUBTING} else None

    @property
    def is_at_rest(self) -> bool:
        """True if no principal is known and no question is open, because no message has used the route for a while."""
        return self.phase in {ASKING, LOST} and self.due is None


# ---------------------------------------------------------------- inputs


def used(route: MirroredRoute, now: int, choices: Choices) -> MirroredRoute:
    """A message is to be sent by the route."""
    going_on = _step(route, USE)
    return _with_new_questions(going_on, now, choices) if route.is_at_rest or going_on.phase != route.phase else route


def doubted(route: MirroredRoute, now: int, choices: Choices) -> MirroredRoute:
    """A message to the principal was not acknowledged in time, or its last claim is too old."""
    going_on = _step(route, DOUBT)
    if going_on.phase == route.phase:
        return route
    questions = _with(route.questions, route.principal, choices.identifier())
    return going_on._replace(questions=questions, due=now + retry_delay_ms(1, choices))


def unreachable(route: MirroredRoute, index: int, now: int, choices: Choices) -> MirroredRoute:
    """The caller could not connect to one of the addresses, or its connection broke."""
    is_principal = route.receiver is not None and index == route.principal
    if is_principal:
        return _with_new_questions(_step(route, UNREACHABLE), now, choices)
    return _hear(route, index, AWAY, now, choices) if route.questions[index] else route


def answered(route: MirroredRoute, question_id: str, claims: bool, now: int, choices: Choices) -> MirroredRoute:
    """A partner answered a question. An unknown question, or one answered before, changes nothing."""
    if question_id not in route.questions:
        return route
    return _hear(route, route.questions.index(question_id), CLAIMS if claims else DENIES, now, choices)


def timed_out(route: MirroredRoute, now: int, choices: Choices, *, wanted: bool) -> MirroredRoute:
    """The time for answers has passed: ask again if a message still needs the route (`wanted`)."""
    route = _judged(route) if route.phase == ASKING else _step(route, SILENT)
    if route.phase == SENDING:
        return route
    return (
        _with_new_questions(route, now, choices) if wanted else route._replace(questions=("", ""), rounds=0, due=None)
    )


# ---------------------------------------------------------------- effects of inputs


def _hear(route: MirroredRoute, index: int, heard: Heard, now: int, choices: Choices) -> MirroredRoute:
    route = route._replace(
        heard=_with(route.heard, index, heard),
        questions=_with(route.questions, index, ""),
        claimed_at=now if heard == CLAIMS else route.claimed_at,
    )
    if route.phase == ASKING:
        return route if "" in route.heard else _judged(route)
    if index == route.principal:
        was_doubted = route.phase == DOUBTING
        route = _step(route, _OF_PRINCIPAL[heard])
        return _with_new_questions(route, now, choices) if was_doubted and route.phase == LOST else route
    if heard == CLAIMS and route.phase == LOST:
        route = route._replace(principal=index)  # MIR-3
    return _step(route, PARTNER_CLAIMS if heard == CLAIMS else PARTNER_DENIES)


def _judged(route: MirroredRoute) -> MirroredRoute:
    """In ASKING, both partners have answered or the time has passed: decide which is the principal."""
    claiming = {route.key.addresses[index]: index for index in (0, 1) if route.heard[index] == CLAIMS}
    if len(claiming) == 1:
        (principal,) = claiming.values()
        return _step(route._replace(principal=principal), ONE_CLAIMS)
    return _step(route, BOTH_CLAIM if claiming else NOBODY_CLAIMS)


def _step(route: MirroredRoute, given: Input) -> MirroredRoute:
    phase = STEPS[route.phase, given]
    assert phase is not NEVER, (route.phase, given)
    if phase == SENDING:
        is_alone = route.heard[1 - route.principal] != DENIES
        shown = MirroredRouteSubclass.OPERATIONAL_WITH_PRINCIPAL_ONLY if is_alone else MirroredRouteSubclass.OPERATIONAL
        return route._replace(phase=phase, shown=shown, rounds=0, due=None)
    is_known = phase == LOST or given in {BOTH_CLAIM, NOBODY_CLAIMS}
    return route._replace(phase=phase, shown=MirroredRouteSubclass.NOT_OPERATIONAL if is_known else route.shown)


def _with_new_questions(route: MirroredRoute, now: int, choices: Choices) -> MirroredRoute:
    """Ask both partners (MIR-2, MIR-4)."""
    rounds = route.rounds + 1
    questions = (choices.identifier(), choices.identifier())
    return route._replace(heard=("", ""), questions=questions, rounds=rounds, due=now + retry_delay_ms(rounds, choices))


_T = TypeVar("_T")


def _with(pair: tuple[_T, _T], index: int, value: _T) -> tuple[_T, _T]:
    return (pair[0], value) if index else (value, pair[1])
