"""T-SQL out: reading an export gives the estate, reading a change gives the estate after it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given

from routing.common.finding import INFO
from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import (
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.tsql import ScriptGroup, export_sql, read_scripts
from routing.tsql.directives import PREFIX
from tests.routing.tsql.rich import AT, all_estates, tidy_estates


def imported(text: str, *, name: str = "any", into: Estate | None = None) -> Estate:
    estate, findings = read_scripts([ScriptGroup(name, None, [("export.sql", text)])], into=into, at=AT)
    assert [finding for finding in findings if finding.severity != INFO] == []
    return estate


@given(all_estates)
def test_reading_an_export_gives_the_estate(estate: Estate) -> None:
    back = imported(export_sql(estate, at=AT)) if estate.instances else estate
    assert write_estate(back) == write_estate(estate)


@given(all_estates)
def test_the_exports_of_the_instances_one_by_one_give_the_estate_too(estate: Estate) -> None:
    scripts = {name: export_sql(estate, instance=name, at=AT) for name in estate.instances}
    groups = [ScriptGroup(name, None, [(f"{name}.sql", text)]) for name, text in scripts.items()]
    back, _ = read_scripts(groups, at=AT)
    if estate.instances and len({name.casefold() for name in estate.instances}) == len(estate.instances):
        assert write_estate(back) == write_estate(estate)


@given(all_estates, all_estates)
def test_reading_a_change_into_the_estate_before_gives_the_one_after(before: Estate, after: Estate) -> None:
    if not before.instances or not after.instances:
        return
    back = imported(export_sql(after, since=before, at=AT), name=next(iter(before.instances)), into=before)
    assert write_estate(back) == write_estate(after)


@given(all_estates)
def test_a_change_of_nothing_says_nothing(estate: Estate) -> None:
    assert export_sql(estate, since=estate, at=AT).count("\n") == 1


@given(tidy_estates(), tidy_estates())
def test_what_the_product_can_do_is_said_in_statements(before: Estate, after: Estate) -> None:
    script = export_sql(after, since=before, at=AT)
    assert write_estate(imported(script, name="host1", into=before)) == write_estate(after)
    contracts = {name for one in (before, after) for name in priorities_of(one)}
    for line in script.splitlines()[1:]:
        if line.startswith(PREFIX):
            [(key, value)] = json.loads(line.removeprefix(PREFIX)).items()
            # The order of rows means nothing to the product; nor can it alter what a priority uses, at once.
            assert key in ("instance", "place") or contracts or value.keys() == {"name", "contracts"}, line


def priorities_of(estate: Estate) -> list[str]:
    database = estate.instances["host1"].databases["A"]
    return [
        name
        for priority in database.priorities
        for name in (priority.contract_name, priority.local_service_name)
        if name
    ]


def change(before: Database, after: Database) -> list[str]:
    """The statements of the change of one database, without USE and GO."""
    estates = [Estate({"h": Instance("h", {"A": one})}) for one in (before, after)]
    lines = export_sql(estates[1], since=estates[0], at=AT).splitlines()[1:]
    return [line for line in lines if line not in ("GO", "USE [A];", "") and '{"instance"' not in line]


R = Route("R", "x", None, None, parse_address("tcp://a"))


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (R, replace(R, address=parse_address("tcp://b")), ["ALTER ROUTE [R] WITH ADDRESS = N'tcp://b';"]),
        (
            R,
            replace(R, remote_service_name=None),
            ["DROP ROUTE [R];", "CREATE ROUTE [R] WITH ADDRESS = N'tcp://a';"],
        ),
        (replace(R, lifetime=AT + timedelta(1)), R, [
            "DROP ROUTE [R];", "CREATE ROUTE [R] WITH SERVICE_NAME = N'x', ADDRESS = N'tcp://a';"]),
        (R, replace(R, lifetime=AT + timedelta(1)), ["ALTER ROUTE [R] WITH LIFETIME = 86400;"]),
        (R, replace(R, name="r"), [
            "DROP ROUTE [R];", "CREATE ROUTE [r] WITH SERVICE_NAME = N'x', ADDRESS = N'tcp://a';"]),
        (R, replace(R, name="S"), [
            "CREATE ROUTE [S] WITH SERVICE_NAME = N'x', ADDRESS = N'tcp://a';", "DROP ROUTE [R];"]),
        (R, replace(R, lifetime=AT), ['-- brokerui: {"route": {"name": "R", "lifetime": "2026-06-01T00:00:00Z"}}']),
    ],
)  # fmt: skip
def test_a_route_is_altered_where_the_product_can(before: Route, after: Route, lines: list[str]) -> None:
    assert change(Database("A", table=RouteTable([before])), Database("A", table=RouteTable([after]))) == lines


def test_a_change_comes_in_a_safe_order() -> None:
    old = Database("A", services=(Service("s", "dbo.q"),), queues=(Queue("dbo.q"),), table=RouteTable([R]))
    new = Database(
        "A",
        services=(Service("t", "dbo.p"),),
        queues=(Queue("dbo.p"),),
        table=RouteTable([replace(R, name="S", remote_service_name="t")]),
    )
    assert [line.split(" WITH ")[0].split(" ON ")[0] for line in change(old, new)] == [
        "CREATE QUEUE [dbo].[p]", "CREATE SERVICE [t]", "CREATE ROUTE [S]",
        "DROP ROUTE [R];", "DROP SERVICE [s];", "DROP QUEUE [dbo].[q];",
    ]  # fmt: skip


def test_a_contract_is_changed_while_no_service_holds_it() -> None:
    def database(message_type: str) -> Database:
        return Database(
            "A",
            services=(Service("s", "dbo.q", ("c",)),),
            queues=(Queue("dbo.q"),),
            contracts=(Contract("c", (ContractMessage(message_type, "ANY"),)),),
            message_types=(MessageType("m"), MessageType("n")),
        )

    assert change(database("m"), database("n")) == [
        "ALTER SERVICE [s] (DROP CONTRACT [c]);",
        "DROP CONTRACT [c];",
        "CREATE CONTRACT [c] ([n] SENT BY ANY);",
        "ALTER SERVICE [s] (ADD CONTRACT [c]);",
    ]


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        (RemoteServiceBinding("b", "x", "v"), ["ALTER REMOTE SERVICE BINDING [b] WITH USER = [v], ANONYMOUS = OFF;"]),
        (
            RemoteServiceBinding("b", "y", "u"),
            [
                "DROP REMOTE SERVICE BINDING [b];",
                "CREATE REMOTE SERVICE BINDING [b] TO SERVICE N'y' WITH USER = [u], ANONYMOUS = OFF;",
            ],
        ),
    ],
)
def test_a_binding_is_altered_or_made_again(after: RemoteServiceBinding, lines: list[str]) -> None:
    """ALTER REMOTE SERVICE BINDING does not change the service."""
    before = RemoteServiceBinding("b", "x", "u")
    assert change(*(Database("A", remote_service_bindings=(one,)) for one in (before, after))) == lines


def test_nothing_is_dropped_that_the_product_would_not_make_again() -> None:
    """8492: nothing that an initiator may send."""
    before, after = (
        Database("A", contracts=(Contract("c", (ContractMessage("m", by),)),), message_types=(MessageType("m"),))
        for by in ("ANY", "TARGET")
    )
    [line] = change(before, after)
    assert line.startswith('-- brokerui: {"contract": {"name": "c"')


def test_a_contract_is_changed_while_no_priority_names_it() -> None:
    def database(sent_by: str) -> Database:
        contracts = (Contract("c", (ContractMessage("DEFAULT", sent_by),)),)
        return Database("A", contracts=contracts, priorities=(Priority("p", "c"), Priority("other")))

    assert [line.partition(" FOR ")[0] for line in change(database("ANY"), database("INITIATOR"))][:4] == [
        "DROP BROKER PRIORITY [p];",
        "DROP CONTRACT [c];",
        "CREATE CONTRACT [c] ([DEFAULT] SENT BY INITIATOR);",
        "CREATE BROKER PRIORITY [p]",
    ]


C, D, D_TOLD = (
    Contract("c", (ContractMessage("DEFAULT", "ANY"),)),
    Contract("c", (ContractMessage("DEFAULT", "INITIATOR"),)),
    '{"contract": {"name": "c", "messages": [{"message_type": "DEFAULT", "sent_by": "INITIATOR"}]}}',
)
IN_C = (Service("$(s)", "dbo.q", ("c",)), Service("t", "dbo.q", ("c",)))
OPEN = replace(R, name="$(x)")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"services": (Service("s", "dbo.q"),)}, {"services": (Service("s", None),)},
         '{"service": {"name": "s", "queue": null}}'),
        ({"table": RouteTable([OPEN])}, {"table": RouteTable([replace(OPEN, remote_service_name=None)])},
         '{"route": {"name": "$(x)", "remote_service_name": null}}'),
        ({"table": RouteTable([R])}, {"table": RouteTable([R, replace(R, name="r")])},
         '{"route": {"name": "r", "remote_service_name": "x", "address": "tcp://a"}}'),
        ({"contracts": (C,)}, {"contracts": (Contract("c"),)}, '{"contract": {"name": "c", "messages": []}}'),
        ({"contracts": (C,), "priorities": (Priority("$(p)", "c"),)},
         {"contracts": (D,), "priorities": (Priority("$(p)", "c"),)}, D_TOLD),
        ({"contracts": (C,), "services": IN_C}, {"contracts": (D,), "services": IN_C}, D_TOLD),
        ({"queues": (Queue("q"),)}, {"queues": (Queue("q", enabled=False),)},
         '{"queue": {"name": "q", "enabled": false}}'),
    ],
)  # fmt: skip
def test_what_no_statement_can_change_is_told(before: dict[str, Any], after: dict[str, Any], expected: str) -> None:
    old, new = Database("A", **before), Database("A", **after)
    assert change(old, new) == [f"{PREFIX} {expected}"]
    since, estate = (Estate({"h": Instance("h", {"A": one})}) for one in (old, new))
    back = imported(export_sql(estate, since=since, at=AT), name="h", into=since)
    assert write_estate(back) == write_estate(estate)


@pytest.mark.parametrize(
    ("names", "hop_limit", "expected"),
    [
        (["q", "p"], 10, '{"place": {"instances": [["q", "p"]]}}'),
        (["p"], 10, '{"drop": {"instance": "q"}}'),
        (["p", "q"], 3, '{"hop_limit": 3}'),
    ],
)
def test_what_belongs_to_no_instance_is_told_where_no_instance_changes(
    names: list[str], hop_limit: int, expected: str
) -> None:
    since = Estate({name: Instance(name) for name in ("p", "q")}, 10)
    estate = Estate({name: Instance(name) for name in names}, hop_limit)
    script = export_sql(estate, since=since, at=AT)
    assert script.splitlines()[1:] == [f"{PREFIX} {expected}"]
    assert write_estate(imported(script, name="p", into=since)) == write_estate(estate)


def test_no_statement_drops_a_database() -> None:
    estate = Estate({"h": Instance("h", {"A": Database("A")})})
    script = export_sql(Estate({"h": Instance("h")}), since=estate, at=AT)
    assert '-- brokerui: {"drop": {"database": "A"}}' in script
    assert "DROP" not in script


LINE_ENDS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\\\n")


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_no_name_or_value_breaks_a_line_of_the_script(line_end: str) -> None:
    name = f"x{line_end}GO{line_end}DROP DATABASE A{line_end}GO{line_end}"
    table = RouteTable([replace(R, name=name), replace(R, name="S", remote_service_name=name)])
    database = Database("A", services=(Service(name, "dbo.q"),), queues=(Queue("dbo.q"),), table=table)
    estate = Estate({"h": Instance("h", {"A": database, "B": Database("B", table=table)})})
    script = export_sql(estate, at=AT)
    assert [line for line in script.splitlines() if line.startswith("DROP DATABASE")] == []
    assert all((line in ("", "GO") or line.endswith(";")) or line.startswith("--") for line in script.splitlines())
    assert write_estate(imported(script)) == write_estate(estate)
    emptied = Estate({"h": Instance("h", {"A": Database("A"), "B": Database("B")})})
    change = export_sql(emptied, since=estate, at=AT)
    assert not any(line.startswith("DROP DATABASE") for line in change.splitlines())
    assert write_estate(imported(change, name="h", into=estate)) == write_estate(emptied)


@pytest.mark.parametrize("quote", ["'", '"', "N'"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_backslash_at_the_end_of_a_line_continues_a_literal(quote: str, line_end: str) -> None:
    text = f"USE A\nCREATE ROUTE r WITH ADDRESS = {quote}tcp://\\{line_end}host{quote[-1]}"
    assert imported(text, name="h").instances["h"].databases["A"].table.routes["r"].address.text == "tcp://host"


@pytest.mark.parametrize("names", [["tempdb"], ["TempDB"], ["MSDB", "msdb"], ["master", "MASTER"], ["model", "tempdb"]])
@pytest.mark.parametrize("before", [None, [], ["msdb"], ["tempdb"], ["MSDB", "msdb"]])
def test_databases_of_the_product_in_any_spelling(names: list[str], before: list[str] | None) -> None:
    def holding(databases: list[str]) -> Estate:
        return Estate({"h": Instance("h", {name: Database(name) for name in databases})})

    since = None if before is None else holding(before)
    back = imported(export_sql(holding(names), since=since, at=AT), name="h", into=since)
    assert write_estate(back) == write_estate(holding(names))
