"""Fragments as bytes. docs/reference/wire.md describes them, in the order of this module.

A fragment stays bytes end to end: `write_fragment` creates it at its origin, `Fragment.open` opens it at its target,
and forwarders change only hops and time with `rewrite_hop`. Neither `read_fragment` nor `rewrite_hop` reads the body.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

from routing.adjacent.errors import Corrupted, LocalProtocolError
from routing.adjacent.fragment_names import FragmentNames, read_names, write_names
from routing.adjacent.guard import (
    DIGEST_GUARD,
    KEY_ID_BYTES,
    KINDS,
    OVERHEAD_BYTES,
    UNPROTECTED_BYTES,
    BytesLike,
    FragmentGuard,
)
from routing.adjacent.limits import (
    MAX_BODY_BYTES,
    MAX_FRAGMENTS,
    MAX_HOPS,
    MAX_NAMES_BYTES,
    MAX_RANGES,
    MAX_SEQUENCE,
    MAX_TIME_MS,
    VERSION,
)
from routing.common.sentence import Sentence, say

INITIATOR: Final = 1
"""Sent by the initiator to the target."""
UNSEQUENCED: Final = 2
"""Standalone acknowledgement or broker error (DLG-UNSEQ)."""
END: Final = 4
"""End of conversation."""
ERROR: Final = 8
BEGUN: Final = 16
"""The initiator's first message was acknowledged and deleted; it will not be sent again."""
_KNOWN_FLAGS: Final = INITIATOR | UNSEQUENCED | END | ERROR | BEGUN

_UNPROTECTED: Final = Struct(">IBI")
_HEADER: Final = Struct(f">IBIBBB16s16sQIII{KEY_ID_BYTES}sBH")
_PROTECTED: Final = Struct(f">BBB16s16sQIII{KEY_ID_BYTES}sBH")
_RANGE: Final = Struct(">QIQI")
_LENGTH: Final = Struct(">I")
_ID: Final = 16
_NULL: Final = bytes(_ID)
_CONVERSATION_AT: Final = UNPROTECTED_BYTES + 3

MIN_FRAGMENT_BYTES: Final = _HEADER.size + min(OVERHEAD_BYTES.values())
MAX_FRAGMENT_BYTES: Final = (
    _HEADER.size + MAX_RANGES * _RANGE.size + MAX_NAMES_BYTES + MAX_BODY_BYTES + max(OVERHEAD_BYTES.values())
)
"""Maximum bytes of a fragment; it fits in every frame (`MIN_FRAME_BYTES`)."""


class AckRange(NamedTuple):
    """Range of received fragments, first and last inclusive, in message order."""

    first_sequence: int
    first_fragment: int
    last_sequence: int
    last_fragment: int


class Header(NamedTuple):
    """The fragment header, readable for every hop."""

    conversation_id: bytes
    message_id: bytes
    """16 bytes of a GUID in digit order, like `conversation_id`."""
    names: FragmentNames
    flags: int
    sequence: int
    time_to_live: int
    """Milliseconds after creation at which forwarders drop it."""
    hops_remaining: int
    fragment: int = 0
    fragments: int = 1
    acknowledged: tuple[AckRange, ...] = ()
    """Ranges that the sender of this fragment has received; ascending, without overlap."""
    time_consumed: int = 0
    """Milliseconds spent so far, measured by the clocks of the hops."""

    @property
    def is_initiator(self) -> bool:
        return bool(self.flags & INITIATOR)

    @property
    def is_sequenced(self) -> bool:
        return not self.flags & UNSEQUENCED

    @property
    def is_end(self) -> bool:
        return bool(self.flags & END)

    @property
    def is_error(self) -> bool:
        return bool(self.flags & ERROR)

    @property
    def has_begun(self) -> bool:
        return bool(self.flags & BEGUN)


