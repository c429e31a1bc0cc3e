"""How many queries reading and writing take: none of these numbers grows with the estate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from brokerui.estate.cache import estates
from brokerui.estate.rows import estate_from_rows
from brokerui.estate.selectors import estate_as_of, estate_current, instance_freshness, version_list
from routing.model import route as law
from routing.model.address import parse_address
from routing.model.edits import PutRoute, SetHopLimit
from routing.model.estate import Estate
from tests.brokerui.estate.helpers import LOCAL, brought_in, changed, estate_of, server

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
ROUTE = law.Route("R0", "Other", None, None, parse_address("LOCAL"))


def many(count: int, address: str = "LOCAL") -> Estate:
    """An estate of `count` instances with `count` routes each."""
    routes = [{**LOCAL, "name": f"R{number}", "address": address} for number in range(count)]
    services = [{"name": "S", "contracts": ["C"]}]
    return estate_of(*(server(f"i{n}", {"name": "D", "services": services, "routes": routes}) for n in range(count)))


def queries(work: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        work()
    return len([query for query in captured.captured_queries if "SAVEPOINT" not in query["sql"]])


def test_the_current_estate_takes_one_query_and_from_nothing_four() -> None:
    brought_in(many(3))
    for limit in range(1, 9):
        changed(SetHopLimit(limit))
    assert queries(estate_current) == 1
    estates.clear()
    assert queries(estate_current) == 4
    assert queries(lambda: estate_as_of(version=1)) <= 4


def test_lists_take_one_query() -> None:
    brought_in(many(3))
    assert queries(version_list) == 1
    assert queries(instance_freshness) == 1


@pytest.mark.parametrize("count", [2, 20])
def test_an_edit_takes_as_many_queries_in_a_large_estate_as_in_a_small_one(count: int) -> None:
    brought_in(many(count))
    assert queries(lambda: changed(PutRoute("i1", "D", ROUTE))) == 11


def test_reading_all_rows_takes_one_query_for_each_table() -> None:
    brought_in(many(5))
    assert queries(estate_from_rows) == 13


def test_an_import_takes_no_query_for_each_row() -> None:
    brought_in(many(2))
    few, more = queries(lambda: brought_in(many(3))), queries(lambda: brought_in(many(12)))
    assert more <= few + 8, "rows come in batches"
    changed_few = queries(lambda: brought_in(many(12, "TRANSPORT")))
    assert changed_few <= few + 8
