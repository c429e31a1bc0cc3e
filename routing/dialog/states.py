"""The life of a conversation endpoint: one table, from which the documentation's diagrams are drawn too.

Rule 1: whatever changes the state of an endpoint is an input, and stands in this table; no other code sets a state.
Rule 2: what the table does not allow is an error of the product's, and stands in the table as its number.
Rule 3: this module knows states, not messages. Numbers, order and duplicates are settled before it is asked: "in its
turn" means that a message is new, whole, and the next one in the sequence of its sender (DLG-SEQ).

An endpoint is one side of a conversation. Both sides use the same table, except for the roles below.

**Beginning.** BEGIN DIALOG makes the initiator's endpoint, SO, and sends nothing. Its first SEND makes it CO. The
target's is made by the first message: CO if that arrives whole, SI while it is incomplete or something after it came
first. What arrives for an endpoint that is not there, and cannot make one, is answered with the error -8462, so that
its sender ends too: at an initiator anything, at a target a message after a first one that will not come again (11213).

**Ending.** Each side ends for itself, and a conversation is over when both have. The side that ends first sends an
EndDialog, in its turn, or an Error, and is DO until that is acknowledged; what still arrives is acknowledged and
discarded. The other side is DI (ER after an Error) and has only to end: it sends nothing, for the peer has ended
already. An endpoint from which nothing was sent yet has nobody to tell.
In SI nobody here knows of the conversation: an error of the peer's or the end of its lifetime closes it.

**Closed.** A closed endpoint is CD. That of an initiator is removed at once: nobody can begin its conversation again.
That of a target stays until no copy of the first message can arrive any more; it would begin the conversation anew.

**Errors.** An Error of the peer's application, of the broker (DLG-UNSEQ), a message that fails its validation, and the
end of the lifetime make an endpoint ER. The first stands; in DI the peer has ended, and nothing is an error any more.
An error in answer to our own end closes the endpoint: the peer is gone, and nobody waits for anything.

**Cleanup.** END WITH CLEANUP removes an endpoint in any state, and the peer is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

DialogState = Literal["", "SO", "SI", "CO", "DI", "DO", "ER", "CD"]
"""`state` of sys.conversation_endpoints; empty where there is no endpoint."""

NONE: Final = ""
SO: Final = "SO"
SI: Final = "SI"
CO: Final = "CO"
DI: Final = "DI"
DO: Final = "DO"
ER: Final = "ER"
CD: Final = "CD"

STATES: Mapping[DialogState, str] = {
    NONE: "no endpoint",
    SO: "STARTED_OUTBOUND",
    SI: "STARTED_INBOUND",
    CO: "CONVERSING",
    DI: "DISCONNECTED_INBOUND",
    DO: "DISCONNECTED_OUTBOUND",
    ER: "ERROR",
    CD: "CLOSED",
}
"""`state_desc` of each."""

DialogInput = Literal[
    "BEGIN DIALOG",
    "SEND",
    "END",
    "END WITH ERROR",
    "END WITH CLEANUP",
    "MOVE",
    "BEGIN TIMER",
    "part arrives",
    "message arrives",
    "invalid arrives",
    "stray arrives",
    "end arrives",
    "error arrives",
    "acknowledged",
    "end acknowledged",
    "timer",
    "lifetime over",
    "database restored",
    "replay impossible",
]

BEGIN_DIALOG: Final = "BEGIN DIALOG"
SEND: Final = "SEND"
END: Final = "END"
END_WITH_ERROR: Final = "END WITH ERROR"
END_WITH_CLEANUP: Final = "END WITH CLEANUP"
MOVE: Final = "MOVE"
BEGIN_TIMER: Final = "BEGIN TIMER"
PART: Final = "part arrives"
MESSAGE: Final = "message arrives"
INVALID: Final = "invalid arrives"
STRAY: Final = "stray arrives"
END_DIALOG: Final = "end arrives"
ERROR: Final = "error arrives"
ACKNOWLEDGED: Final = "acknowledged"
END_ACKNOWLEDGED: Final = "end acknowledged"
TIMER: Final = "timer"
LIFETIME: Final = "lifetime over"
RESTORED: Final = "database restored"
REPLAY_IMPOSSIBLE: Final = "replay impossible"

INPUTS: Mapping[DialogInput, str] = {
    BEGIN_DIALOG: "the application begins a dialog",
    SEND: "the application sends",
    END: "the application ends the conversation",
    END_WITH_ERROR: "the application ends the conversation with an error",
    END_WITH_CLEANUP: "the application ends the conversation without a word to the peer",
    MOVE: "the application moves the conversation to another group",
    BEGIN_TIMER: "the application starts the conversation timer",
    PART: "a fragment, or a message before its turn",
    MESSAGE: "a message of the application's, in its turn",
    INVALID: "a message that contract, type or validation refuse, in its turn",
    STRAY: "a message after the first, when the first will not come again",
    END_DIALOG: "the peer's EndDialog, in its turn",
    ERROR: "an Error of the peer's application, in its turn, or of the broker, at once",
    ACKNOWLEDGED: "the peer has acknowledged messages",
    END_ACKNOWLEDGED: "the peer has acknowledged our EndDialog or Error",
    TIMER: "the conversation timer runs out",
    LIFETIME: "the lifetime is over",
    RESTORED: "an administrator ends all conversations of the database (ERROR_BROKER_CONVERSATIONS)",
    REPLAY_IMPOSSIBLE: "no copy of the first message can arrive any more",
}

# fmt: off
TABLE: Mapping[DialogInput, tuple[DialogState | int, ...]] = {
    #                   none   SO     SI     CO     DI     DO     ER     CD
    BEGIN_DIALOG:      (SO,    8461,  8461,  8461,  8461,  8461,  8461,  8461),
    SEND:              (8426,  CO,    8429,  CO,    8429,  8429,  8429,  8429),
    END:               (8426,  CD,    8427,  DO,    CD,    8427,  CD,    8427),
    END_WITH_ERROR:    (8426,  CD,    8427,  DO,    CD,    8427,  CD,    8427),
    END_WITH_CLEANUP:  (8426,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE),
    MOVE:              (8426,  SO,    8438,  CO,    DI,    8438,  ER,    8438),
    BEGIN_TIMER:       (8426,  SO,    8458,  CO,    DI,    8458,  8458,  8458),
    PART:              (SI,    11209, SI,    CO,    11217, DO,    11209, 11212),
    MESSAGE:           (CO,    11209, CO,    CO,    11217, DO,    11209, 11212),
    INVALID:           (NONE,  11209, NONE,  ER,    11217, DO,    11209, 11212),
    STRAY:             (11213, 11209, 11213, 11213, 11217, DO,    11209, 11212),
    END_DIALOG:        (11277, 11209, 11277, DI,    11217, DO,    11209, 11212),
    ERROR:             (11209, 11209, CD,    ER,    DI,    CD,    ER,    CD),
    ACKNOWLEDGED:      (11209, 28010, 28010, CO,    DI,    DO,    ER,    CD),
    END_ACKNOWLEDGED:  (11209, 28010, 28010, 28010, 28010, CD,    28010, CD),
    TIMER:             (NONE,  SO,    SI,    CO,    DI,    DO,    ER,    CD),
    LIFETIME:          (NONE,  ER,    CD,    ER,    DI,    CD,    ER,    CD),
    RESTORED:          (NONE,  ER,    CD,    ER,    DI,    DO,    ER,    CD),
    REPLAY_IMPOSSIBLE: (NONE,  SO,    SI,    CO,    DI,    DO,    ER,    NONE),
}
"""The next state, or the number of the product's error: raised for a verb, else the reason why it is undeliverable."""
# fmt: on

