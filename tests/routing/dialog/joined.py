"""Several instances, joined by a network in memory that does to each fragment what a test says.

Host `a` has database `one` (service From), `b` has `two` (service To), `c` has `three` (To as well).
Each call of an application is a transaction of its own, and nothing moves on the network before `carry` or `settle`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from routing.adjacent.fragment import Fragment, read_fragment
from routing.common.broker_events import Event
from routing.common.choices import Choices
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.end_conversation import end_conversation
from routing.dialog.endpoint import Endpoint, QueueKey
from routing.dialog.messages import QueuedMessage
from routing.dialog.queue_status import switch_off, switch_on
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.dialog.settings import DialogSettings
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from routing.runtime.broker import Broker
from routing.runtime.store import Store
from routing.security.instance_security import InstanceSecurity
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.local import CONTRACTS, NOW, ONE, SHORT, TWO

Json = dict[str, Any]
_T = TypeVar("_T")

THREE = "6f3f0d5e-0000-4000-8000-000000000003"
HOST = {"one": "a", "two": "b", "three": "c", "four": "a"}
QUEUE = {"one": "FromQ", "two": "ToQ", "three": "ToQ", "four": "ToQ"}
"""Database `four` is there only where a test makes it."""
LOCAL = [{"name": "AutoCreatedLocal", "address": "LOCAL"}]


def way(service: str, host: str, name: str = "", **named: Any) -> Json:
    """A route for a service to a host."""
    return {"name": name or f"{service}_{host}", "remote_service_name": service, "address": f"tcp://{host}", **named}


def joined_estate(**changes: Json) -> Estate:
    """Each service is found from the other's database; and what changes, by database or by host."""
    to = [{"name": "To", "queue": "ToQ", "contracts": ["C", "DEFAULT"]}]
    databases: dict[str, Json] = {
        "one": {"broker_instance": ONE, "services": [{"name": "From", "queue": "FromQ"}], "routes": [way("To", "b")]},
        "two": {"broker_instance": TWO, "services": to, "routes": [way("From", "a")]},
        "three": {"broker_instance": THREE, "services": to, "routes": [way("From", "a")]},
    }
    instances = []
    for name, given in databases.items():
        host = HOST[name]
        database = {"name": name, **CONTRACTS, **given} | changes.get(name, {})
        msdb = {"name": "msdb", "routes": LOCAL} | changes.get(f"msdb_{host}", {})
        instance = {"name": host, "addresses": [f"tcp://{host}"], "databases": [database, msdb]}
        instances.append(instance | changes.get(host, {}))
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": instances}))


class Parcel(NamedTuple):
    """A fragment on the network."""

    source: str
    target: str
    raw: bytes

    @property
    def read(self) -> Fragment:
        return read_fragment(self.raw)

    @property
    def is_acknowledgement(self) -> bool:
        """A dedicated one."""
        header = self.read.header
        return not header.is_sequenced and not header.is_error

    @property
    def number(self) -> tuple[int, int]:
        return self.read.header.sequence, self.read.header.fragment


Fate = Callable[[Parcel], list[bytes]]
"""Fate of a fragment on the network: delivered, lost, duplicated, changed."""


def carried(parcel: Parcel) -> list[bytes]:
    return [parcel.raw]


