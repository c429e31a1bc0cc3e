"""One instance, its store, and applications in it: each call a transaction of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, TypeVar

from routing.common.broker_events import FIRST_OWN_EVENT, Event
from routing.common.choices import Choices
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.endpoint import Endpoint, QueueKey
from routing.dialog.messages import QueuedMessage
from routing.dialog.queue_status import switch_off, switch_on
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE, TIMER_TYPE
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from routing.runtime.broker import Broker
from routing.runtime.store import Store
from routing.simulation.memory_store import MemoryStore

Json = dict[str, Any]
_T = TypeVar("_T")

ONE, TWO = (f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit in "12")
SHORT = {END_DIALOG_TYPE: "END", ERROR_TYPE: "ERROR", TIMER_TYPE: "TIMER"}
NOW = 1_900_000_000_000
SECOND = 1000
DAY = 24 * 3600 * SECOND

CONTRACTS: Json = {
    "contracts": [
        {
            "name": "C",
            "messages": [
                {"message_type": "Ask", "sent_by": "INITIATOR"},
                {"message_type": "Tell", "sent_by": "TARGET"},
                {"message_type": "Xml", "sent_by": "ANY"},
            ],
        }
    ],
    "message_types": [{"name": "Ask"}, {"name": "Tell"}, {"name": "Xml", "validation": "WELL_FORMED_XML"}],
}


def small_estate(**changes: Json) -> Estate:
    """Host `a` with databases `one` (service From) and `two` (service To), which find each other; and what changes."""
    local = [{"name": "AutoCreatedLocal", "address": "LOCAL"}]
    both = {"routes": local, **CONTRACTS}
    one = {"name": "one", "broker_instance": ONE, "services": [{"name": "From", "queue": "FromQ"}], **both}
    to = [{"name": "To", "queue": "ToQ", "contracts": ["C", "DEFAULT"]}]
    two = {"name": "two", "broker_instance": TWO, "services": to, **both}
    databases = [one | changes.get("one", {}), two | changes.get("two", {})]
    databases += [changes["msdb"]] if "msdb" in changes else []
    host = {"name": "a", "addresses": ["tcp://a"], "databases": databases} | changes.get("host", {})
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": [host]}))


class Local:
    """A broker with applications that do one thing in a transaction."""

    def __init__(self, estate: Estate | None = None, seed: int = 1, store: Store | None = None) -> None:
        self.choices = Choices(random.Random(seed).getrandbits)
        self.store = store or MemoryStore()
        self.broker = Broker(estate or small_estate(), "a", self.store, self.choices)
        self.now = NOW
        self.events: list[Event] = []

    def do(self, verb: Callable[..., _T], *arguments: Any, wanted: ClaimRequest, **named: Any) -> _T:
        """A verb in a transaction of its own."""
        work = self.broker.work(wanted, self.now)
        assert not work.batch.busy
        try:
            result = verb(work, *arguments, **named)
        except BaseException:
            self.broker.release(work)
            raise
        self.broker.commit(work)
        self._note()
        return result

    def on(self, verb: Callable[..., _T], handle: str, *arguments: Any, **named: Any) -> _T:
        """A verb on one conversation."""
        return self.do(verb, handle, *arguments, wanted=ClaimRequest(handles=(handle,)), **named)

    def begin(self, contract: str = "DEFAULT", to: str = "To", **named: Any) -> str:
        return self.do(begin_dialog, "one", "From", to, contract=contract, wanted=ClaimRequest(), **named)

    def send(self, *handles: str, message_type: str = "DEFAULT", body: bytes | None = b"x") -> None:
        self.do(send, handles, message_type, body, wanted=ClaimRequest(handles=handles))

    def receive(self, database: str = "two", queue: str | None = None, **named: Any) -> tuple[QueuedMessage, ...]:
        request = ReceiveRequest((database, queue or {"one": "FromQ", "two": "ToQ"}[database]), **named)
        return self.do(receive, request, wanted=ClaimRequest(receive=request))

    def received(self, database: str = "two", **named: Any) -> list[str]:
        """What all that is received says: the body, or which system message it is."""
        bodies = []
        while messages := self.receive(database, **named):
            bodies += [SHORT.get(m.message_type_name) or (m.message_body or b"").decode() for m in messages]
        return bodies

    def open(self, contract: str = "DEFAULT", **named: Any) -> tuple[str, str]:
        """A conversation that has begun, its first message received: the handles of both sides."""
        handle = self.begin(contract, **named)
        self.send(handle, message_type="Ask" if contract == "C" else "DEFAULT", body=b"first")
        (message,) = self.receive()
        return handle, message.conversation_handle

    def endpoint(self, handle: str) -> Endpoint | None:
        work = self.broker.work(ClaimRequest(handles=(handle,)), self.now)
        self.broker.release(work)
        return work.get(handle)

    def state(self, handle: str) -> str:
        found = self.endpoint(handle)
        return found.state if found else ""

    def there(self, handle: str) -> Endpoint:
        found = self.endpoint(handle)
        assert found is not None
        return found

    def later(self, milliseconds: int) -> None:
        """Let time pass, and do the due work."""
        self.now += milliseconds
        self.broker.turn(self.now, 100)
        self._note()

    def _note(self) -> None:
        self.events += [event for _, event in self.broker.events()]

    def switch(self, on: bool, database: str = "two", queue: str | None = None) -> None:
        key: QueueKey = (database, queue or {"one": "FromQ", "two": "ToQ"}[database])

        self.do(switch_on if on else switch_off, key, wanted=ClaimRequest())

    def reported(self, since: int = 0) -> list[str]:
        """The product's events, by class and subclass."""
        events = [event for event in self.events[since:] if event.number < FIRST_OWN_EVENT]
        return [f"{event.number}:{getattr(event, 'subclass', 0):d}" for event in events]