class Fragment(NamedTuple):
    """A fragment with parsed header. Its body is unverified until `open`."""

    header: Header
    raw: bytes
    body_at: int
    body_size: int
    """Number of bytes that `open` returns."""
    integrity: int
    key_id: bytes

    def open(self, guard: FragmentGuard = DIGEST_GUARD) -> bytes:
        """Return the body. Raises `Corrupted` if header or body were changed, or the keys differ (INT-1)."""
        if self.integrity != guard.integrity:
            kinds = {"expected": KINDS[guard.integrity], "came": KINDS[self.integrity]}
            raise Corrupted("integrity", say('is of the kind "{came}", and the dialog has "{expected}"', **kinds))
        if self.key_id != guard.key_id:
            raise Corrupted("key id", say("names other keys than those of the dialog"))
        body = guard.open(self.raw, self.body_at)
        if body is None:
            raise Corrupted("tag", say("does not fit: header or body were changed on the way"))
        return body


def write_fragment(header: Header, body: BytesLike, guard: FragmentGuard = DIGEST_GUARD) -> bytes:
    """Return a fragment as bytes. Raises `LocalProtocolError` for values the format cannot hold."""
    (conversation, message, names, flags, sequence, life, hops, fragment, fragments, acknowledged, consumed) = header
    size = len(body)
    objection = _objection(header, size)
    if objection is not None:
        raise LocalProtocolError(*objection)
    section = write_names(names)
    protected = _PROTECTED.pack(
        VERSION,
        flags,
        guard.integrity,
        conversation,
        message,
        sequence,
        fragment,
        fragments,
        life,
        guard.key_id,
        len(acknowledged),
        len(section),
    )
    if acknowledged:
        protected = b"".join((protected, *[_RANGE.pack(*one) for one in acknowledged], section))
    else:
        protected += section
    first, second = guard.close(protected, body)
    length = UNPROTECTED_BYTES + len(protected) + len(first) + len(second) - _LENGTH.size
    return b"".join((_UNPROTECTED.pack(length, hops, consumed), protected, first, second))


def read_fragment(raw: bytes) -> Fragment:
    """Parse the header of a fragment. Raises `Corrupted` if `write_fragment` cannot have written it."""
    if not MIN_FRAGMENT_BYTES <= len(raw) <= MAX_FRAGMENT_BYTES:
        raise Corrupted("length", say("a fragment cannot have {length} bytes", length=len(raw)))
    (
        length,
        hops,
        consumed,
        version,
        flags,
        integrity,
        conversation,
        message,
        sequence,
        fragment,
        fragments,
        life,
        key_id,
        ranges,
        size_of_names,
    ) = _HEADER.unpack_from(raw)
    if length != len(raw) - _LENGTH.size:
        raise Corrupted("length", say("says {length}, and {got} bytes follow", length=length, got=len(raw) - 4))
    if version != VERSION:
        raise Corrupted("version", say("{version} is not known here", version=version))
    overhead = OVERHEAD_BYTES.get(integrity)
    if overhead is None:
        raise Corrupted("integrity", say("there is no kind {kind}", kind=integrity))
    names_at = _HEADER.size + ranges * _RANGE.size
    body_at = names_at + size_of_names
    body_size = len(raw) - body_at - overhead
    if body_size < 0:
        raise Corrupted("length", say("header and tag alone are longer than the fragment"))
    acknowledged: tuple[AckRange, ...] = ()
    if ranges:
        acknowledged = tuple(map(AckRange._make, _RANGE.iter_unpack(memoryview(raw)[_HEADER.size : names_at])))
    names = read_names(raw[names_at:body_at])
    header = Header(
        conversation, message, names, flags, sequence, life, hops, fragment, fragments, acknowledged, consumed
    )
    objection = _objection(header, body_size)
    if objection is not None:
        raise Corrupted(*objection)
    return Fragment(header, raw, body_at, body_size, integrity, key_id)


def rewrite_hop(raw: bytes, hops_remaining: int, time_consumed: int) -> bytes:
    """Return the fragment with new hops and time for the next hop; the protected part stays unchanged."""
    objection = _objection_on_the_way(hops_remaining, time_consumed)
    if objection is not None:
        raise LocalProtocolError(*objection)
    return _UNPROTECTED.pack(len(raw) - _LENGTH.size, hops_remaining, time_consumed) + raw[UNPROTECTED_BYTES:]


def conversation_of(raw: bytes) -> bytes:
    """Return the conversation id of an unparsed fragment."""
    return raw[_CONVERSATION_AT : _CONVERSATION_AT + _ID]


