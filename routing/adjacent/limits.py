"""The limits of wire format 1. They bind both sides; what a side may choose for itself is in `connection.Settings`."""

from __future__ import annotations

from typing import Final

from routing.common.names import SERVICE_NAME_CHARS

VERSION: Final = 1
"""Of frames and fragments; a HELLO is read by all versions."""

# ------------------------------------------------------------------------------------------------ fragments
MAX_CHARACTER_BYTES: Final = 4
"""UTF-8 takes no more for one."""
MAX_NAMES_BYTES: Final = 1 + 2 * 16 + 4 * 2 + 4 * MAX_CHARACTER_BYTES * SERVICE_NAME_CHARS
"""Bytes of both identifiers, both services, contract and message type, each as long as the product allows."""
MAX_RANGES: Final = 64
"""Acknowledgement ranges of a fragment. QUIC stacks keep about as many; what does not fit goes with the next one."""
MAX_BODY_BYTES: Final = 64 << 10
"""Bytes of a fragment's body before it is protected: the largest piece that is sent again as a whole, and that keeps
small messages waiting behind it. A message of 2 GB is 32,768 of them."""
MAX_FRAGMENTS: Final = 1 << 20
"""Of a message: 2 GB in pieces of 2 KB. What a receiver holds of one is the dialog layer's own limit."""
MAX_SEQUENCE: Final = (1 << 63) - 1
"""message_sequence_number is a bigint."""
MAX_TIME_MS: Final = (1 << 32) - 1
"""49 days: a fragment waits for its acknowledgement about a minute before it is sent again."""
MAX_HOPS: Final = 255
"""hops_remaining is a tinyint."""

# --------------------------------------------------------------------------------------------------- frames
MIN_FRAME_BYTES: Final = 128 << 10
"""Each side takes frames of this size at least. Any fragment fits in one, so a forwarder can pass on what it took."""
MAX_FRAME_BYTES: Final = 4 << 20
"""No side takes more: what one connection may make its peer hold before a frame is whole."""
MAX_HELLO_BYTES: Final = 1024
"""Bytes of a HELLO. Before its HELLO is read, a stranger makes us hold no more than this."""
MAX_CLOSE_TEXT_BYTES: Final = 512
"""Bytes of the text in a CLOSE, which is for people."""
