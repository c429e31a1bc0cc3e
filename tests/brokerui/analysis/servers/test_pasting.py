"""Pasted rows of real servers: every form, and one clear error for what cannot be read."""

from __future__ import annotations

import pytest

from brokerui.analysis.servers.pasting import PastedText, sums_of_text
from brokerui.analysis.servers.sums import ServerSums
from brokerui.analysis.servers.sums_json import sums_as_json, sums_from_json
from routing.common.errors import InputError
from tests.brokerui.analysis.servers.pastes import AT, NO_ROUTE, QUEUE, SUMS, csv, endpoints, sqlcmd


def read(text: str | bytes, database: str = "Orders") -> ServerSums:
    content = text.encode() if isinstance(text, str) else text
    return sums_of_text(PastedText(server="sqlprod02", at=AT, content=content, database=database), AT)


@pytest.mark.parametrize("form", [str, csv, sqlcmd], ids=["ssms", "csv", "sqlcmd"])
def test_messages_that_wait_are_summed_in_every_form(form: object) -> None:
    [database] = read(form(QUEUE)).databases  # type: ignore[operator]  # a function of the parametrised cases
    assert database.name == "Orders"
    assert database.transmissions is not None
    [row] = database.transmissions.rows
    assert (row.messages, row.to_service, row.status) == (2, "//shop/Stock", NO_ROUTE)
    assert row.oldest is not None
    assert row.oldest.isoformat() == "2026-11-24T02:25:00+00:00"


@pytest.mark.parametrize("form", [str, csv, sqlcmd], ids=["ssms", "csv", "sqlcmd"])
def test_sums_of_48_million_conversations_keep_service_role_state_and_age(form: object) -> None:
    sums = read(form(SUMS))  # type: ignore[operator]  # a function of the parametrised cases
    [database] = sums.databases
    assert database.endpoints is not None
    first = database.endpoints[0]
    assert (first.endpoints, first.service, first.is_initiator, first.state, first.age_days) == (
        48_624_361,
        "//shop/Audit",
        False,
        "DI",
        180,
    )
    assert database.states == {"DI": 49_060_906, "CD": 61_233, "CO": 212}
    assert sums_from_json(sums_as_json(sums)) == sums


def test_the_age_of_raw_rows_comes_from_their_lifetime() -> None:
    [database] = read(endpoints(8, 3)).databases
    assert database.endpoints is not None
    [group] = database.endpoints
    assert (group.endpoints, group.age_days, group.is_initiator, group.service) == (3, 7, False, None)


def test_an_error_log_is_of_the_whole_server() -> None:
    log = "2026-11-24 08:00:00.10 spid9s      Error: 9736, Severity: 16, State: 1.\n"
    sums = read(log + "2026-11-24 08:00:00.10 spid9s      An error occurred in dialog transmission.\n", database="")
    assert sums.databases == ()
    assert sums.events is not None
    assert sums.events[0].number == 9736


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds neither"),
        ("SELECT 1", "holds neither"),
        ("\0" * 1000, "holds neither"),
        (QUEUE + "one\ttwo\n", "line 4: has 2 columns, and the header 6"),
        (SUMS + "//shop/Audit\tx\t0\tDI\t0\tmany\n", "line 7: endpoints: must be a whole number"),
        (SUMS + "//shop/Audit\tx\t0\tXX\t0\t5\n", "XX is no state of sys.conversation_endpoints"),
        (SUMS + "//shop/Audit\tx\t0\tDISCONNECTED\t0\t5\n", "longer than 2 characters"),
        (SUMS + "//shop/Audit\tx\t0\tDI\t3\t5\n", "must be one of 0, 1, 7, 30, 180"),
        ("name\tremote_service_name\taddress\nr\ts\tLOCAL\n", "says nothing of messages or conversations"),
    ],
)
def test_bad_input_gets_one_error_that_says_where_and_what(text: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert problem in str(error.value)


def test_rows_without_a_database_and_a_moment_of_the_future_are_refused() -> None:
    with pytest.raises(InputError, match="does not name its database"):
        read(QUEUE, database="")
    text = PastedText(server="s", at=AT.replace(year=2027), content=QUEUE.encode(), database="Orders")
    with pytest.raises(InputError, match="lies in the future: 2027-11-24T08:37:00Z"):
        sums_of_text(text, AT)


def test_megabytes_of_rows_are_summed() -> None:
    line = endpoints(8, 1).splitlines()[1] + "\n"
    head = endpoints(8, 0)
    [database] = read(head + line * (2 * 2**20 // len(line))).databases
    assert database.endpoints is not None
    assert len(database.endpoints) == 1