# ------------------------------------------------------------------------------------------------ what may stand in it
_Objection = tuple[str, Sentence] | tuple[str, Sentence, int]
_NO_END_OF_UNSEQUENCED: Final = 11276
_NOT_BOTH: Final = 11275
_SEQUENCE_OF_UNSEQUENCED: Final = 11299


def _objection(header: Header, body_size: int) -> _Objection | None:
    """Return why a header is invalid: field, problem, and SQL Server's error number if any; None if valid."""
    (conversation, message, _, flags, sequence, life, hops, fragment, fragments, acknowledged, consumed) = header
    if not len(conversation) == len(message) == _ID or _NULL in (conversation, message):
        known = len(conversation) == _ID and conversation != _NULL
        return "message id" if known else "conversation id", say("must be a GUID that is not null")
    if flags & ~_KNOWN_FLAGS:
        return "flags", say("{flags} holds one that is not known here", flags=f"0x{flags:02x}")
    if flags > INITIATOR:  # most fragments have no other flag
        objection = _objection_to_flags(flags, sequence, fragments, body_size, bool(acknowledged))
        if objection is not None:
            return objection
    if not 0 <= sequence <= MAX_SEQUENCE:
        return "sequence", say("{sequence} is out of range", sequence=sequence)
    if not 0 <= fragment < fragments <= MAX_FRAGMENTS:
        return "fragment", say("there is no fragment {fragment} of {fragments}", fragment=fragment, fragments=fragments)
    if body_size > MAX_BODY_BYTES:
        return "body", say("of {size} bytes is longer than {most}", size=body_size, most=MAX_BODY_BYTES)
    if fragments > 1 and not body_size:
        return "body", say("is empty, and it is only a part of a message")
    if not 0 < life <= MAX_TIME_MS:
        return "time to live", say("{milliseconds} is out of range", milliseconds=life)
    if acknowledged and (objection := _objection_to_ranges(acknowledged)) is not None:
        return objection
    return _objection_on_the_way(hops, consumed)


def _objection_to_flags(
    flags: int, sequence: int, fragments: int, body_size: int, acknowledges: bool
) -> _Objection | None:
    if flags & BEGUN and not flags & INITIATOR:
        return "flags", say("only an initiator says that its first message was acknowledged")
    if flags & END and flags & ERROR:
        return "flags", say("a message is not both an end and an error"), _NOT_BOTH
    if flags & UNSEQUENCED:
        if flags & END:
            return "flags", say("the end of a conversation must be sequenced"), _NO_END_OF_UNSEQUENCED
        if sequence:
            return "sequence", say("must be 0 in an unsequenced message"), _SEQUENCE_OF_UNSEQUENCED
        if fragments != 1:
            return "fragment", say("an unsequenced message is one fragment")
        if not flags & ERROR and (body_size or not acknowledges):
            return "flags", say("an unsequenced message is an error, or acknowledges and says nothing else")
    return None


def _objection_to_ranges(acknowledged: tuple[AckRange, ...]) -> _Objection | None:
    if len(acknowledged) > MAX_RANGES:
        return "acknowledged", say("has {count} ranges; {most} is the most", count=len(acknowledged), most=MAX_RANGES)
    before = (-1, MAX_FRAGMENTS)
    for first_sequence, first_fragment, last_sequence, last_fragment in acknowledged:
        first, last = (first_sequence, first_fragment), (last_sequence, last_fragment)
        if not before < first <= last or last_sequence > MAX_SEQUENCE:
            return "acknowledged", say("its ranges must ascend and not overlap")
        if not (0 <= first_fragment < MAX_FRAGMENTS and 0 <= last_fragment < MAX_FRAGMENTS):
            return "acknowledged", say("holds a fragment that no message has")
        before = last
    return None


def _objection_on_the_way(hops_remaining: int, time_consumed: int) -> _Objection | None:
    if not 0 <= hops_remaining <= MAX_HOPS:
        return "hops remaining", say("{hops} is out of range", hops=hops_remaining)
    if not 0 <= time_consumed <= MAX_TIME_MS:
        return "time consumed", say("{milliseconds} is out of range", milliseconds=time_consumed)
    return None
