"""Grids of one view, as people copy them out of their tools."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.errors import InputError
from routing.common.identifier import parse_identifier
from routing.common.moment import parse_moment
from routing.model.address import parse_address
from routing.model.catalog_objects import SYSTEM_MADE, Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable

GUID = "5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D"
HEAD = ["name", "route_id", "principal_id", "remote_service_name"]
HEAD += ["broker_instance", "lifetime", "address", "mirror_address"]
ROUTES = [
    ["AutoCreatedLocal", "65536", "1", None, None, None, "LOCAL", None],
    [
        "To parts",
        "65537",
        "1",
        'Order"Parts"',
        GUID,
        "2030-01-31 12:00:00.000",
        "TCP://parts:4022",
        "tcp://mirror:4022",
    ],
    ["Tab; comma, | ü", "65538", "1", "//x/Y", None, None, "tcp://[fe80::1]:4022/", None],
]
EXPECTED = RouteTable(
    Route(
        row[0] or "",
        row[3],
        parse_identifier(row[4]) if row[4] else None,
        parse_moment(row[5]) if row[5] else None,
        parse_address(row[6] or ""),
        parse_address(row[7]) if row[7] else None,
    )
    for row in ROUTES
)
Table = list[list[str | None]]


def shown(rows: Table, null: str = "NULL") -> list[list[str]]:
    return [[null if cell is None else cell for cell in row] for row in rows]


def tabs(rows: list[list[str]], end: str = "\r\n") -> str:
    return "".join("\t".join(row) + end for row in rows)


def as_csv(rows: list[list[str]], delimiter: str = ",", quoting: Any = csv.QUOTE_MINIMAL) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting).writerows(rows)
    return stream.getvalue()


def in_columns(rows: list[list[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    table = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "".join(" ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + "\r\n" for row in table)


def ruled(rows: list[list[str]], delimiter: str) -> str:
    """`sqlcmd -s` with padding: dashes below the header."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    table = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "".join(delimiter.join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + "\r\n" for row in table)


SHOWN = [HEAD, *shown(ROUTES)]
UNQUOTED = [[cell.replace(",", "").replace(";", "").replace('"', "") for cell in row] for row in SHOWN]
WAYS = {
    "copied with headers": tabs(SHOWN).encode(),
    "copied, unicode": tabs(SHOWN).encode("utf-16"),
    "copied, old code page": tabs(SHOWN).encode("cp1252"),
    "without an end of line": tabs(SHOWN).removesuffix("\r\n").encode(),
    "unix": tabs(SHOWN, "\n").encode("utf-8-sig"),
    "csv": as_csv(SHOWN).encode("utf-8-sig"),
    "csv, all quoted": as_csv(SHOWN, quoting=csv.QUOTE_ALL).encode(),
    "csv with semicolons": as_csv(SHOWN, ";").encode("cp1252"),
    "Export-Csv": as_csv([HEAD, *shown(ROUTES, "")], quoting=csv.QUOTE_ALL).encode(),
    "Export-Csv with tabs": as_csv([HEAD, *shown(ROUTES, "")], "\t", csv.QUOTE_ALL).encode(),
    "results to text": (in_columns(SHOWN) + "\r\n(3 rows affected)\r\n").encode(),
    "results to text, with time": (
        in_columns(SHOWN) + "\r\n(3 filas afectadas)\r\n\r\nCompletion time: 2026-06-01T14:00:01.52+02:00\r\n"
    ).encode(),
    "with messages before": ("Changed database context to 'Orders'.\r\n" + tabs(SHOWN)).encode(),
    "with trailers": (tabs(SHOWN) + "\r\n(3 rows affected)\r\n\r\nCompletion time: 2026-06-01T14:00:01+02:00").encode(),
    "sqlcmd -s tab": ruled(SHOWN, "\t").encode(),
    "columns in capitals": tabs([[cell.upper() for cell in HEAD], *SHOWN[1:]]).encode(),
    "fewer columns": tabs([[row[i] for i in (6, 0, 3, 4, 5, 7)] for row in SHOWN]).encode(),
}


def read(content: bytes | str, database: str | None = "Orders") -> CatalogSnapshot:
    return read_saved(content.encode() if isinstance(content, str) else content, where="f", database=database)


