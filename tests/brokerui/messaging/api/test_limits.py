"""The limits of the verbs' bodies, each tried from both sides, and their parameters: they take none."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.accounts.levels import Role
from brokerui.api.schema import schema
from tests.brokerui.api.helpers import API, let_in, send
from tests.brokerui.api.limits import MISSING, Case, cases, is_refused, is_taken, with_value
from tests.brokerui.messaging.api.test_verbs import BEGIN, NOWHERE, QUEUE, begin
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.site import reader_of_bodies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("wire")]

TOLD = schema()
NONE_THERE = f"{API}/queues/B/two/None"
"""No such queue: nothing waits for messages there, once the body is read."""
VERBS: dict[str, tuple[str, Any]] = {
    "dialog_begin": (f"{API}/dialogs/", BEGIN),
    "dialog_send": (f"{API}/dialogs/{NOWHERE}/messages/", {}),
    "dialogs_send": (f"{API}/dialogs/messages/", {"conversation_handles": [NOWHERE]}),
    "dialog_end": (f"{API}/dialogs/HANDLE/end/", {}),
    "dialogs_end": (f"{API}/dialogs/end/", {"conversation_handles": [NOWHERE]}),
    "dialog_move": (f"{API}/dialogs/{NOWHERE}/move/", {"conversation_group_id": NOWHERE}),
    "dialog_body": (
        f"{API}/dialogs/{NOWHERE}/body/",
        {"kept": "to_send", "message_sequence_number": 0, "reason": "ticket 4711"},
    ),
    "dialog_timer": (f"{API}/dialogs/{NOWHERE}/timer/", {"timeout_s": 60}),
    "queue_conversation_group": (f"{NONE_THERE}/conversation_group/", {}),
    "queue_receive": (f"{NONE_THERE}/receive/", {}),
    "queue_status": (f"{QUEUE}/status/", {"enabled": True}),
    "database_broker": (f"{API}/databases/B/two/broker/", {"option": "ENABLE_BROKER"}),
    "database_failover": (f"{API}/databases/B/two/failover/", {"dry_run": True}),
    "dialogs_retry": (
        f"{API}/dialogs/retry/",
        {"places": [{"instance": "A", "database": "one", "service": "To"}], "dry_run": True},
    ),
    "queues_status": (
        f"{API}/queue_states/status/",
        {"queues": [{"instance": "B", "database": "two", "queue": "ToQ"}], "enabled": True, "dry_run": True},
    ),
    "receipt_settle": (f"{API}/receipts/{NOWHERE}/", {"action": "commit"}),
}
"""By operation: an address and a body of it."""
VERB_PATHS = ("/dialogs/", "/conversation_group/", "/receive/", "/status/", "/receipts/", "/broker/", "/failover/")
BODIES = {
    operation["operationId"]: operation["requestBody"]["content"]["application/json"]["schema"]
    for methods in TOLD["paths"].values()
    for operation in methods.values()
    if "requestBody" in operation and operation["operationId"] in VERBS
}


def test_every_verb_is_tried() -> None:
    verbs = {
        operation["operationId"]
        for path, methods in TOLD["paths"].items()
        for method, operation in methods.items()
        if method == "post" and any(part in path for part in VERB_PATHS)
    }
    assert verbs == set(VERBS) == set(BODIES)


@pytest.mark.parametrize("verb", VERBS)
def test_a_body_just_over_a_limit_is_refused_and_one_at_it_is_not(verb: str, wire: Wire) -> None:
    path, base = VERBS[verb]
    if verb == "dialog_body":
        reader_of_bodies(Role.EDITOR)
    client = let_in(Role.EDITOR if verb in ("database_broker", "database_failover", "dialog_body") else Role.OPERATOR)

    def ask(body: Any) -> Any:
        address = path.replace("HANDLE", begin(client)) if "HANDLE" in path else path
        return send(client, "post", address, body)

    assert is_refused(send(client, "post", f"{path}?no_such=1", base), Case(("no_such",), "unknown", "1"), "query")
    for case in cases(TOLD, BODIES[verb]):
        over = with_value(TOLD, BODIES[verb], base, case.path, case.over)
        assert is_refused(ask(over), case, "body"), case
        if case.at is not MISSING:
            at = with_value(TOLD, BODIES[verb], base, case.path, case.at)
            assert is_taken(ask(at), case), case