INITIATOR_STATES: tuple[DialogState, ...] = (NONE, SO, CO, DI, DO, ER)
TARGET_STATES: tuple[DialogState, ...] = (NONE, SI, CO, DI, DO, ER, CD)

_ABSENT_INITIATOR: Mapping[DialogInput, DialogState | int] = dict.fromkeys(
    (PART, MESSAGE, INVALID, STRAY, END_DIALOG), 11209
)
"""Inputs that create no initiator: a fragment cannot create one."""
_ABSENT_TARGET: Mapping[DialogInput, DialogState | int] = {BEGIN_DIALOG: 8461}
"""The side that begins the conversation is the initiator."""


def _by_role(is_initiator: bool) -> dict[tuple[DialogState, DialogInput], DialogState | int]:
    states = INITIATOR_STATES if is_initiator else TARGET_STATES
    columns = tuple(STATES)
    found = {(state, given): row[columns.index(state)] for given, row in TABLE.items() for state in states}
    absent = _ABSENT_INITIATOR if is_initiator else _ABSENT_TARGET
    found.update({(NONE, given): to for given, to in absent.items()})
    if is_initiator:
        found = {pair: NONE if to == CD else to for pair, to in found.items()}
    return found


AS_INITIATOR: Mapping[tuple[DialogState, DialogInput], DialogState | int] = _by_role(is_initiator=True)
AS_TARGET: Mapping[tuple[DialogState, DialogInput], DialogState | int] = _by_role(is_initiator=False)


def next_state(is_initiator: bool, state: DialogState, given: DialogInput) -> DialogState | int:
    """The state of an endpoint after an input, or the number of the product's error."""
    return (AS_INITIATOR if is_initiator else AS_TARGET)[state, given]
