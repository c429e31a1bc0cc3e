"""No page and no resource takes more queries of a larger estate, and none more than `query_budgets.json` allows it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from rest_framework.settings import api_settings

from benchmarks.address_places import rows_there
from benchmarks.addresses import Addresses, addresses, unnamed
from benchmarks.estates import furnished, large_estate
from brokerui.accounts.levels import Role
from brokerui.accounts.services import token_create, user_create
from brokerui.analysis.effect import comparison
from brokerui.analysis.imports.services import Assignment, Given, run_assign, run_create
from brokerui.analysis.imports.sources import Kind, Mode
from brokerui.analysis.lint import selectors as lint
from brokerui.analysis.lint.services import suppression_add
from brokerui.analysis.reachability import selectors as reachability
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.cache import estates
from brokerui.estate.scenarios.services import scenario_create
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit, estate_import
from brokerui.pages.changes import effect_line
from brokerui.pages.tables import change_preview
from routing.documents.estate_document import read_estate
from routing.model.edits import SetHopLimit
from tests.brokerui.site import PASSWORD, document, nothing_shown
from tests.extent import IS_ALL

__all__ = ["nothing_shown"]

# No page asks PostgreSQL other questions than SQLite: on both only in make test-all.
pytestmark = [pytest.mark.django_db, *([pytest.mark.both_databases] if IS_ALL else [])]
BUDGETS = Path(__file__).with_name("query_budgets.json")
TIMES = 20 if IS_ALL else 3
"""Size of the larger estate, in small ones; everything else grows with it."""
SMALL = {"instances": 3, "databases": 9, "routes": 30, "names": 9}
FEW = document("one", "two")
Counts = dict[str, list[tuple[str, int]]]
"""By view: each address with the queries that it takes when it is asked for the first time."""


@pytest.fixture(autouse=True)
def unhindered(monkeypatch: pytest.MonkeyPatch, nothing_shown: None) -> Iterator[None]:
    """Large estates are looked over in the background: these are as large as any."""
    monkeypatch.setattr(lint, "SMALL", 0)
    monkeypatch.setattr(reachability, "SMALL", 0)
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    estates.clear()
    yield
    estates.clear()


def grown(times: int) -> None:
    """Make an estate of `times` small ones, with as many versions, imports, users, scenarios and so on."""
    estate = json.dumps(furnished(large_estate(**{name: times * count for name, count in SMALL.items()})))
    estate_import(estate=read_estate(estate), author="test")
    for number in range(times):
        changed()
        name = f"{times}-{number}"
        user = user_create(name=name, password=PASSWORD, role=Role.EDITOR)
        token_create(user=user, name=name)
        scenario_create(title=f"{name}.json", text=FEW, author="test")
        previewed(name)
    worked_out()
    found = lint.findings_for(estate_view_from({})).findings[:times]
    fields = {"owner": "somebody", "reason": "known", "expires": estate_view_from({}).at(), "author": "test"}
    suppression_add(findings=list(found), **fields)


def changed() -> None:
    """Make another version of the live estate, for workers to look at."""
    live = estate_current()
    estate_edit(edits=[SetHopLimit(live.estate.hop_limit % 10 + 1)], base_version=live.version, author="test")


def previewed(token: str) -> None:
    """An import that is not applied."""
    run = run_create(given=[Given("few.json", FEW)], author="test", token=token)
    run_assign(run=run, assignments=[Assignment(Kind.DOCUMENT)], mode=Mode.INSTANCES, author="test")
    jobs_run()


def worked_out() -> None:
    """All that workers do, of the live estate and of version 1."""
    for query in ({}, {"as_of": "1"}):
        lint.findings_for(estate_view_from(query))
        reachability.job_of(estate_view_from(query))
    jobs_run()


def counted(client: Client, addresses: Addresses, places: Mapping[str, Sequence[int]] | None = None) -> Counts:
    """Count the queries of each address, or of those at these places among the addresses of a view."""
    urls_by_view = {
        name: urls if places is None else [urls[place] for place in places[name]] for name, urls in addresses.items()
    }
    return {name: [(url, queries(client, url)) for url in urls] for name, urls in urls_by_view.items()}


def compared(addresses: Addresses) -> dict[str, Sequence[int]]:
    """Return the places of the addresses that are asked for of both estates: one of each view, another in each run."""
    return {name: range(len(urls)) if IS_ALL else [random.randrange(len(urls))] for name, urls in addresses.items()}


def queries(client: Client, url: str) -> int:
    """Count them as they are sent: Django's own record asks SQLite once more for the text of each."""
    count = 0

    def counting(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += "SAVEPOINT" not in sql
        return execute(sql, params, many, context)

    with connection.execute_wrapper(counting):
        response = client.get(url)
        if response.streaming:
            list(response.streaming_content)  # type: ignore[call-overload] - a synchronous answer has no other iterator
    assert response.status_code < 400, url
    return count


def now() -> Addresses:
    return addresses(estate_current().estate, rows_there())


@pytest.fixture(autouse=True)
def compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page whose comparison takes longer than it waits asks once more whether a job has the result."""
    monkeypatch.setattr(comparison, "ALONE_S", 60.0)
    monkeypatch.setattr(change_preview, "COMPARED_S", 60.0)
    monkeypatch.setattr(effect_line, "FIRST_S", 60.0)


def test_queries_do_not_grow(client: Client) -> None:
    budgets = json.loads(BUDGETS.read_text(encoding="utf-8"))
    grown(1)
    before = now()
    assert not unnamed(before), "benchmarks/addresses.py tells of every page"
    assert sorted(budgets) == sorted(before)
    if IS_ALL:  # else the counts of the smaller estate are the first: what they have more, the budgets do not allow
        counted(client, before)  # the first request of a process finds out more than others
        changed()
        worked_out()
    places = compared(before)
    few = counted(client, before, places)
    grown(TIMES)
    many = counted(client, now())
    for name, counts in few.items():
        pairs = [(one, many[name][place]) for one, place in zip(counts, places[name], strict=True)]
        grew = [(one, other) for one, other in pairs if other[1] > one[1]]
        assert not grew, name
    dear = {name: most(counts) for name, counts in many.items() if most(counts) > budgets[name]}
    assert not dear


def most(counts: list[tuple[str, int]]) -> int:
    return max(count for _, count in counts)
