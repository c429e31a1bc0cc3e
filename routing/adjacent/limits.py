"""Limits of wire format 1, for both sides. Settings of one side are in `connection.ConnectionSettings`."""

from __future__ import annotations

from typing import Final

from routing.common.names import SERVICE_NAME_CHARS

VERSION: Final = 1
"""Version of frames and fragments; every version can read a HELLO."""

# ------------------------------------------------------------------------------------------------ fragments
MAX_CHARACTER_BYTES: Final = 4
"""Maximum bytes of a character in UTF-8."""
MAX_NAMES_BYTES: Final = 1 + 2 * 16 + 4 * 2 + 4 * MAX_CHARACTER_BYTES * SERVICE_NAME_CHARS
"""Bytes of both identifiers, both services, contract and message type, each as long as the product allows."""
MAX_RANGES: Final = 64
"""Maximum acknowledgement ranges in a fragment, about as in QUIC; the rest goes with the next one."""
MAX_BODY_BYTES: Final = 64 << 10
"""Maximum unprotected body bytes of a fragment: the unit of retransmission, and the longest delay for a small message
behind it. A message of 2 GB has 32,768 fragments of this size."""
MAX_FRAGMENTS: Final = 1 << 20
"""Maximum fragments of a message: 2 GB in 2 KB fragments. The dialog layer limits what a receiver buffers."""
MAX_SEQUENCE: Final = (1 << 63) - 1
"""message_sequence_number is a bigint."""
MAX_TIME_MS: Final = (1 << 32) - 1
"""49 days; a fragment is retransmitted after about a minute."""
MAX_HOPS: Final = 255
"""hops_remaining is a tinyint."""

# --------------------------------------------------------------------------------------------------- frames
MIN_FRAME_BYTES: Final = 128 << 10
"""Every side accepts frames of this size. Every fragment fits, so a forwarder can pass on what it accepted."""
MAX_FRAME_BYTES: Final = 4 << 20
"""No side accepts larger frames: limits what a peer can make us buffer for an incomplete frame."""
MAX_HELLO_BYTES: Final = 1024
"""Maximum bytes of a HELLO: all that an unidentified peer can make us buffer."""
MAX_CLOSE_TEXT_BYTES: Final = 512
"""Maximum bytes of the human-readable text in a CLOSE."""
