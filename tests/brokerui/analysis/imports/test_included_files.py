"""Scripts of one import that read each other in, and the database in which scripts begin."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.sources import Kind, Mode, Source
from routing.common.errors import InputError
from routing.model.estate import Estate

AT = datetime(2026, 6, 1, tzinfo=UTC)
ROUTE = "CREATE ROUTE ToDepot WITH SERVICE_NAME = 'Tell', ADDRESS = '$(DepotAddress)';"
POST = "USE Shop\nGO\n:r .\\sub\\Route.sql\nGO\n"


def script(name: str, text: str, database: str | None = None) -> Source:
    return Source(name, Kind.SCRIPT, text.encode, len(text), "shop", database)


def built(*sources: Source, **variables: str) -> BuiltEstate:
    return build_estate(sources, Mode.INSTANCES, Estate(), ScriptSettings(AT, variables))


@pytest.mark.parametrize("name", ["Route.sql", "route.SQL", "sub/Route.sql"])
def test_a_script_that_another_reads_in_runs_once(name: str) -> None:
    made = built(script(name, ROUTE), script("post.sql", POST), DepotAddress="tcp://depot:4022")
    assert made.findings == ()
    assert list(made.estate.instances["shop"].databases) == ["Shop", "msdb"]
    assert "ToDepot" in made.estate.instances["shop"].databases["Shop"].table.routes


def test_what_was_not_sent_along_is_told() -> None:
    [finding] = built(script("post.sql", POST)).findings
    assert "none of the files that were sent along" in str(finding.reason)


def test_two_files_of_one_name_are_not_guessed() -> None:
    made = built(script("post.sql", POST), script("a/Route.sql", "GO"), script("b/Route.sql", "GO"))
    assert "2 of the files" in str(made.findings[0].reason)


def test_scripts_that_read_in_each_other_come_to_an_end() -> None:
    made = built(script("a.sql", ":r b.sql"), script("b.sql", ":r a.sql"))
    assert all("read itself in again" in str(finding.reason) for finding in made.findings)


def test_scripts_that_read_in_too_much_are_refused_in_one_line() -> None:
    many = script("many.sql", ":r part.sql\nGO\n" * 100_000)
    with pytest.raises(InputError, match=r"many.sql: line 2001: this script reads in more than 1,000 files"):
        built(script("part.sql", "PRINT 1"), many)


def test_each_script_begins_in_its_own_database() -> None:
    made = built(script("v.sql", ":setvar DepotAddress tcp://d:1"), script("r.sql", ROUTE, "Shop"))
    assert made.findings == ()
    assert "ToDepot" in made.estate.instances["shop"].databases["Shop"].table.routes
