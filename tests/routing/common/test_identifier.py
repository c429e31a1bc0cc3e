"""Service broker identifiers: GUIDs that compare as values."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.common.identifier import identifier_bytes, identifier_of, parse_identifier

ONE = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"


@pytest.mark.parametrize("text", [ONE, ONE.upper(), f"{{{ONE}}}", f"{{{ONE.upper()}}}", ONE.title()])
def test_any_case_with_or_without_braces_is_one_value(text: str) -> None:
    assert parse_identifier(text) == ONE


@given(st.uuids())
def test_every_guid_is_read_as_itself(guid: uuid.UUID) -> None:
    assert parse_identifier(f"{{{str(guid).upper()}}}") == str(guid)


@given(st.uuids())
def test_the_bytes_of_a_guid_are_in_the_order_of_its_digits(guid: uuid.UUID) -> None:
    assert identifier_of(guid.bytes) == str(guid)
    assert identifier_bytes(str(guid)) == guid.bytes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        ONE[:-1],
        ONE + "0",
        ONE.replace("-", ""),
        "g" + ONE[1:],
        f" {ONE}",
        f"{ONE}\n",
        f"{{{ONE}",
        f"{ONE}}}",
        f"{{{{{ONE}}}}}",
        f"({ONE})",
        "5fb8d92be-d69-4c80-afbb-2aa6a7d3cb2d",
        "\uff15" + ONE[1:],
        "\u0665" + ONE[1:],
    ],
)
def test_what_is_no_guid_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="must be a GUID"):
        parse_identifier(text)
