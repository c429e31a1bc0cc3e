"""What pages, REST and commands say of one conversation is one thing: *Where*, *Reachability*, `explain`, remedies.

Estates of the examples and of classic faults; of each the conversations that somebody intends come first.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from brokerui.analysis.explanations.wording import GOOD, headline
from brokerui.analysis.remedies.conversation_offers import conversation_offers, findings_of_way, is_well
from brokerui.estate.services import estate_import
from routing.classes.reachability import entry_points, service_names
from routing.documents.conversation_json import conversation_as_json
from routing.documents.estate_document import write_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import explain
from routing.rules.verdict import verdict
from routing.tsql import ScriptGroup, read_scripts
from tests.brokerui.classic_faults.faults import FAULTS
from tests.brokerui.classic_faults.test_faults import words_of
from tests.brokerui.cli.command_line import Call, call_with, written
from tests.brokerui.site import nothing_shown
from tests.routing.example_helpers import example

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
AT = datetime(2030, 1, 1, tzinfo=UTC)
NOW = "2030-01-01T00:00:00Z"
ASKED = 8
"""Conversations of an estate."""
FAULTY = (
    "the way back leads to its own server",
    "the queue was switched off by a poison message",
    "a forwarder that does not forward",
)


def faulty(name: str) -> Estate:
    (fault,) = (one for one in FAULTS if one.name == name)
    scripts = [ScriptGroup(host, None, [(f"{host}.sql", text)]) for host, text in fault.scripts.items()]
    return read_scripts(scripts, at=AT)[0]


ESTATES = {
    **{name: example(name) for name in ("three-servers", "6-forward-one-service")},
    **{name: faulty(name) for name in FAULTY},
}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def conversations(where: Estate) -> list[Conversation]:
    """From databases with a route for the service, then from all others."""
    found = sorted(_all(where), key=lambda one: not _is_intended(where, one))
    return found[:ASKED]


def _all(where: Estate) -> Iterator[Conversation]:
    for instance, database in entry_points(where):
        if database not in (None, "msdb"):
            yield from (Conversation(instance, database, service) for service in service_names(where))


def _is_intended(where: Estate, one: Conversation) -> bool:
    return one.to_service in where.instances[one.instance].tables[one.database].named


@pytest.mark.parametrize("name", ESTATES)
def test_all_say_the_same_of_one_conversation(call: Call, viewer: Client, tmp_path: Path, name: str) -> None:
    where = ESTATES[name]
    estate_import(estate=where, author="test")
    document = written(tmp_path, "estate.json", write_estate(where))
    verdicts = reachable(viewer)
    for question in conversations(where):
        explanation = explain(where, question, AT)
        head = headline(explanation, where)
        expected = [str(sentence) for sentence in (head.title, *head.details)]
        origin = f"{question.instance}/{question.database}"
        text = call("explain", document, "--from", origin, "--to", question.to_service, "--at", NOW).out
        page = words_of(viewer.get("/where/", {"from": origin, "to": question.to_service, "at": NOW}))
        answer = over_rest(viewer, question)
        assert [one for one in expected if one not in text] == []
        assert [one for one in expected if one not in page] == []
        assert answer["answer"] == " ".join(expected)
        assert answer["verdict"] == verdicts[question.instance, question.database, question.to_service]
        assert answer["verdict"] == verdict(explanation.forward.outcomes)
        assert (head.tone == GOOD) == is_well(explanation, where), "green means well, and nothing else does"
        offers = conversation_offers(explanation, where, findings_of_way(explanation, where))
        assert [one["sql"] for one in answer["remedies"]] == [one.sql for one in offers]
        for offer in offers:
            assert all(line.strip() in text for line in offer.sql.splitlines())
            assert " ".join(offer.sql.split()) in page
            assert all(str(sentence) in page and str(sentence) in text for sentence in offer.says)


def reachable(viewer: Client) -> dict[tuple[str, str, str], str]:
    response = viewer.get("/reachability/pairs.csv", {"pairs": "all", "system": "1"})
    text = response.getvalue().decode()
    rows = csv.DictReader(io.StringIO(text))
    return {(row["instance"], row["database"], row["service"]): row["verdict"] for row in rows}


def over_rest(viewer: Client, question: Conversation) -> dict[str, list[dict[str, str]]]:
    body = {"conversation": conversation_as_json(question), "at": NOW}
    response = viewer.post("/api/v1/whatif/", json.dumps(body), content_type="application/json")
    assert response.status_code == 200, unescape(response.content.decode())
    found: dict[str, list[dict[str, str]]] = response.json()
    return found
