"""Addresses: what RT-TABLE reads in them, and which spellings mean the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.model.address import (
    ADDRESS_CHARS,
    DEFAULT_PORT,
    Address,
    address_in_name,
    parse_address,
    parse_network_address,
)

HOST1 = "tcp://host1.example:4022"


def key(text: str) -> str:
    return parse_address(text).key


@pytest.mark.parametrize("text", ["LOCAL", "local", "Local", " LOCAL ", "  lOcAl"])
def test_local_is_known_in_any_case_with_spaces_around_it(text: str) -> None:
    address = parse_address(text)
    assert (address.is_local, address.is_transport, address.is_network) == (True, False, False)
    assert address == parse_address("LOCAL")


@pytest.mark.parametrize("text", ["TRANSPORT", "transport", " Transport  "])
def test_transport_is_known_in_any_case_with_spaces_around_it(text: str) -> None:
    address = parse_address(text)
    assert (address.is_local, address.is_transport, address.is_network) == (False, True, False)
    assert address == parse_address("TRANSPORT")


@pytest.mark.parametrize(
    "text",
    [
        HOST1,
        "TCP://HOST1.EXAMPLE:4022",
        "tcp://host1.example",
        "tcp://host1.example/",
        "tcp://host1.example:4022/",
        "tcp://host1.example: 4022/",
        " t c p : / / host1 .example : 40 22 / ",
        "tcp://host1.example:04022",
    ],
)
def test_spellings_of_one_network_address_mean_the_same(text: str) -> None:
    assert key(text) == HOST1
    assert parse_address(text) == parse_address(HOST1)
    assert hash(parse_address(text)) == hash(parse_address(HOST1))
    assert parse_address(text).is_network


@given(st.data())
def test_spaces_and_case_mean_nothing_wherever_they_are(data: st.DataObject) -> None:
    spelt = "".join(
        data.draw(st.sampled_from(["", "", " ", "  "])) + data.draw(st.sampled_from([letter, letter.upper()]))
        for letter in HOST1
    )
    assert key(spelt) == HOST1


@pytest.mark.parametrize("text", ["LOCAL ", "tcp://Host1.Example: 4022/"])
def test_an_address_keeps_the_text_it_was_written_in(text: str) -> None:
    assert parse_address(text).text == text


def test_an_address_is_shown_in_its_canonical_form() -> None:
    assert str(parse_address("TCP://Host1.Example/")) == HOST1


def test_the_port_is_4022_where_none_is_given() -> None:
    assert DEFAULT_PORT == parse_address("tcp://host1.example").port == 4022


@pytest.mark.parametrize("port", [1, 4023, 65_535])
def test_the_port_is_1_to_65535(port: int) -> None:
    assert parse_address(f"tcp://host1.example:{port}").port == port
    assert key(f"tcp://host1.example:{port}") != HOST1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tcp://[FE80::1]:4022", "tcp://[fe80::1]:4022"),
        ("tcp://[fe80::1]", "tcp://[fe80::1]:4022"),
        ("tcp://[::ffff:10.0.0.1]:5/", "tcp://[::ffff:10.0.0.1]:5"),
        ("tcp://10.0.0.1:5", "tcp://10.0.0.1:5"),
        ("tcp://m\u00fcnchen.example", "tcp://m\u00fcnchen.example:4022"),
    ],
)
def test_a_host_may_be_a_name_or_a_number(text: str, expected: str) -> None:
    assert key(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "LOCALE",
        "LO CAL",
        "\tLOCAL",
        "host1.example:4022",
        "http://host1.example:4022",
        "tcp:/host1.example",
        "tcp://",
        "tcp:///",
        "tcp://:4022",
        "tcp://host1.example:",
        "tcp://host1.example:/",
        "tcp://host1.example:0",
        "tcp://host1.example:65536",
        "tcp://host1.example:999999999",
        "tcp://host1.example:-1",
        "tcp://host1.example:4022x",
        "tcp://host1.example:4022//",
        "tcp://host1.example:4022/x",
        "tcp://host1.example:4022:4022",
        "tcp://host1\t.example:4022",
        "tcp://host1\u00a0.example:4022",
        "tcp://host1.example:4022\n",
        "tcp://fe80::1",
        "tcp://[]:4022",
        "tcp://[fe80::1:4022",
        "tcp://[host1]:4022",
        "tcp://host1.example:\u0664\u0660\u0662\u0662",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match=r"must be LOCAL, TRANSPORT or tcp://HOST\[:PORT\], not"):
        parse_address(text)


def test_an_address_has_256_characters_at_most() -> None:
    longest = "tcp://" + "h" * (ADDRESS_CHARS - len("tcp://"))
    assert parse_address(longest).is_network
    with pytest.raises(Invalid, match="is longer than 256 characters"):
        parse_address(longest + " ")


def test_an_instance_listens_at_a_network_address() -> None:
    assert parse_network_address("tcp://host1.example/").key == HOST1


@pytest.mark.parametrize("text", ["LOCAL", "TRANSPORT", "nonsense"])
def test_an_instance_listens_nowhere_else(text: str) -> None:
    with pytest.raises(Invalid, match=r"tcp://HOST\[:PORT\], not"):
        parse_network_address(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tcp://host1.example:4022/Ship", HOST1),
        ("TCP://HOST1.EXAMPLE/Ship", HOST1),
        ("tcp://host1.example", HOST1),
        ("tcp://host1.example/", HOST1),
        ("tcp://host1.example//", HOST1),
        ("tcp://host1.example/a b", HOST1),
        ("tcp://[FE80::1]:5/Ship", "tcp://[fe80::1]:5"),
    ],
)
def test_a_service_name_may_hold_an_address(name: str, expected: str) -> None:
    assert address_in_name(name) == Address(expected, expected)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Ship",
        " tcp://host1.example/Ship",
        "x/tcp://host1.example/Ship",
        "tcp:///Ship",
        "tcp://host1.example:/Ship",
        "tcp://host1.example:0/Ship",
        "tcp://host1.example:70000/Ship",
        "tcp://host1.example:4022x/Ship",
        "tcp://host1.example: 4022/Ship",
        "tcp://host1 .example/Ship",
        "tcp://host1.example\n",
        "LOCAL",
    ],
)
def test_a_service_name_that_only_resembles_one_holds_none(name: str) -> None:
    assert address_in_name(name) is None


def test_a_letter_that_only_folds_to_ascii_spells_no_keyword() -> None:
    with pytest.raises(Invalid):
        parse_address("TRAN\u017fPORT")
