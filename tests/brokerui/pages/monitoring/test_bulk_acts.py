"""Conversations ended, queues switched on, one draft for a cause: shown first, then done, with each result audited."""

from __future__ import annotations

import html
import json
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.estate.models import AuditEntry
from brokerui.estate.services import estate_import
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import queue_set_status
from routing.documents.estate_document import read_estate
from tests.brokerui.api.helpers import send
from tests.brokerui.messaging.hosted import DOCUMENT, Wire
from tests.brokerui.pages.monitoring.conftest import begun, stuck
from tests.brokerui.site import signed_in

END, ON, DRAFT = "/delayed/end-all/", "/delayed/switch-on-all/", "/delayed/draft-all/"
ERROR = {"how": "error", "code": "7", "description": "Stock was closed."}
NOBODY = "6f3f0d5e-0000-4000-8000-00000000dead"


def posted(client: Client, path: str, fields: dict[str, Any]) -> str:
    response = client.post(path, fields)
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def audited(action: str) -> int:
    return AuditEntry.objects.filter(action=action).count()


def there(handles: list[str]) -> int:
    return ConversationEndpoint.objects.filter(conversation_handle__in=handles).count()


@pytest.mark.both_databases
def test_all_of_a_cause_are_shown_and_then_ended_with_an_error(wire: Wire, operator: Client) -> None:
    handles = [*stuck(wire, "First", 2), *stuck(wire, "Second")]
    other = stuck(wire, "To", encryption=True)
    shown = posted(operator, END, {"cause": "9796"})
    assert "3 conversations with 3 messages" in shown
    assert "End 3 conversations" in shown
    assert there(handles) == 3
    assert audited("dialog.error") == 0, "nothing is done before it is confirmed"
    done = posted(operator, END, {"handle": [*handles, NOBODY], **ERROR, "confirmed": "1"})
    assert "3 conversations are ended, 1 refused" in done
    assert "refused: 8426" in done
    assert there(handles) == 0, "they had sent nothing, so nobody has to hear of the error"
    assert there(other) == 1
    assert audited("dialog.error") == 3
    assert "Stock was closed" not in AuditEntry.objects.filter(action="dialog.error").latest("pk").note


def test_the_other_side_receives_the_error_where_something_was_sent(wire: Wire, operator: Client) -> None:
    handle = begun("To")
    wire.carry()
    shown = posted(operator, END, {"handle": handle, **ERROR})
    assert "receives the error" in shown
    posted(operator, END, {"handle": handle, **ERROR, "confirmed": "1"})
    wire.carry()
    assert ConversationEndpoint.objects.get(instance__name="B").state == "ER"


def test_a_refusal_is_known_before(wire: Wire, operator: Client) -> None:
    handle = begun("To")
    wire.carry()
    posted(operator, END, {"handle": handle, **ERROR, "confirmed": "1"})
    assert ConversationEndpoint.objects.get(conversation_handle=handle).state == "DO"
    shown = posted(operator, END, {"handle": handle, **ERROR})
    assert "would be refused: 8427" in shown
    assert 'name="confirmed"' not in shown
    assert "is not notified" in posted(operator, END, {"handle": handle, **ERROR, "how": "cleanup"})


@pytest.mark.parametrize("wrong", [{"code": "0"}, {"code": "x"}, {"description": ""}, {"how": "softly"}])
def test_an_error_that_is_none_ends_nothing(wire: Wire, operator: Client, wrong: dict[str, str]) -> None:
    handles = stuck(wire, "First")
    text = posted(operator, END, {"handle": handles, **ERROR, **wrong, "confirmed": "1"})
    assert 'role="alert"' in text
    assert there(handles) == 1


def test_readers_end_nothing(wire: Wire, viewer: Client) -> None:
    handles = stuck(wire, "First")
    for path in (END, ON, DRAFT):
        assert viewer.post(path, {"handle": handles, **ERROR, "confirmed": "1"}).status_code == 403
    assert there(handles) == 1


def test_rest_ends_several_with_a_result_for_each(wire: Wire, operator: Client) -> None:
    handles = stuck(wire, "First", 2)
    body: dict[str, Any] = {"conversation_handles": [*handles, NOBODY], "error": {"code": 7, "description": "Closed."}}
    shown = send(operator, "post", "/api/v1/dialogs/end/", {**body, "dry_run": True}).json()["results"]
    assert [one["result"] for one in shown] == ["would_end", "would_end", "would_be_refused"]
    assert [(one["messages"], one["deleted"]) for one in shown[:2]] == [(1, 1), (1, 1)]
    assert there(handles) == 2
    done = send(operator, "post", "/api/v1/dialogs/end/", body).json()["results"]
    assert [one["result"] for one in done] == ["ended", "ended", "refused"]
    assert (done[2]["number"], done[2]["instance"]) == (8426, None)
    assert there(handles) == 0
    assert audited("dialog.error") == 2


def test_queues_are_switched_on_together(wire: Wire, operator: Client) -> None:
    for instance, database, queue in (("A", "one", "FromQ"), ("B", "two", "ToQ")):
        queue_set_status(instance=instance, database=database, queue=queue, is_on=False)
    page = operator.get("/delayed/").content.decode()
    assert page.count('name="queue" id="queue-') == 2
    queues = [json.dumps(place) for place in (["A", "one", "FromQ"], ["B", "two", "ToQ"], ["B", "two", "NoQ"])]
    assert "Switch 3 queues on" in posted(operator, ON, {"queue": queues})
    assert "2 queues are on, 1 refused" in posted(operator, ON, {"queue": queues, "confirmed": "1"})
    assert 'name="queue"' not in operator.get("/delayed/").content.decode()


def test_one_draft_has_the_remedies_of_a_whole_cause(wire: Wire, operator: Client) -> None:
    document = deepcopy(DOCUMENT)
    for name in ("First", "Second"):
        service = {"name": name, "queue": f"{name}Q", "contracts": ["DEFAULT"]}
        document["instances"][1]["databases"][0]["services"].append(service)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    stuck(wire, "First")
    stuck(wire, "Second")
    response = signed_in(Role.EDITOR).post(DRAFT, {"cause": "9796"})
    draft = SavedDraft.objects.get()
    assert response.headers["Location"] == f"/changes/{draft.id}/effect/"
    routes = draft_estate(draft).estate.instances["A"].databases["one"].table.routes
    assert {route.remote_service_name for route in routes.values()} == {None, "To", "First", "Second"}
    assert operator.post(DRAFT, {"cause": "9796"}).status_code == 403
