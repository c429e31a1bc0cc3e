"""The circles that are found are those of the plain search, on any estate."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from routing.documents.estate_document import read_estate
from routing.lint.context import LintContext
from routing.lint.loops import forwarding_loop
from routing.model.estate import Estate
from tests.extent import IS_ALL
from tests.routing.lint.estates import bare, estate, route, server
from tests.routing.lint.forwarders import forwarders
from tests.routing.lint.slow_loops import loops
from tests.strategies import AT, estates


def findings_of(of: Estate) -> list[tuple[str, str, str, str]]:
    found = forwarding_loop(LintContext(of, AT))
    return sorted((f.severity, str(f.instance), str(f.object), str(f.reason).rsplit(": ", 1)[1][:-1]) for f in found)


@pytest.mark.parametrize("part", range(20 if IS_ALL else 10))
def test_forwarders_of_all_kinds(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        one = forwarders(seed)
        assert findings_of(one) == sorted(loops(one)), seed


@given(estates())
def test_any_estate(document: dict[str, Any]) -> None:
    one = read_estate(json.dumps(document))
    assert findings_of(one) == sorted(loops(one))


def ring(size: int, **more: Any) -> Estate:
    """Each hands to the next one what it does not know; `more` are further routes, by host."""
    hosts = [f"h{number}" for number in range(size)]
    return estate(
        *(
            server(host, bare("msdb", route("Next", None, to), *more.get(host, ())), forwarding=True)
            for host, to in zip(hosts, [*hosts[1:], hosts[0]], strict=True)
        )
    )


def test_a_long_ring_is_told_with_both_ends() -> None:
    ((*_, way),) = findings_of(ring(30))
    assert way == "h0 > h1 > h2 > h3 > h4 > h5 > h6 > h7 > h8 > … > h29 > h0"


def test_every_server_of_a_ring_with_an_identifier_of_its_own() -> None:
    one = ring(9, **{f"h{n}": [route("R", "Ship", f"h{(n + 1) % 9}", n + 1)] for n in range(9)})
    assert len(findings_of(one)) == 11  # for everything else, without an identifier, and with each
    assert findings_of(one) == sorted(loops(one))
