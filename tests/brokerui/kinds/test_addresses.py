"""Addresses that can never be reached, and addresses that nobody gave."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

ENDPOINT = "CREATE ENDPOINT B STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ();\n"
TELL = "CREATE QUEUE Q;\nCREATE SERVICE Tell ON QUEUE Q ([DEFAULT]);\n"
DEPOT = f"{ENDPOINT}CREATE DATABASE Depot;\nGO\nUSE Depot;\nGO\n{TELL}"
SHOP = (
    f"{ENDPOINT}CREATE DATABASE Shop;\nGO\nUSE Shop;\nGO\nCREATE ROUTE R WITH SERVICE_NAME = 'Tell', ADDRESS = '%s';\n"
)


@pytest.mark.parametrize("wrong", ["TCP://sa@depot:4022", "TCP://DEPOT\\PROD,4022", "TCP://depot,1433"])
def test_the_address_that_was_meant_is_the_remedy(desk: Desk, wrong: str) -> None:
    desk.scripts(shop=SHOP % wrong, depot=DEPOT)
    found = next(one for one in desk.lint() if one["code"] == "unknown-address")
    assert (found["severity"], "can never be reached" in found["reason"]) == ("error", True)
    assert "ADDRESS = N'tcp://depot:4022'" in found["remedy_sql"]
    answer = desk.explain("shop/Shop", "Tell")
    assert "Correct the address of the route to tcp://depot:4022." in answer
    assert "With this: delivered in Depot on depot." in answer


@pytest.mark.parametrize("wrong", ["TCP://0.0.0.0:4022", "TCP://[::]:4022"])
def test_an_address_to_listen_at_is_none_to_connect_to(desk: Desk, wrong: str) -> None:
    desk.scripts(shop=SHOP % wrong, depot=DEPOT)
    assert "error unknown-address" in desk.codes()
    assert "can never be reached" in desk.explain("shop/Shop", "Tell")
    assert "still missing" not in desk.call("lint", "e.json").out


@pytest.mark.parametrize("wrong", ["TCP://depot:99999", "tcp:\\\\depot:4022", "TCP://depot:4022;", "depot:4022"])
def test_what_the_server_refuses_is_refused(desk: Desk, wrong: str) -> None:
    answer = desk.scripts(shop=SHOP % wrong, depot=DEPOT)
    assert (answer.status, "error 9744" in answer.err) == (1, True)
    assert desk.routes() == {}