class Joined:
    """Brokers, the network between them, and applications that do one thing in a transaction."""

    def __init__(
        self,
        estate: Estate | None = None,
        seed: int = 1,
        settings: DialogSettings | None = None,
        securities: Mapping[str, InstanceSecurity] | None = None,
        stores: Mapping[str, Store] | None = None,
    ) -> None:
        self.estate = estate or joined_estate()
        self.choices = Choices(random.Random(seed).getrandbits)
        self.settings = settings
        self.securities = securities or {}
        self.stores: dict[str, Any] = {host: (stores or {}).get(host) or MemoryStore() for host in "abc"}
        self.now = NOW
        self.fate: Fate = carried
        self.is_quick = False
        """Whether what an application sends leaves with its commit, where it can."""
        self.under_way: list[Parcel] = []
        self.passed: list[Parcel] = []
        """Everything that left a broker."""
        self.events: list[tuple[str, int, Event]] = []
        """With the host, and the moment."""
        self.brokers = {host: self._made(host) for host in "abc"}
        self._hosts = {f"tcp://{host}:4022": host for host in "abc"}

    def _made(self, host: str) -> Broker:
        security = self.securities.get(host)
        return Broker(self.estate, host, self.stores[host], self.choices, self.settings, security)

    # ------------------------------------------------------------ applications

    def do(self, host: str, verb: Callable[..., _T], *arguments: Any, wanted: ClaimRequest, **named: Any) -> _T:
        """A verb in a transaction of its own."""
        broker = self.brokers[host]
        work = broker.work(wanted, self.now)
        assert not work.batch.busy
        try:
            result = verb(work, *arguments, **named)
        except BaseException:
            broker.release(work)
            raise
        if self.is_quick:
            broker.send_at_once(work)
        broker.commit(work)
        return result

    def on(self, verb: Callable[..., _T], handle: str, *arguments: Any, **named: Any) -> _T:
        """A verb on one conversation."""
        return self.do(self.host(handle), verb, handle, *arguments, wanted=ClaimRequest(handles=(handle,)), **named)

    def begin(self, contract: str = "DEFAULT", *, encryption: bool = False, **named: Any) -> str:
        given = {"contract": contract, "encryption": encryption, "wanted": ClaimRequest(), **named}
        return self.do("a", begin_dialog, "one", "From", given.pop("to", "To"), **given)

    def send(self, handle: str, *bodies: bytes | None, message_type: str = "DEFAULT") -> None:
        """Several messages in one transaction."""

        def sending(work: Any) -> None:
            for body in bodies or (b"x",):
                send(work, (handle,), message_type, body)

        self.do(self.host(handle), sending, wanted=ClaimRequest(handles=(handle,)))

    def receive(self, database: str = "two", queue: str = "", **named: Any) -> tuple[QueuedMessage, ...]:
        request = ReceiveRequest((database, queue or QUEUE[database]), **named)
        return self.do(HOST[database], receive, request, wanted=ClaimRequest(receive=request))

    def received(self, database: str = "two", **named: Any) -> list[str]:
        """What all that is received says: the body, or which system message it is."""
        bodies = []
        while messages := self.receive(database, **named):
            bodies += [SHORT.get(m.message_type_name) or (m.message_body or b"").decode() for m in messages]
        return bodies

    def open(self, contract: str = "DEFAULT", database: str = "two", **named: Any) -> tuple[str, str]:
        """A conversation whose first message was received and acknowledged: the handles of both sides."""
        handle = self.begin(contract, **named)
        self.send(handle, b"first", message_type="Ask" if contract == "C" else "DEFAULT")
        self.settle()
        (message,) = self.receive(database)
        return handle, message.conversation_handle

    def end(self, *handles: str) -> None:
        for handle in handles:
            self.on(end_conversation, handle)

    def switch(self, on: bool, database: str = "two") -> None:
        key: QueueKey = (database, QUEUE[database])
        self.do(HOST[database], switch_on if on else switch_off, key, wanted=ClaimRequest())

    # ------------------------------------------------------------ what there is

    def host(self, handle: str) -> str:
        """Where an endpoint is."""
        return next(host for host in self.brokers if self._seen(host, handle))

    def _seen(self, host: str, handle: str) -> Endpoint | None:
        broker = self.brokers[host]
        work = broker.work(ClaimRequest(handles=(handle,)), self.now)
        broker.release(work)
        return work.get(handle)

    def endpoint(self, handle: str) -> Endpoint | None:
        return next((found for host in self.brokers if (found := self._seen(host, handle))), None)

    def there(self, handle: str) -> Endpoint:
        found = self.endpoint(handle)
        assert found is not None
        return found

    def state(self, handle: str) -> str:
        found = self.endpoint(handle)
        return found.state if found else ""

    def target(self, handle: str, database: str = "two") -> Endpoint | None:
        """The endpoint that an initiator's conversation has in a database."""
        broker = self.brokers[HOST[database]]
        conversation = self.there(handle).conversation_id
        work = broker.work(ClaimRequest(conversations=((conversation, False),)), self.now)
        broker.release(work)
        return work.by_key((conversation, False))

    def depth(self, database: str = "two") -> int:
        found: int = self.stores[HOST[database]].depth((database, QUEUE[database])).messages
        return found

    def reported(self, host: str, number: int, since: int = 0) -> list[Any]:
        """The events of a class that a host has given out."""
        return [event for name, _, event in self.events[since:] if name == host and event.number == number]

    # ------------------------------------------------------------ time and the network

    def collect(self) -> list[Parcel]:
        """Do the due work, put the outbound frames on the network, and return them."""
        new = []
        for host, broker in self.brokers.items():
            due = broker.next_timer()
            if due is not None and due <= self.now:
                broker.handle_timer(self.now)
            new += self.give_out(host)
        return new

    def give_out(self, host: str) -> list[Parcel]:
        """Put the outbound frames of a host on the network, without its due work, and return them."""
        broker = self.brokers[host]
        new = [Parcel(host, self._hosts[out.address], out.frame) for out in broker.frames_to_send(self.now)]
        self.events += [(host, now, event) for now, event in broker.events()]
        self.under_way += new
        self.passed += new
        return new

    def carry(self) -> None:
        """Deliver the frames of the network by their fates, in one batch for each instance."""
        parcels, self.under_way = self.under_way, []
        for host, broker in self.brokers.items():
            came = [raw for parcel in parcels if parcel.target == host for raw in self.fate(parcel)]
            if came:
                broker.receive(came, self.now)
                self.events += [(host, now, event) for now, event in broker.events()]

    def settle(self, most: int = 100) -> None:
        """Exchange frames until no side has anything to send at this moment."""
        for _ in range(most):
            self.collect()
            if not self.under_way:
                return
            self.carry()
        raise AssertionError("they never stop talking")

    def later(self, milliseconds: int) -> None:
        """Let time pass, and do the due work."""
        self.now += milliseconds
        self.settle()

    def restart(self, host: str) -> None:
        """Crash: memory is lost, committed rows stay."""
        self.stores[host].forget_claims()
        self.brokers[host] = self._made(host)
