"""Every remedy that is offered, read as a script: it is understood, accepted, and ends its finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from routing.common.finding import ERROR, Finding
from routing.documents.estate_document import read_estate, write_estate
from routing.lint.registry import lint
from routing.model.address import parse_address
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_scripts
from tests.routing.example_helpers import EXAMPLES, example
from tests.routing.lint.estates import AT
from tests.strategies import AT as DRAWN_AT
from tests.strategies import estates

SCRIPTS = EXAMPLES / "three-servers"
SERVERS = ("shop", "depot", "office")


def after(estate: Estate, found: Finding) -> Estate:
    """The estate once the remedy has run where the finding is."""
    remedy = ScriptGroup(str(found.instance), None, [("remedy.sql", str(found.remedy_sql))])
    changed, findings = read_scripts([remedy], into=estate, at=DRAWN_AT)
    assert findings == ()
    return changed


def offered(found: Finding, estate: Estate) -> bool:
    """Not the endpoint's, whose name the instance must tell; nor a route in an msdb that is not written, since a
    script that uses one makes it as the product does."""
    if found.remedy_sql is None or "EXEC" in found.remedy_sql:
        return False
    return found.database is None or found.database in estate.instances[str(found.instance)].databases


@given(estates())
def test_a_remedy_ends_its_finding(document: dict[str, Any]) -> None:
    estate = read_estate(json.dumps(document))
    for found in lint(estate, DRAWN_AT):
        if offered(found, estate):
            left = [each.as_json() | {"remedy_sql": ""} for each in lint(after(estate, found), DRAWN_AT)]
            assert found.as_json() | {"remedy_sql": ""} not in left


def test_the_remedies_of_the_three_servers_leave_no_error() -> None:
    estate = example("three-servers")
    for found in lint(estate, DRAWN_AT):
        estate = after(estate, found)
    assert lint(estate, DRAWN_AT) == ()


def script(name: str) -> str:
    return (SCRIPTS / f"{name}.sql").read_text(encoding="utf-8")


def imported(**changed: str) -> Estate:
    """What the scripts make, some of them changed."""
    groups = [
        ScriptGroup(
            name, parse_address(f"tcp://{name}.example:4022"), [(f"{name}.sql", changed.get(name) or script(name))]
        )
        for name in SERVERS
    ]
    estate, found = read_scripts(groups, at=AT)
    assert [each for each in found if each.severity == ERROR] == []
    return estate


def test_the_scripts_of_the_three_servers_make_their_document() -> None:
    assert write_estate(imported()) == (EXAMPLES / "three-servers.json").read_text(encoding="utf-8")
    assert {path.stem for path in Path(SCRIPTS).glob("*.sql")} == set(SERVERS)


def test_without_identifiers_all_but_the_one_of_another_database_is_found() -> None:
    """Scripts as they are found know nothing of identifiers and roles."""
    bare = {name: "\n".join(line for line in script(name).splitlines() if "brokerui:" not in line) for name in SERVERS}
    everything = [found.code for found in lint(example("three-servers"), AT)]
    assert [found.code for found in lint(imported(**bare), AT)] == [c for c in everything if c != "unknown-identifier"]


@pytest.mark.parametrize("name", SERVERS)
def test_each_script_alone_is_no_error_of_anybody_elses(name: str) -> None:
    """One server of three: where its routes lead is not known, which is a warning."""
    group = ScriptGroup(name, parse_address(f"tcp://{name}.example:4022"), [(f"{name}.sql", script(name))])
    estate, _ = read_scripts([group], at=AT)
    assert {found.code for found in lint(estate, AT) if found.severity == ERROR} <= {
        "own-address",
        "route-name-as-service-name",
    }
