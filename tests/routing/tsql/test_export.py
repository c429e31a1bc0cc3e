"""T-SQL out: reading an export gives the estate, reading a change gives the estate after it."""

from __future__ import annotations

from hypothesis import given

from routing.document import write_estate
from routing.estate import Estate
from routing.finding import INFO
from routing.tsql import Group, export_sql, read_scripts
from tests.routing.tsql.rich import AT, all_estates


def imported(text: str, *, name: str = "any", into: Estate | None = None) -> Estate:
    estate, findings = read_scripts([Group(name, None, [("export.sql", text)])], into=into, at=AT)
    assert [finding for finding in findings if finding.severity != INFO] == []
    return estate


@given(all_estates)
def test_reading_an_export_gives_the_estate(estate: Estate) -> None:
    back = imported(export_sql(estate, at=AT)) if estate.instances else estate
    assert write_estate(back) == write_estate(estate)


@given(all_estates)
def test_the_exports_of_the_instances_one_by_one_give_the_estate_too(estate: Estate) -> None:
    scripts = {name: export_sql(estate, instance=name, at=AT) for name in estate.instances}
    groups = [Group(name, None, [(f"{name}.sql", text)]) for name, text in scripts.items()]
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
