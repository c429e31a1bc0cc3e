"""A conversation: where it enters the estate, and whether it can."""

from __future__ import annotations

import pytest

from routing.common.errors import Invalid
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance

ESTATE = Estate({"host1": Instance("host1", {"Orders": Database("Orders")})})


@pytest.mark.parametrize(("database", "outside"), [(None, True), ("Orders", False), ("msdb", False)])
def test_a_conversation_without_a_database_comes_from_outside(database: str | None, outside: bool) -> None:
    assert Conversation("host1", database, "Ship").from_outside is outside


@pytest.mark.parametrize("database", [None, "Orders"])
def test_a_conversation_enters_where_the_estate_has_the_place(database: str | None) -> None:
    Conversation("host1", database, "Ship").check(ESTATE)


def test_an_msdb_that_is_not_written_is_there_all_the_same() -> None:
    Conversation("host1", "msdb", "Ship").check(ESTATE)


@pytest.mark.parametrize(
    ("instance", "database", "problem"),
    [
        ("host2", None, 'from: there is no instance "host2" in the estate'),
        ("HOST1", "Orders", 'from: there is no instance "HOST1" in the estate'),
        ("host1", "orders", 'from: there is no database "orders" on "host1"'),
        ("host1", "", 'from: there is no database "" on "host1"'),
    ],
)
def test_a_conversation_from_nowhere_is_refused(instance: str, database: str | None, problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        Conversation(instance, database, "Ship").check(ESTATE)
    assert str(caught.value) == problem