def problem(content: bytes | str, database: str | None = "Orders") -> str:
    with pytest.raises(InputError) as caught:
        read(content, database)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def applied(snapshot: CatalogSnapshot, known: Database | None = None) -> Database:
    databases = {known.name: known} if known else {}
    estate = apply_snapshot(Estate({"s": Instance("s", databases)}), "s", snapshot).estate
    (database,) = (d for d in estate.instances["s"].databases.values() if d.name != "msdb")
    return database


@pytest.mark.parametrize("content", WAYS.values(), ids=WAYS.keys())
def test_routes(content: bytes) -> None:
    assert applied(read(content)) == Database("Orders", services=SYSTEM_MADE, table=EXPECTED)


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_a_ruler_with_delimiters(delimiter: str) -> None:
    found = applied(read(ruled([[cell.replace("|", "") for cell in row] for row in UNQUOTED], delimiter)))
    assert [r.remote_service_name for r in found.table.routes.values()] == [None, "OrderParts", "//x/Y"]


def test_routes_of_several_databases() -> None:
    snapshot = read(tabs([["database_name", *HEAD], ["A", *SHOWN[1]], ["MSDB", *SHOWN[2]], ["A", *SHOWN[3]]]), None)
    assert {name: len(parts["routes"]) for name, parts in snapshot.parts.items()} == {"A": 2, "msdb": 1}


def test_a_grid_without_rows_is_a_table_without_routes() -> None:
    assert applied(read(tabs([HEAD])), Database("Orders", table=EXPECTED)) == Database("Orders")


def test_only_what_a_grid_tells_is_replaced() -> None:
    known = Database("Orders", parse_identifier(GUID), False, services=(Service("X", "dbo.Q", ("C",)), Service("Y")))
    found = applied(read("name\tservice_id\tprincipal_id\tservice_queue_id\nX\t65536\t1\t5\nZ\t65537\t1\t5\n"), known)
    assert found == Database(
        "Orders", known.broker_instance, False, services=(*SYSTEM_MADE, Service("X", "dbo.Q", ("C",)), Service("Z"))
    )


def test_msdb_is_known_by_its_name() -> None:
    assert list(read(tabs(SHOWN), "MSDB").parts) == ["msdb"]


def test_databases() -> None:
    grid = (
        f"name,database_id,service_broker_guid,is_broker_enabled\nOrders,5,{GUID},1\nParts,6,NULL,False\ntempdb,2,,1\n"
    )
    estate = apply_snapshot(Estate(), "s", read(grid, None)).estate
    auto = RouteTable([Route("AutoCreatedLocal", None, None, None, parse_address("LOCAL"))])
    assert list(estate.instances["s"].databases.values()) == [
        Database("Orders", parse_identifier(GUID), services=SYSTEM_MADE, table=auto),
        Database("Parts", None, False, services=SYSTEM_MADE, table=auto),
        Database("msdb", services=SYSTEM_MADE, table=auto),
    ]


def test_a_server_of_which_only_grids_tell_has_an_msdb_as_servers_do() -> None:
    """Else whatever comes to it from outside would seem to be dropped."""
    applying = apply_snapshot(Estate(), "s", read(tabs(SHOWN)))
    assert list(applying.estate.instances["s"].msdb.routes) == ["AutoCreatedLocal"]
    assert any(finding.database == "msdb" for finding in applying.findings)


def test_databases_that_a_grid_does_not_have_stay() -> None:
    estate = Estate({"s": Instance("s", {"Other": Database("Other")})})
    after = apply_snapshot(estate, "s", read(f"name\tservice_broker_guid\nOther\t{GUID}\n", None)).estate
    assert after.instances["s"].databases["Other"].broker_instance == parse_identifier(GUID)
    assert apply_snapshot(after, "s", read("name\tis_broker_enabled\n", None)).estate == after


def test_queues() -> None:
    grid = (
        "name\tobject_id\tschema_id\tis_ms_shipped\tmax_readers\tactivation_procedure\tis_activation_enabled\t"
        "is_receive_enabled\tis_enqueue_enabled\tis_retention_enabled\tis_poison_message_handling_enabled\n"
        "Q\t1\t1\t0\t0\tNULL\t0\t0\t0\t1\t1\n"
        "ServiceBrokerQueue\t2\t1\t1\t0\tNULL\t0\t1\t1\t0\t1\n"
    )
    assert applied(read(grid), Database("Orders")).queues == (Queue("dbo.Q", enabled=False, retention=True),)


