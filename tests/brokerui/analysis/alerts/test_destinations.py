"""Addresses that a webhook may reach: those that the administrator has allowed, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.alerts.destinations import addresses_allowed, destination_of
from routing.common.errors import Invalid

PUBLIC = "93.184.216.34"
NAMED = ["hooks.example"]


def is_allowed(url: str, addresses: list[str], allowed: list[str]) -> bool:
    try:
        addresses_allowed(destination_of(url), addresses, allowed)
    except Invalid:
        return False
    return True


@given(st.ip_addresses().map(str), st.sampled_from(["https", "http"]))
def test_without_a_list_nothing_is_allowed(address: str, scheme: str) -> None:
    assert not is_allowed(f"{scheme}://hooks.example/", [address], [])


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "0.0.0.0",
            "169.254.169.254",
        ),
        *("::1", "::", "fe80::1%eth0", "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1"),
        *("2002:7f00:1::", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1"),
    ],
)
def test_a_listed_name_covers_no_address_of_our_own_networks(address: str) -> None:
    assert not is_allowed("https://hooks.example/", [address], NAMED)
    assert not is_allowed("https://hooks.example/", [PUBLIC, address], NAMED), "each of its addresses counts"


def test_a_listed_name_covers_its_public_addresses_by_https() -> None:
    assert is_allowed("https://HOOKS.example./x?y=1", [PUBLIC, "2606:2800:220:1::1"], NAMED)
    assert not is_allowed("http://hooks.example/", [PUBLIC], NAMED)
    assert not is_allowed("https://other.example/", [PUBLIC], NAMED)
    assert not is_allowed("https://hooks.example/", [], NAMED)


def test_a_listed_network_covers_its_addresses_but_never_the_metadata_of_a_cloud() -> None:
    assert is_allowed("http://anything.local/", ["10.1.2.3"], ["10.1.0.0/16"])
    assert not is_allowed("http://anything.local/", ["10.2.2.3"], ["10.1.0.0/16"])
    assert not is_allowed("http://anything.local/", ["169.254.169.254"], ["0.0.0.0/0"])
    assert not is_allowed("http://anything.local/", ["::ffff:169.254.169.254"], ["0.0.0.0/0"])


@pytest.mark.parametrize(
    "url",
    [
        *(
            "file:///etc/passwd",
            "ftp://hooks.example/",
            "gopher://hooks.example/",
            "exec://rm",
            "javascript:alert(1)",
            "",
        ),
        *("https://", "https:///path", "https://hooks.example@127.0.0.1/", "https://user:pw@hooks.example/"),
        *("https://hooks.example\\@127.0.0.1/", "https://hooks.example/\r\nX: y", "https://hooks.example:99999/"),
        *("https://hooks.example:x/", "https://[::1/", "https://höoks.example/", "https://hooks.example/a b"),
    ],
)
def test_a_hostile_url_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        destination_of(url)
