"""What an estate keeps of transmission queues and conversation endpoints: sums of rows, from results and from grids."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime
from typing import Any

import pytest

from routing.catalog.applying import Applied, apply_snapshot
from routing.catalog.grid_sums import MAX_SUMS
from routing.catalog.reading import read_saved
from routing.documents.estate_document import read_estate, write_estate
from routing.model.collected import MAX_COLLECTED_ROWS, CollectedEndpoints, CollectedTransmissions, EndpointSum
from routing.model.collected import TransmissionSum as Sum
from routing.model.estate import Database, Estate, Instance
from tests.extent import IS_ALL
from tests.routing.catalog.server import COLLECTED, catalog, dumps

REFUSED = "Connection attempt failed with error: '10061(No connection could be made.)'."
FIRST = datetime(2024, 5, 1, 10, tzinfo=UTC)
GUID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
HEAD = "to_service_name\tenqueue_time\ttransmission_status"


def applied(text: str, into: Estate | None = None, database: str | None = "Sales") -> Applied:
    snapshot = read_saved(text.encode(), where="f", database=database)
    return apply_snapshot(into or Estate(), "here", snapshot)


def sales(text: str, into: Estate | None = None) -> Database:
    return applied(text, into).estate.instances["here"].databases["Sales"]


def waiting(text: str) -> CollectedTransmissions:
    found = sales(text).transmission_queue
    assert found is not None
    return found


def collected(**parts: list[dict[str, Any]]) -> Database:
    rows = {part: [{"database_id": 5, **row} for row in each] for part, each in parts.items()}
    text = dumps(catalog(Instance("here", {"Sales": Database("Sales")}), **rows))
    return applied(text, database=None).estate.instances["here"].databases["Sales"]


def test_a_grid_is_summed_by_service_and_status() -> None:
    row = f"SvcC\t2024-05-01 10:00:00.000\t{REFUSED}\n"
    blank = "SvcB\t2024-05-01 10:00:03.000\t\n"
    assert waiting(f"{HEAD}\n{row * 5}{blank * 2}").rows == (
        Sum(5, REFUSED, None, "SvcC", None, FIRST),
        Sum(2, "", None, "SvcB", None, FIRST.replace(second=3)),
    )


@pytest.mark.parametrize("blank", ["\t", "", "\tNULL", "\tnull", "\t(null)"])
def test_nothing_is_written_in_many_ways(blank: str) -> None:
    (row,) = waiting(f"{HEAD}\nSvcB\t2024-05-01 10:00:03.000{blank}\n").rows
    assert (row.status, row.messages) == ("", 1)


def test_columns_under_dashes_whose_last_cell_is_blank() -> None:
    text = (
        "to_service_name enqueue_time            transmission_status\n"
        "--------------- ----------------------- -------------------\n"
        "SvcB            2024-05-01 10:00:03.000                    \n"
        "SvcC            2024-05-01 10:00:00.000 x\n"
    )
    assert [(row.to_service, row.status) for row in waiting(text).rows] == [("SvcB", ""), ("SvcC", "x")]


def test_the_query_of_a_person_who_grouped_already() -> None:
    text = f"to_service_name\ttransmission_status\t(No column name)\nSvcC\t{REFUSED}\t1200\nSvcC\tx\t3\n"
    assert [(row.messages, row.status) for row in waiting(text).rows] == [(1200, REFUSED), (3, "x")]


def test_a_markdown_table_and_a_list() -> None:
    table = f"| to_service_name | transmission_status |\n|---|---|\n| SvcC | {REFUSED} |\n"
    listed = f"to_service_name     : SvcC\ntransmission_status : {REFUSED}\n"
    assert waiting(table).rows == waiting(listed).rows == (Sum(1, REFUSED, None, "SvcC"),)


def test_all_columns_of_the_view() -> None:
    head = (
        "conversation_handle\tto_service_name\tto_broker_instance\tfrom_service_name\tenqueue_time\ttransmission_status"
    )
    row = f"1\tSvcC\t{{{GUID.upper()}}}\tMine\t2024-05-01 10:00:00.000\tx"
    assert waiting(f"{head}\n{row}\n").rows == (Sum(1, "x", "Mine", "SvcC", GUID, FIRST),)


def test_endpoints_by_service_and_state() -> None:
    text = "state_desc\tfar_service\nCLOSED\tSvcC\nCLOSED\tSvcC\nDISCONNECTED_INBOUND\tSvcC\n"
    assert sales(text).conversation_endpoints == CollectedEndpoints(
        None, (EndpointSum(2, "CD", None, "SvcC"), EndpointSum(1, "DI", None, "SvcC"))
    )
    counted = "state_desc\tcount\nCLOSED\t48624361\n"
    assert sales(counted).conversation_endpoints == CollectedEndpoints(None, (EndpointSum(48_624_361, "CD"),))


def test_a_result_of_the_script_with_its_moment_and_what_it_left_out() -> None:
    database = collected(
        transmission_queue=[
            {
                "from_service_name": "Mine",
                "to_service_name": "SvcC",
                "to_broker_instance": GUID.upper(),
                "transmission_status": REFUSED,
                "messages": 12,
                "oldest": "2024-05-01T10:00:00",
            }
        ],
        conversation_endpoints=[{"service_name": "Mine", "far_service": "SvcC", "state": "DI", "endpoints": 7}],
        totals=[{"name": "sysxmitqueue", "table_rows": 20}, {"name": "sysdesend", "table_rows": 7}],
    )
    assert database.transmission_queue == CollectedTransmissions(
        COLLECTED, (Sum(12, REFUSED, "Mine", "SvcC", GUID, FIRST),), 8
    )
    assert database.conversation_endpoints == CollectedEndpoints(COLLECTED, (EndpointSum(7, "DI", "Mine", "SvcC"),))


def test_a_result_of_an_older_script_says_less() -> None:
    row = {"to_service_name": "SvcC", "transmission_status": None, "messages": 2}
    database = collected(transmission_queue=[row], conversation_endpoints=[{"state": "DI", "endpoints": 7}])
    assert database.transmission_queue == CollectedTransmissions(COLLECTED, (Sum(2, "", None, "SvcC"),))
    assert database.conversation_endpoints == CollectedEndpoints(COLLECTED, (EndpointSum(7, "DI"),))


def test_an_empty_queue_takes_the_place_of_what_was_there_and_other_grids_leave_it() -> None:
    before = applied(f"{HEAD}\nSvcC\t2024-05-01\tx\n").estate
    assert sales("name\tremote_service_name\taddress\n", before).transmission_queue is not None
    assert sales(f"{HEAD}\n", before).transmission_queue == CollectedTransmissions()


def test_asked_and_empty_is_not_the_same_as_never_asked() -> None:
    database = collected(transmission_queue=[], conversation_endpoints=[])
    assert database.transmission_queue == CollectedTransmissions(COLLECTED)
    assert database.conversation_endpoints == CollectedEndpoints(COLLECTED)
    assert Database("Sales").transmission_queue is None
    estate = Estate({"here": Instance("here", {"Sales": database})})
    assert read_estate(write_estate(estate)) == estate


def test_an_empty_queue_whose_size_is_known_otherwise() -> None:
    (row,) = [{"name": "sysxmitqueue", "table_rows": 20}]
    found = collected(transmission_queue=[], totals=[row]).transmission_queue
    assert found is not None
    assert (found.messages, found.left_out) == (0, 20)


def test_hostile_texts_are_kept_as_every_database_can_hold_them() -> None:
    row = {"to_service_name": "SvcC", "transmission_status": "a\0b\ud800\u202e" + "x" * 5000, "messages": 1}
    found = collected(transmission_queue=[row]).transmission_queue
    assert found is not None
    (kept,) = found.rows
    assert kept.status.startswith("a b?")
    assert len(kept.status) == 1000


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"to_service_name": "x" * 257, "messages": 1}, "to_service: is longer than 256 characters"),
        ({"to_service_name": "S", "messages": -1}, "messages: must be 0 to"),
        ({"to_service_name": "S", "messages": 1, "to_broker_instance": "x"}, "must be a GUID"),
    ],
)
def test_rows_that_no_server_has_are_said_and_left_out(row: dict[str, Any], expected: str) -> None:
    rows = [{"database_id": 5, "transmission_status": "", **row}]
    text = dumps(catalog(Instance("here", {"Sales": Database("Sales")}), transmission_queue=rows))
    result = applied(text, database=None)
    assert [finding.code for finding in result.findings] == ["not-understood"]
    assert expected in str(result.findings[0].reason)


def test_many_services_are_bounded_and_the_rest_is_counted() -> None:
    rows = "".join(f"Svc{number}\t2024-05-01\tx\n" for number in range(MAX_SUMS + 500))
    found = waiting(f"{HEAD}\n{rows}Svc1\t2024-05-01\tx\n")
    assert len(found.rows) == MAX_COLLECTED_ROWS
    assert found.rows[0].messages == 2, "the largest is kept"
    assert found.messages + found.left_out == MAX_SUMS + 501


ROW = "SvcC\t2024-05-01 10:00:00.000\tx\n"


def test_rows_without_number_are_one_sum() -> None:
    count = 1_000_000 if IS_ALL else 100_000
    assert waiting(f"{HEAD}\n{ROW * count}").rows == (Sum(count, "x", None, "SvcC", None, FIRST),)


def test_rows_are_summed_while_they_are_read() -> None:
    text = f"{HEAD}\n{ROW * (50_000 if IS_ALL else 15_000)}".encode()
    tracemalloc.start()
    read_saved(text, where="f", database="Sales")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 11 * len(text), "the text and its forms, and no row of it"


def test_it_is_part_of_the_document() -> None:
    estate = applied(f"{HEAD}\nSvcC\t2024-05-01\tx\n").estate
    assert read_estate(write_estate(estate)) == estate
