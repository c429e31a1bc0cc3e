"""Places that answers, pages and T-SQL print, given back to commands."""

from __future__ import annotations

import json

import pytest

from brokerui.cli.messaging import HOST_DB, HOST_DB_QUEUE, place
from brokerui.core.home import CHECKOUT
from tests.brokerui.cli.command_line import Call, call_with, misused, refused


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


THREE = str(CHECKOUT / "examples" / "three-servers.json")
CART = "//example/orders/Cart"


def answer_to(call: Call, *origin: str) -> object:
    answer = call("explain", THREE, *origin, "--to", CART, "--format", "json")
    assert answer.status == 0, answer.err
    found = json.loads(answer.out)
    return found["conversation"], found["outcomes"]


@pytest.mark.parametrize("text", ["Orders on shop", "exact:shop:Orders", "shop/Orders"])
def test_an_origin_is_taken_as_answers_write_it(call: Call, text: str) -> None:
    assert answer_to(call, "--from", text) == answer_to(call, "--from", "shop/Orders")


@pytest.mark.parametrize(
    "words", [("--from", "outside:shop"), ("--from", "outside shop"), ("--outside", "outside:shop")]
)
def test_what_comes_from_outside_is_taken_as_pages_and_answers_write_it(call: Call, words: tuple[str, str]) -> None:
    assert answer_to(call, *words) == answer_to(call, "--outside", "shop")


@pytest.mark.parametrize("text", ["{3C5A2F10-7D41-4A86-9A3E-0A6C2F6B1D04}", "3C5A2F10-7d41-4a86-9a3e-0a6c2f6b1d04"])
def test_an_identifier_is_taken_in_every_spelling(call: Call, text: str) -> None:
    plain = answer_to(call, "--from", "shop/Orders", "--broker", "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d04")
    assert answer_to(call, "--from", "shop/Orders", "--broker", text) == plain


def test_a_moment_is_taken_as_pages_write_it(call: Call) -> None:
    spellings = ("2030-01-31T12:00:00Z", "2030-01-31 12:00:00 UTC")
    answers = [answer_to(call, "--from", "shop/Orders", "--at", text) for text in spellings]
    assert answers[0] == answers[1]


def test_what_is_no_origin_is_still_refused(call: Call) -> None:
    assert "HOST/DB" in misused(call("explain", THREE, "--from", "shop", "--to", CART))
    for text in ("Nothing on shop", "outside:nowhere", "nowhere/Orders"):
        assert "there is no" in refused(call("explain", THREE, "--from", text, "--to", CART))


@pytest.mark.parametrize(
    ("form", "text", "names"),
    [
        (HOST_DB, "Orders on shop", ("shop", "Orders")),
        (HOST_DB, "Of a on b on shop", ("shop", "Of a on b")),
        (HOST_DB, "shop/Orders", ("shop", "Orders")),
        (HOST_DB_QUEUE, "shop/Orders/dbo.Ship", ("shop", "Orders", "dbo.Ship")),
        (HOST_DB_QUEUE, "shop/Orders.dbo.Ship", ("shop", "Orders", "dbo.Ship")),
        (HOST_DB_QUEUE, "shop/Orders/Orders.dbo.Ship", ("shop", "Orders", "dbo.Ship")),
        (HOST_DB_QUEUE, "shop/Orders/[dbo].[Ship]", ("shop", "Orders", "dbo.Ship")),
        (HOST_DB_QUEUE, "shop/[Orders].[dbo].[Ship]", ("shop", "Orders", "dbo.Ship")),
        (HOST_DB_QUEUE, "shop/Orders/Plain", ("shop", "Orders", "Plain")),
        (HOST_DB_QUEUE, "shop/Orders/a/b", ("shop", "Orders", "a/b")),
    ],
)
def test_places_of_verbs_are_taken_as_printed(form: str, text: str, names: tuple[str, ...]) -> None:
    assert place(form)(text) == names
