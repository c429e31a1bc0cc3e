"""Bodies, errors and draws."""

from __future__ import annotations

import random
import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.choices import Choices
from routing.dialog.error_message import broker_error, error_body, read_error
from routing.dialog.problems import PROBLEMS, VerbError, problem
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE, SYSTEM_TYPES, TIMER_TYPE
from routing.dialog.validation import VALIDATION_CODE, is_valid, is_well_formed

# ---------------------------------------------------------------- validation


@pytest.mark.parametrize(
    ("validation", "body", "valid"),
    [
        ("NONE", None, True),
        ("NONE", b"\xff", True),
        ("EMPTY", None, True),
        ("EMPTY", b"", True),
        ("EMPTY", b" ", False),
        ("WELL_FORMED_XML", b"<a/>", True),
        ("WELL_FORMED_XML", b"<a>", False),
        ("WELL_FORMED_XML", b"", False),
        ("WELL_FORMED_XML", None, False),
        ("VALID_XML", b"<any><xml/></any>", True),
        ("VALID_XML", b"no", False),
    ],
)
def test_what_a_type_promises(validation: str, body: bytes | None, valid: bool) -> None:
    assert is_valid(validation, body) is valid


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_xml_in_the_encodings_that_need_no_declaration(encoding: str) -> None:
    assert is_well_formed("<é>水</é>".encode(encoding))


@pytest.mark.parametrize(
    "body",
    [
        b"<a/><b/>",
        b"text",
        b"<a b=1/>",
        b"<a>&nothing;</a>",
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b'<?xml version="1.0" encoding="nothing"?><a/>',
        b'<?xml version="1.0" encoding="utf-7"?><a/>',
        b"<a>\xff</a>",
        b"<a>\0</a>",
    ],
)
def test_what_is_no_document(body: bytes) -> None:
    assert not is_well_formed(body)


@given(st.binary())
def test_any_bytes_are_judged_without_an_exception(body: bytes) -> None:
    assert is_well_formed(body) in (True, False)


def test_every_validation_has_the_code_of_a_queues_rows() -> None:
    assert {name: VALIDATION_CODE[name] for name in ("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML")} == {
        "NONE": "N",
        "EMPTY": "E",
        "WELL_FORMED_XML": "X",
        "VALID_XML": "X",
    }


# ---------------------------------------------------------------- errors


def test_system_types_have_the_names_of_the_product() -> None:
    base = "http://schemas.microsoft.com/SQL/ServiceBroker/"
    assert {base + "EndDialog", base + "Error", base + "DialogTimer"} == SYSTEM_TYPES
    assert {END_DIALOG_TYPE, ERROR_TYPE, TIMER_TYPE} == SYSTEM_TYPES


def test_an_error_of_the_broker_is_the_products_xml() -> None:
    assert broker_error(8489) == (
        b'<Error xmlns="http://schemas.microsoft.com/SQL/ServiceBroker/Error"><Code>-8489</Code>'
        b"<Description>The dialog has exceeded its lifetime.</Description></Error>"
    )


def test_an_error_says_what_it_is_about() -> None:
    assert read_error(broker_error(8490, service="A<B")) == (-8490, 'The remote service "A<B" does not exist.')


@given(st.integers(-(2**31), 2**31 - 1), st.text())
def test_any_description_is_well_formed_xml_and_comes_back(code: int, description: str) -> None:
    body = error_body(code, description)
    assert is_well_formed(body)
    shown = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", description)
    assert read_error(body) == (code, shown)


@pytest.mark.parametrize("body", [b"", b"<Error/>", b"\xff", b"<Error><Code>1</Code></Error>"])
def test_another_body_is_no_error_of_ours(body: bytes) -> None:
    assert read_error(body) is None


def test_a_refusal_says_its_number_and_its_values() -> None:
    refused = VerbError(8426, handle="h")
    assert (refused.number, str(refused)) == (8426, '8426: The conversation handle "h" is not found.')
    assert (
        refused.render(lambda text: text.replace("is not found", "fehlt")) == '8426: The conversation handle "h" fehlt.'
    )


def filled(number: int) -> str:
    places = re.findall(r"{(\w+)}", PROBLEMS[number].text)
    return str(problem(number, **dict.fromkeys(places, "x")))


def test_every_problem_is_a_sentence() -> None:
    assert PROBLEMS
    texts = {number: filled(number) for number in PROBLEMS}
    assert {
        number: text for number, text in texts.items() if not text[0].isupper() or not text.endswith(".") or "{" in text
    } == {}


# ---------------------------------------------------------------- choices


def test_the_same_source_makes_the_same_identifiers() -> None:
    one, two = (Choices(random.Random(1).getrandbits) for _ in range(2))
    made = [one.identifier() for _ in range(100)]
    assert made == [two.identifier() for _ in range(100)]
    assert len(set(made)) == 100


@given(st.integers(0, 2**128 - 1))
def test_an_identifier_is_a_guid_of_version_4(bits: int) -> None:
    made = Choices(lambda _: bits).identifier()
    parsed = uuid.UUID(made)
    assert (str(parsed), parsed.version, parsed.variant) == (made, 4, uuid.RFC_4122)


@given(st.integers(0, 2**32 - 1), st.integers(1, 1000))
def test_a_draw_is_below_its_limit(bits: int, limit: int) -> None:
    assert 0 <= Choices(lambda _: bits).below(limit) < limit
