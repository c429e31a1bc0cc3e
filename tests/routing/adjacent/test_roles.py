"""Questions and answers about roles, to the byte."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.adjacent import frames
from routing.adjacent.errors import Corrupted, LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import read_fragment, rewrite_hop, write_fragment
from routing.adjacent.frames import write_close, write_frame
from routing.adjacent.roles import RoleAnswer, RoleQuestion, is_role, read_role, write_role
from tests.routing.adjacent.strategies import services
from tests.routing.adjacent.wire import HEADER, TARGET, Vector, vectors

ID = "c0c0c0c0-0000-4000-8000-000000000001"
ASKED = RoleQuestion(ID, "//x/Target", TARGET, "tcp://a:4022")
guids = st.uuids().map(str).filter(lambda guid: guid != "00000000-0000-0000-0000-000000000000")


@given(guids, services, st.none() | st.uuids().map(str), st.sampled_from(["", "tcp://a:4022", "tcp://[::1]:1"]))
def test_a_question_is_read_as_it_was_written(
    question_id: str, service: str, broker_instance: str | None, reply_to: str
) -> None:
    question = RoleQuestion(question_id, service, broker_instance, reply_to)
    assert read_role(write_role(question)) == question


@given(guids, st.sampled_from([None, "PRINCIPAL", "MIRROR"]))
def test_an_answer_is_read_as_it_was_written(question_id: str, role: str | None) -> None:
    assert read_role(write_role(RoleAnswer(question_id, role))) == RoleAnswer(question_id, role)


def test_the_longest_question_fits() -> None:
    question = RoleQuestion(ID, "𝄞" * 256, TARGET, f"tcp://{'x' * 244}:65535")
    assert read_role(write_role(question)) == question


VECTORS = list(vectors("role"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.title)
def test_they_are_written_and_read_as_documented(vector: Vector) -> None:
    fields = vector.fields
    message: RoleQuestion | RoleAnswer
    if "role" in fields:
        message = RoleAnswer(fields["question id"], fields["role"])
    else:
        broker_instance = fields.get("broker instance")
        message = RoleQuestion(fields["question id"], fields["service"], broker_instance, fields.get("reply to", ""))
    assert write_role(message) == vector.raw
    assert read_role(vector.raw) == message


def test_the_document_shows_a_question_with_and_without_all_and_an_answer() -> None:
    assert [set(vector.fields) for vector in VECTORS] == [
        {"question id", "service", "broker instance", "reply to"},
        {"question id", "service"},
        {"question id", "role"},
    ]


@pytest.mark.parametrize("hops", range(12))
def test_a_fragment_is_never_taken_for_one_whatever_the_time_it_took(hops: int) -> None:
    """Hops stand where a frame has its kind."""
    looks_alike = rewrite_hop(write_fragment(HEADER, b""), hops, int.from_bytes(b"ROLE", "big"))
    assert read_fragment(looks_alike)
    assert not is_role(looks_alike)
    with pytest.raises(Corrupted):
        read_fragment(write_role(ASKED))


def test_no_other_frame_is_read_as_one() -> None:
    lookalikes = [
        write_frame(frames.CLAIM, b"ROLE\0" + bytes(11)),
        write_close(82, "OLE\0" + "x" * 17),
        write_frame(frames.PING),
        write_frame(frames.ROLE_ANSWER, b"ROLE\1" + bytes(33)),
        write_frame(frames.ROLE_QUESTION, bytes(50)),
    ]
    for raw in lookalikes:
        with pytest.raises(RemoteProtocolError, match="frame: is no question or answer about a mirroring role"):
            read_role(raw)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (RoleAnswer("", None), "question id: must be a GUID that is not null"),
        (RoleAnswer("00000000-0000-0000-0000-000000000000", None), "question id: must be a GUID that is not null"),
        (RoleAnswer(ID.upper(), None), "question id: must be a GUID that is not null"),
        (RoleAnswer(ID, "WITNESS"), "role: must be null, PRINCIPAL or MIRROR"),
        (ASKED._replace(question_id="x"), "question id: must be a GUID that is not null"),
        (ASKED._replace(broker_instance=TARGET.upper()), "broker instance: must be a GUID in lower case"),
        (ASKED._replace(service=""), "service: must not be empty"),
        (ASKED._replace(service="x" * 257), "service: is longer than 256 characters"),
        (ASKED._replace(service="\udc00"), "service: holds a NUL or half a surrogate pair"),
        (ASKED._replace(reply_to="LOCAL"), "reply to: must be a network address in its canonical form"),
        (ASKED._replace(reply_to="tcp://A:4022"), "reply to: must be a network address in its canonical form"),
        (ASKED._replace(reply_to="a"), "reply to: must be a network address in its canonical form"),
    ],
)
def test_what_nobody_may_say_is_not_written(message: Any, problem: str) -> None:
    with pytest.raises(LocalProtocolError) as error:
        write_role(message)
    assert str(error.value) == problem


@given(st.sampled_from([write_role(ASKED), write_role(RoleAnswer(ID, "MIRROR"))]), st.data())
def test_what_was_changed_on_the_way_is_refused(raw: bytes, data: st.DataObject) -> None:
    changed = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    if bytes(changed) != raw:
        with pytest.raises(RemoteProtocolError):
            read_role(bytes(changed))


def tagged(kind: int, content: bytes) -> bytes:
    frame = write_frame(kind, content + bytes(16))[:-16]
    return frame + blake2b(frame, digest_size=16, person=b"brokerui wire 1").digest()


def content(*pieces: bytes) -> bytes:
    return tagged(frames.ROLE_QUESTION, b"".join((b"ROLE\0", b"i" * 16, *pieces)))


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (write_role(ASKED)[:-1] + b"\0", "tag: does not fit: the frame was changed on the way"),
        (tagged(frames.ROLE_ANSWER, b"ROLE\0" + b"i" * 16 + b"\3"), "role: 3 is no known role"),
        (tagged(frames.ROLE_ANSWER, b"ROLE\0" + bytes(17)), "question id: must be a GUID that is not null"),
        (content(b"\2", b"\0\1S", b"\0\0"), "broker instance: begins with a flag that is not known here"),
        (content(b"\1", b"\0\1S", b"\0\0"), "service: is longer than its frame"),
        (content(b"\1", b"b" * 16, b"\0"), "service: is longer than its frame"),
        (content(b"\0", b"\0\2S", b"\0\0"), "reply to: is longer than its frame"),
        (content(b"\0", b"\0\4S", b"\0\0"), "service: is longer than its frame"),
        (content(b"\0", b"\0\3SSS"), "reply to: is longer than its frame"),
        (content(b"\0", b"\0\1S", b"\0\0", b"\0"), "reply to: is followed by something else"),
        (content(b"\0", b"\0\0", b"\0\1S"), "service: must not be empty"),
        (content(b"\0", b"\0\1\xff", b"\0\0"), "service: is not UTF-8"),
        (content(b"\0", b"\0\1S", b"\0\1a"), "reply to: must be a network address in its canonical form"),
    ],
)
def test_what_nobody_may_say_is_refused(raw: bytes, problem: str) -> None:
    with pytest.raises(RemoteProtocolError) as error:
        read_role(raw)
    assert str(error.value) == problem
