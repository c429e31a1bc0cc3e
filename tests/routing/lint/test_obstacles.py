"""What stands in the way although the routes deliver: said once, and only where it is known."""

from __future__ import annotations

from typing import Any

import pytest

from routing.lint.obstacles import obstacles
from routing.model.conversation import Conversation
from routing.rules.explanation import explain
from tests.routing.lint.estates import AT, db, estate, route, server


def sentences(*instances: Any, is_reply: bool = False) -> list[str]:
    whole = estate(*instances)
    conversation = Conversation("a", "D", "Ship", is_reply=is_reply)
    return [str(one.says) for one in obstacles(explain(whole, conversation, AT), whole)]


def sender(*routes: Any, **more: Any) -> Any:
    return server("a", db("D", *(routes or (route("R", "Ship", "b"),)), services=("Own",), broker=1), **more)


def target(queue: Any = None, **more: Any) -> Any:
    service = {"name": "Ship", "queue": "dbo.Q", "contracts": ["c"]}
    queues = [queue] if queue else []
    return server("b", db("E", route("Back", "Own", "a"), services=(service,), queues=queues, broker=2), **more)


@pytest.mark.parametrize("state", ["STOPPED", "DISABLED"])
def test_an_endpoint_on_the_way(state: str) -> None:
    stopped = {"endpoint": {"port": 4022, "state": state}}
    assert sentences(sender(), target(**stopped))[0].startswith(f"…but the Service Broker endpoint of b is {state}")
    assert "endpoint of a is" in sentences(sender(**stopped), target())[0]
    assert len(sentences(sender(**stopped), target(**stopped))) == 2


def test_within_one_instance_no_endpoint_is_needed() -> None:
    here = server(
        "a", db("D", services=("Own",)), db("E", services=("Ship",)), endpoint={"port": 1, "state": "STOPPED"}
    )
    assert sentences(here) == []


def test_an_endpoint_that_is_started_or_not_known() -> None:
    assert sentences(sender(endpoint={"port": 4022}), target()) == []


def test_the_queue_of_the_target_is_off() -> None:
    [one] = sentences(sender(), target({"name": "DBO.q", "enabled": False}))
    assert one.startswith("…but the queue dbo.Q of E on b is off")
    assert sentences(sender(), target({"name": "dbo.Other", "enabled": False})) == []


def test_no_contract_is_shared_but_replies_need_none() -> None:
    begins = server(
        "a",
        db(
            "D",
            route("R", "Ship", "b"),
            services=({"name": "Own", "queue": "dbo.O"},),
            contracts=[{"name": "d", "messages": [{"message_type": "m", "sent_by": "ANY"}]}],
            broker=1,
        ),
    )
    [one] = sentences(begins, target())
    assert one.startswith("…but no conversation can begin. Ship: It accepts c")
    assert sentences(begins, target(), is_reply=True) == []
