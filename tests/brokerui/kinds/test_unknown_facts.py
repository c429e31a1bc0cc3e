"""Facts that nobody knows are no mismatch: the answer says what it hangs on, and what to import to know it."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

ENDPOINT = "CREATE ENDPOINT B STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ();\n"
IDENTIFIER = "aaaaaaaa-0000-4000-8000-000000000001"


def database(name: str, statements: str) -> str:
    return f"CREATE DATABASE {name};\nGO\nUSE {name};\nGO\nCREATE QUEUE Q;\n{statements}\nGO\n"


IN, OUT = "CREATE SERVICE Far ON QUEUE Q ([DEFAULT]);", "CREATE SERVICE Mine ON QUEUE Q;"
ROUTE = f"CREATE ROUTE ToFar WITH SERVICE_NAME = 'Far', BROKER_INSTANCE = '{IDENTIFIER}', ADDRESS = '{{}}';"
BACK = "CREATE ROUTE Back WITH SERVICE_NAME = 'Mine', ADDRESS = 'TCP://here:4022';"


@pytest.mark.parametrize("names", [["A"], ["A", "B"]])
def test_databases_of_the_instance_whose_identifiers_are_not_known(desk: Desk, names: list[str]) -> None:
    desk.scripts(
        here=ENDPOINT + "".join(database(name, IN) for name in names) + database("C", OUT + ROUTE.format("LOCAL"))
    )
    answer = desk.explain("here/C", "Far", "--broker", IDENTIFIER)
    assert answer.startswith("May be delayed: Waits in C on here")
    for name in names:
        assert f"Delivered to {name} on here if its identifier is {IDENTIFIER}" in answer
    assert "To know it, import sys.databases of here." in answer
    assert ("Most likely it is meant" in answer) is (len(names) == 1)
    assert not [code for code in desk.codes() if code.startswith("error")]


def test_a_database_of_another_instance(desk: Desk) -> None:
    desk.scripts(
        here=ENDPOINT + database("C", OUT + ROUTE.format("TCP://there:4022")), there=ENDPOINT + database("A", IN + BACK)
    )
    answer = desk.explain("here/C", "Far", "--broker", IDENTIFIER)
    assert not answer.startswith("Always")
    assert f"Delivered to A on there if its identifier is {IDENTIFIER}" in answer
    assert not [code for code in desk.codes() if code.startswith("error")]


def test_partners_whose_roles_are_not_known(desk: Desk) -> None:
    mirrored = ROUTE.replace("'{}'", "'TCP://one:4022', MIRROR_ADDRESS = 'TCP://two:4022'")
    partner = ENDPOINT + database("A", IN + BACK)
    desk.scripts(here=ENDPOINT + database("C", OUT + mirrored), one=partner, two=partner)
    answer = desk.explain("here/C", "Far")
    assert answer.startswith("May be delayed: Waits in C on here")
    for name in ("one", "two"):
        assert f"Delivered to A on {name} if it is the principal and its identifier is {IDENTIFIER}" in answer
    assert not [code for code in desk.codes() if code.startswith("error")]
