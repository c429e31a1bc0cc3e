"""The estate that files make of the live one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source
from routing.common.errors import InputError
from routing.model.estate import Estate
from tests.brokerui.analysis.imports.helpers import DEPOT, SHOP
from tests.brokerui.estate.helpers import TWO
from tests.brokerui.site import document
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE]

AT = datetime(2030, 1, 1, tzinfo=UTC)


def source(name: str, content: str | bytes, kind: Kind = Kind.SCRIPT, instance: str = "", database: str = "") -> Source:
    raw = content if isinstance(content, bytes) else content.encode()
    return Source(name, kind, lambda: raw, len(raw), instance, database or None)


def made(*sources: Source, mode: Mode = Mode.INSTANCES, live: Estate = TWO) -> BuiltEstate:
    return build_estate(sources, mode, live, ScriptSettings(AT))


def test_scripts_replace_their_servers_and_the_others_stay() -> None:
    found = made(source("a.sql", SHOP, instance="HERE"))
    assert list(found.estate.instances) == ["here", "there"]  # names that differ in case alone are one instance
    assert list(found.estate.instances["here"].databases) == ["Orders", "msdb"]
    assert found.estate.instances["there"] == TWO.instances["there"]
    assert found.imported == {"here": "a.sql"}


def test_scripts_run_on_the_live_estate() -> None:
    more = "USE Orders; CREATE ROUTE More WITH ADDRESS = 'LOCAL';"
    found = made(source("a.sql", more, instance="here"), mode=Mode.INTO)
    assert list(found.estate.instances["here"].databases["Orders"].table.routes) == ["AutoCreatedLocal", "R", "More"]
    assert found.imported == {"here": "a.sql"}


def test_nothing_stays_where_the_whole_is_replaced() -> None:
    found = made(source("a.sql", SHOP, instance="shop"), source("b.sql", DEPOT, instance="depot"), mode=Mode.WHOLE)
    assert list(found.estate.instances) == ["shop", "depot"]
    assert found.imported == {"shop": "a.sql", "depot": "b.sql"}


@pytest.mark.parametrize(("mode", "left"), [(Mode.WHOLE, ["new"]), (Mode.INSTANCES, ["here", "there", "new"])])
def test_a_document_replaces_the_whole_or_its_servers(mode: Mode, left: list[str]) -> None:
    found = made(source("e.json", document("new"), Kind.DOCUMENT), mode=mode)
    assert list(found.estate.instances) == left
    assert found.imported == {"new": "e.json"}


def test_a_catalog_replaces_what_it_tells_and_nothing_else() -> None:
    grid = "name\tremote_service_name\taddress\nOnly\tParts\tLOCAL\n"
    found = made(source("g.tsv", grid, Kind.CATALOG, "here", "Orders"))
    orders = found.estate.instances["here"].databases["Orders"]
    assert list(orders.table.routes) == ["Only"]
    assert [service.name for service in orders.services] == ["Own", "Ship"]
    assert found.imported == {"here": "g.tsv"}


def test_a_catalog_comes_after_the_script_of_its_server() -> None:
    grid = "name\tremote_service_name\taddress\nOnly\tParts\tLOCAL\n"
    found = made(source("g.tsv", grid, Kind.CATALOG, "shop", "Orders"), source("shop.sql", SHOP, instance="shop"))
    assert list(found.estate.instances["shop"].databases["Orders"].table.routes) == ["Only"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (source("e.json", b"{", Kind.DOCUMENT), "e.json"),
        (source("u.sql", b"\xff\xfe\x00", Kind.SCRIPT, "a"), "u.sql: is not utf-16-le text"),
        (source("x.txt", b"PK\x03\x04", Kind.CATALOG, "a"), "x.txt: holds neither a result"),
        (source("x.txt", b"name\taddress", Kind.CATALOG), "x.txt: belongs to an instance: name it"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_file(bad: Source, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        made(bad)


def test_two_servers_at_one_address_are_refused() -> None:
    taken = b'"name": "new", "addresses": ["tcp://here.example:4022"]'
    one = source("estate", document("new").replace(b'"name": "new"', taken, 1), Kind.DOCUMENT)
    with pytest.raises(InputError, match="estate"):
        made(one)


def test_an_exception_of_the_progress_callback_stops_the_reading() -> None:
    def stop(_source: Source) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_estate([source("a.sql", SHOP, instance="a")], Mode.INTO, TWO, ScriptSettings(AT), stop)


TABLES = "USE Stock\nGO\nCREATE TABLE dbo.t (id int)\n"


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.parametrize("text", ["-- later\n", TABLES])
def test_an_instance_whose_scripts_say_nothing_stays_as_it_is(text: str, mode: Mode | None) -> None:
    sources = source("here.sql", text, instance="HERE"), source("shop.sql", SHOP, instance="shop")
    found = build_estate(sources, mode, TWO, ScriptSettings(AT))
    assert found.estate.instances.get("here") == (None if mode is Mode.WHOLE else TWO.instances["here"])
    assert found.imported == {"shop": "shop.sql"}
    assert [(one.code, one.severity) for one in found.findings] == [("no-statement", "warning")]
    assert something_is_missing(found.findings)


def test_a_script_that_says_nothing_beside_a_catalog_of_its_instance_is_a_remark() -> None:
    grid = "name\tremote_service_name\taddress\nOnly\tParts\tLOCAL\n"
    found = made(source("g.tsv", grid, Kind.CATALOG, "here", "Orders"), source("t.sql", TABLES, instance="here"))
    assert [(one.code, one.severity) for one in found.findings] == [("no-statement", "info")]
    assert not something_is_missing(found.findings)


def test_files_that_all_say_nothing_are_refused() -> None:
    with pytest.raises(InputError, match=r"t.sql: has no statement .*: give the script that makes routes"):
        made(source("t.sql", TABLES, instance="here"))
    with pytest.raises(InputError, match=r"a.sql: says nothing"):
        made(source("a.sql", "-- later\n", instance="here"), source("b.sql", "", instance="shop"))
