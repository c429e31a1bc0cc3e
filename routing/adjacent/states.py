"""The life of a connection: one table, with its rules in prose.

Rule 1: whatever changes the phase of a connection is an input, and stands in this table; no other code sets a phase.
Rule 2: what the table does not allow is somebody's fault, and it says whose. Ours is raised to the caller and changes
nothing; theirs makes the connection FAILED.
Rule 3: this module knows phases, not bytes. What a frame says is settled before the table is asked.

**Beginning.** One side dials, the other accepts. The dialling side sends first, so that a port scanner that sends
nothing learns nothing. Each sends a HELLO: versions, name, a number drawn when it started, and the largest frame that
it takes. From then on both use the highest version that both speak, and the smaller frame.

**Arbitration.** Two instances use one connection, and both may dial at once. One of the two decides: the one with the
lower name; of namesakes, the one with the lower number; of an instance with itself, the side that dialled. The other
tells which connection it uses already (CLAIM), and is told (ACCEPT, or CLOSE as a duplicate). Fragments travel only
after that.
1. A connection that both use already stays, and the new one is a duplicate.
2. Where both dialled at once, the one that the deciding side dialled stays.
3. Else the peer has lost the old one, or would not have dialled: the new one stays, and the old one is closed.
Decisions are numbered, for over different connections the first may arrive last: it is outdated then, and the side that
learns it so late closes that connection. A connection that loses after fragments may have gone over it closes as any
other, so that they arrive.

**Ending.** A side that has nothing to send or receive for a while closes (ADJ-2): what it was given to send goes first,
then CLOSE; what the peer has sent meanwhile still arrives, until it closes too. Both may do so at once. Before a
connection is ONLINE there is nothing to wait for, and CLOSED follows at once.

**Silence.** Fragments may go one way for hours, answered over another connection. So a side that has sent and hears
nothing asks (PING), and gives up when even that is not answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

ConnectionPhase = Literal[
    "NEW", "CONNECTING", "GREETING", "DECIDING", "CLAIMING", "ONLINE", "CLOSING", "CLOSED", "FAILED"
]  # fmt: skip
NEW: Final = "NEW"
CONNECTING: Final = "CONNECTING"
GREETING: Final = "GREETING"
DECIDING: Final = "DECIDING"
CLAIMING: Final = "CLAIMING"
ONLINE: Final = "ONLINE"
CLOSING: Final = "CLOSING"
CLOSED: Final = "CLOSED"
FAILED: Final = "FAILED"

PHASES: tuple[ConnectionPhase, ...] = (NEW, CONNECTING, GREETING, DECIDING, CLAIMING, ONLINE, CLOSING, CLOSED, FAILED)


class ConnectionColumns(NamedTuple):
    """A phase as sys.dm_broker_connections shows it."""

    state: int
    state_desc: str
    login_state: int
    login_state_desc: str


CONNECTION_COLUMNS: Mapping[ConnectionPhase, ConnectionColumns] = {
    NEW: ConnectionColumns(1, "NEW", 0, "INITIAL"),
    CONNECTING: ConnectionColumns(2, "CONNECTING", 0, "INITIAL"),
    GREETING: ConnectionColumns(3, "CONNECTED", 1, "WAIT LOGIN NEGOTIATE"),
    DECIDING: ConnectionColumns(3, "CONNECTED", 11, "WAIT ARBITRATION"),
    CLAIMING: ConnectionColumns(3, "CONNECTED", 11, "WAIT ARBITRATION"),
    ONLINE: ConnectionColumns(4, "LOGGED_IN", 12, "ONLINE"),
    CLOSING: ConnectionColumns(4, "LOGGED_IN", 12, "ONLINE"),
    CLOSED: ConnectionColumns(5, "CLOSED", 0, "INITIAL"),
    FAILED: ConnectionColumns(5, "CLOSED", 13, "ERROR"),
}

ConnectionInput = Literal[
    "dial", "accept", "connected", "bytes", "send", "close",
    "HELLO, we decide", "HELLO, they decide", "CLAIM, accepted", "CLAIM, a duplicate", "ACCEPT", "ACCEPT, outdated",
    "FRAGMENTS", "ROLE", "PING", "PONG", "CLOSE", "breach",
    "lost", "late", "idle", "silent",
]  # fmt: skip
DIAL: Final = "dial"
ACCEPTED: Final = "accept"
CONNECTED: Final = "connected"
BYTES: Final = "bytes"
SEND: Final = "send"
CLOSE_REQUESTED: Final = "close"
WE_DECIDE: Final = "HELLO, we decide"
THEY_DECIDE: Final = "HELLO, they decide"
CLAIM_WON: Final = "CLAIM, accepted"
CLAIM_LOST: Final = "CLAIM, a duplicate"
ACCEPT_CAME: Final = "ACCEPT"
ACCEPT_LATE: Final = "ACCEPT, outdated"
FRAGMENTS_CAME: Final = "FRAGMENTS"
ROLE_CAME: Final = "ROLE"
PING_CAME: Final = "PING"
PONG_CAME: Final = "PONG"
CLOSE_CAME: Final = "CLOSE"
BREACH: Final = "breach"
TRANSPORT_LOST: Final = "lost"
DEADLINE_PASSED: Final = "late"
IDLE_TIMEOUT: Final = "idle"
PEER_SILENT: Final = "silent"

INPUTS: Mapping[ConnectionInput, str] = {
    DIAL: "the caller opens a connection to an address",
    ACCEPTED: "the caller has accepted a connection from outside",
    CONNECTED: "the transport that the caller dialled is connected",
    BYTES: "bytes have come",
    SEND: "the caller has fragments to send, or asks or answers which role a database has",
    CLOSE_REQUESTED: "the caller closes, or another connection to the same peer takes its place",
    WE_DECIDE: "the peer has said who it is, and arbitration is ours",
    THEY_DECIDE: "the same, and arbitration is the peer's",
    CLAIM_WON: "the peer has said which connection it uses; this one stays",
    CLAIM_LOST: "the same; the other one stays",
    ACCEPT_CAME: "the peer has decided for this connection",
    ACCEPT_LATE: "the same, but a later decision for another one came first",
    FRAGMENTS_CAME: "fragments have come",
    ROLE_CAME: "the peer asks or answers which role a database has",
    PING_CAME: "the peer asks whether we are there",
    PONG_CAME: "the peer is there",
    CLOSE_CAME: "the peer closes",
    BREACH: "the peer sends bytes of another protocol, or has no version in common with us",
    TRANSPORT_LOST: "the transport has ended, or never began",
    DEADLINE_PASSED: "the time for beginning or for ending is over",
    IDLE_TIMEOUT: "there was nothing to carry for a while",
    PEER_SILENT: "the peer does not answer",
}

OURS: Final = "ours"
THEIRS: Final = "theirs"
ProtocolFault = Literal["ours", "theirs"]

# fmt: off
TABLE: Mapping[ConnectionInput, tuple[ConnectionPhase | ProtocolFault, ...]] = {
    #                NEW         CONNECTING  GREETING  DECIDING  CLAIMING  ONLINE   CLOSING  CLOSED  FAILED
    DIAL:           (CONNECTING, OURS,       OURS,     OURS,     OURS,     OURS,    OURS,    OURS,   OURS),
    ACCEPTED:       (GREETING,   OURS,       OURS,     OURS,     OURS,     OURS,    OURS,    OURS,   OURS),
    CONNECTED:      (OURS,       GREETING,   OURS,     OURS,     OURS,     OURS,    OURS,    CLOSED, FAILED),
    BYTES:          (OURS,       OURS,       GREETING, DECIDING, CLAIMING, ONLINE,  CLOSING, CLOSED, FAILED),
    SEND:           (OURS,       OURS,       OURS,     OURS,     OURS,     ONLINE,  OURS,    OURS,   OURS),
    CLOSE_REQUESTED:       (CLOSED,     CLOSED,     CLOSED,   CLOSED,   CLOSED,   CLOSING, CLOSING, CLOSED, FAILED),
    WE_DECIDE:      (OURS,       OURS,       DECIDING, THEIRS,   THEIRS,   THEIRS,  THEIRS,  CLOSED, FAILED),
    THEY_DECIDE:    (OURS,       OURS,       CLAIMING, THEIRS,   THEIRS,   THEIRS,  THEIRS,  CLOSED, FAILED),
    CLAIM_WON:      (OURS,       OURS,       THEIRS,   ONLINE,   THEIRS,   THEIRS,  THEIRS,  CLOSED, FAILED),
    CLAIM_LOST:     (OURS,       OURS,       THEIRS,   CLOSED,   THEIRS,   THEIRS,  THEIRS,  CLOSED, FAILED),
    ACCEPT_CAME:    (OURS,       OURS,       THEIRS,   THEIRS,   ONLINE,   THEIRS,  THEIRS,  CLOSED, FAILED),
    ACCEPT_LATE:    (OURS,       OURS,       THEIRS,   THEIRS,   CLOSING,  THEIRS,  THEIRS,  CLOSED, FAILED),
    FRAGMENTS_CAME: (OURS,       OURS,       THEIRS,   THEIRS,   THEIRS,   ONLINE,  CLOSING, CLOSED, FAILED),
    ROLE_CAME:      (OURS,       OURS,       THEIRS,   THEIRS,   THEIRS,   ONLINE,  CLOSING, CLOSED, FAILED),
    PING_CAME:      (OURS,       OURS,       THEIRS,   THEIRS,   THEIRS,   ONLINE,  CLOSING, CLOSED, FAILED),
    PONG_CAME:      (OURS,       OURS,       THEIRS,   THEIRS,   THEIRS,   ONLINE,  CLOSING, CLOSED, FAILED),
    CLOSE_CAME:     (OURS,       OURS,       CLOSED,   CLOSED,   CLOSED,   CLOSED,  CLOSED,  CLOSED, FAILED),
    BREACH:         (OURS,       OURS,       FAILED,   FAILED,   FAILED,   FAILED,  FAILED,  CLOSED, FAILED),
    TRANSPORT_LOST:           (OURS,       CLOSED,     CLOSED,   CLOSED,   CLOSED,   CLOSED,  CLOSED,  CLOSED, FAILED),
    DEADLINE_PASSED:           (NEW,        FAILED,     FAILED,   FAILED,   FAILED,   ONLINE,  CLOSED,  CLOSED, FAILED),
    IDLE_TIMEOUT:           (NEW,        CONNECTING, GREETING, DECIDING, CLAIMING, CLOSING, CLOSING, CLOSED, FAILED),
    PEER_SILENT:         (NEW,        CONNECTING, GREETING, DECIDING, CLAIMING, FAILED,  CLOSING, CLOSED, FAILED),
}
"""The next phase, or whose fault the input is. After CLOSED and FAILED nothing that comes matters any more."""
# fmt: on

NEXT_PHASES: Mapping[tuple[ConnectionPhase, ConnectionInput], ConnectionPhase | ProtocolFault] = {
    (phase, given): to for given, row in TABLE.items() for phase, to in zip(PHASES, row, strict=True)
}