def test_waiting_messages_are_summed() -> None:
    grid = tabs(
        [
            ["conversation_handle", "to_service_name", "enqueue_time", "message_body", "transmission_status"],
            ["x", "Ship", "2026-06-01 10:00:00.000", "0xAB", "No route"],
            ["y", "Ship", "2026-06-01 09:00:00.000", "NULL", "No route"],
            ["z", "Ship", "6/1/2026 9:00 AM", "NULL", "NULL"],
            ["z", "NULL", "NULL", "NULL", ""],
        ]
    )
    (rows,) = (parts["transmission_queue"] for parts in read(grid).parts.values())
    assert [(r["to_service_name"], r["transmission_status"], r["messages"], r["oldest"]) for r in rows] == [
        ("Ship", "No route", 2, "2026-06-01T09:00:00Z"),
        ("Ship", None, 1, None),
        (None, None, 1, None),
    ]


def test_a_name_may_be_null_where_no_null_can_be() -> None:
    assert list(applied(read("name\tremote_service_name\taddress\nNULL\tNULL\tLOCAL\n")).table.routes) == ["NULL"]


@pytest.mark.parametrize(
    ("grid", "database", "expected"),
    [
        (tabs(SHOWN), None, "f: is a grid of sys.routes; name its database: NAME/DATABASE=FILE"),
        ("name\tis_broker_enabled\nA\t1\n", "A", "f: is a grid of sys.databases, which is of no database"),
        ("name\tis_broker_enabled\nA\t2\n", None, 'f: line 2: is_broker_enabled: must be 0 or 1, not "2"'),
        ("name\tservice_id\nA\tx\n", "A", 'f: line 2: service_id: must be a whole number, not "x"'),
        ("name\tservice_id\n\t1\n", "A", "f: line 2: name: is missing"),
        ("name\tservice_id\nA\n", "A", "f: line 2: has 1 columns, and the header 2"),
        ("name\tservice_id\nA\t1\t2\n", "A", "f: line 2: has 3 columns, and the header 2"),
        ("name,service_id,name\nA,1,B\n", "A", 'f: line 1: has the column "name" twice'),
        ('name,service_id\n"A,1\n', "A", "f: line 2: cannot be read:"),
        (
            "name service_id\n---- ----------\nA    1          x\n",
            "A",
            "f: line 3: is not aligned with the line of dashes",
        ),
        ("name service_id\n---- ----------\nAxxxx1\n", "A", "f: line 3: is not aligned with the line of dashes"),
        ("name service_id\n---- ----------\nA\n", "A", "f: line 3: is not aligned with the line of dashes"),
        ("name\tservice_queue\nA\t1\n", "A", "f: holds neither a result of collect-sql nor a grid of"),
    ],
)
def test_what_is_refused(grid: str, database: str | None, expected: str) -> None:
    assert problem(grid, database).startswith(expected)


def test_a_result_is_of_no_database() -> None:
    content = '{"format":"brokerui.catalog/1","databases":[]}'
    assert problem(content) == "f: is of a whole instance: give it as NAME=FILE"


def test_a_row_below_its_header_in_two_lines() -> None:
    grid = 'name,service_id\n"A\nB",1\n"C",x\n'
    assert problem(grid) == 'f: line 4: service_id: must be a whole number, not "x"'


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("routing.catalog.grid_parser.MAX_ROWS", 2)
    assert problem("name\tservice_id\n" + "A\t1\n" * 3) == "f: line 4: is one too many: the limit is 2"


def test_a_line_that_is_too_long_for_a_header() -> None:
    assert "holds neither" in problem("name\tservice_id" + "\tx" * 70_000 + "\n")


def test_a_header_far_below_is_none() -> None:
    assert "holds neither" in problem("\n" * 60 + "name\tservice_id\n")


def test_a_long_first_row() -> None:
    grid = f"to_service_name\ttransmission_status\tmessage_body\nShip\tNULL\t0x{'A' * 70_000}\n"
    assert read(grid).parts["Orders"]["transmission_queue"][0]["messages"] == 1
