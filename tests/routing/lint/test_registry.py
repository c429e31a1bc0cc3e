"""All checks together: on healthy estates, on any estate, in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from routing.common.finding import ERROR, SEVERITIES, Finding
from routing.documents.estate_document import read_estate
from routing.lint.missing import missing_instances
from routing.lint.registry import CHECKS, lint
from routing.model.estate import Estate
from routing.tsql.refusal import SEVERITY
from tests.routing.example_helpers import example
from tests.routing.lint.estates import AT
from tests.strategies import AT as DRAWN_AT
from tests.strategies import estates

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "reference" / "findings"
CODES = [check.code for check in CHECKS]


def test_every_code_has_one_check_and_one_page() -> None:
    assert len(set(CODES)) == len(CODES) == 46
    assert {page.stem for page in PAGES.glob("*.md")} == {*CODES, *SEVERITY, "README"}


@pytest.mark.parametrize("code", [*CODES, *sorted(SEVERITY)])
def test_a_page_says_what_it_is_about(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}\n")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## What it means",
        "## Example",
        "## Remedy",
    ]
    assert f"[{code}]({code}.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", SEVERITY)
def test_a_page_of_an_import_has_the_severity_of_its_findings(code: str) -> None:
    first, _, _ = (PAGES / f"{code}.md").read_text(encoding="utf-8").partition("## ")
    # Where a guard or a procedure makes it milder, the page says that behind a semicolon.
    assert re.search(rf"Severity: {SEVERITY[code]}[.;]", first)


@pytest.mark.parametrize("check", CHECKS, ids=CODES)
def test_a_check_says_what_it_is_about(check: Any) -> None:
    assert check.find.__doc__
    page = (PAGES / f"{check.code}.md").read_text(encoding="utf-8")
    assert page.splitlines()[2].startswith(f"{check.title}. Severity: ")


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("1-default", []),
        ("2-network-route", ["no-return-route"]),
        ("3-mirrored-database", ["mirror-without-identifier"]),
        ("4-everything-external", []),
        ("5-load-balancing", []),
        ("6-forward-one-service", []),
        ("7-forward-everything", []),
    ],
)
def test_the_documented_examples_have_only_the_faults_that_they_show(name: str, codes: list[str]) -> None:
    assert [found.code for found in lint(example(name), AT)] == codes


PLANTED = [
    ("error", "no-return-route", "depot", "Printing", "Printing"),
    ("error", "similar-service-name", "shop", "Orders", "ArchiveRoute"),
    ("error", "route-name-as-service-name", "depot", "Stock", "CorrectRoute"),
    ("error", "unknown-identifier", "shop", "Orders", "LabelsAtOffice"),
    ("error", "wrong-port", "shop", "Orders", "PostRoute"),
    ("warning", "dynamic-route-hides-local", "office", "Ledger", "AskForRoutes"),
]


def test_every_fault_of_the_three_servers_is_found_and_no_other() -> None:
    found = lint(example("three-servers"), AT)
    assert [(f.severity, f.code, f.instance, f.database, f.object) for f in found] == PLANTED
    assert all(f.remedy_sql for f in found)


def test_the_scripts_of_the_three_servers_say_where_the_faults_are() -> None:
    folder = ROOT / "examples" / "three-servers"
    faults = sum(path.read_text(encoding="utf-8").count("-- FAULT:") for path in folder.glob("*.sql"))
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert faults == len(PLANTED)
    assert all(f"`{code}`" in readme for _, code, *_ in PLANTED)


# ---------------------------------------------------------------- any estate


def named(estate: Estate) -> Iterator[tuple[str, str | None, str]]:
    """Everything that a finding may be about."""
    for instance in estate.instances.values():
        yield instance.name, None, instance.name
        yield instance.name, "msdb", "msdb"
        for service in instance.targets:
            yield instance.name, None, service
        for database in instance.databases.values():
            yield instance.name, database.name, database.name
            for part in (*database.queues, *database.services, *database.table.routes.values()):
                yield instance.name, database.name, part.name


@given(estates())
def test_findings_are_the_same_every_time_and_about_what_is_there(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    estate = read_estate(text)
    found = lint(estate, DRAWN_AT)
    assert [f.as_json() for f in found] == [f.as_json() for f in lint(read_estate(text), DRAWN_AT)]
    assert {(f.instance, f.database, f.object) for f in found} <= set(named(estate))
    assert [*map(rank, found)] == sorted(map(rank, found))
    assert all(str(f.reason) and "{" not in f.reason.text.format_map(Everything()) for f in found)


def rank(found: Finding) -> tuple[int, int]:
    return SEVERITIES.index(found.severity), CODES.index(found.code)


class Everything(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return key


@given(estates())
def test_missing_instances_are_addresses_of_routes_that_belong_to_nobody(document: dict[str, Any]) -> None:
    estate = read_estate(json.dumps(document))
    reasons = " ".join(str(f.reason) for f in lint(estate, DRAWN_AT) if f.code == "unknown-address")
    for address in missing_instances(estate, DRAWN_AT):
        assert address not in estate.by_address
        assert address in reasons


@given(estates())
def test_an_error_is_never_told_of_databases_as_they_are_created(document: dict[str, Any]) -> None:
    """With the one route that each is made with, and every broker on, nothing can be wrong with routes."""
    own = {"name": "AutoCreatedLocal", "address": "LOCAL"}
    for instance in document["instances"]:
        for database in instance["databases"]:
            database.update(routes=[own], broker_enabled=True, queues=[], broker_instance=None, mirroring_role=None)
    assert [f for f in lint(read_estate(json.dumps(document)), DRAWN_AT) if f.severity == ERROR] == []
