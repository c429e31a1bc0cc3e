"""Hosted instances with one fault, on a network that refuses connections as an endpoint process reports it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from brokerui.estate.models import Instance
from brokerui.estate.services import estate_import
from brokerui.eventlog.recording import recorder
from brokerui.messaging.endpoint.hosted_instances import hosted
from brokerui.messaging.exchange.lists import discard_outgoing, outgoing_held, put_notices, run
from brokerui.messaging.exchange.messages import Failed, Online
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.status_numbers import CONNECT_FAILED
from brokerui.messaging.exchange.unreachable import take_endpoint_notices
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.documents.estate_document import read_estate
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire

Document = dict[str, Any]
Change = Callable[[Document], None]


def hosted_with(change: Change, addresses: Mapping[str, str] = ADDRESSES) -> StagedNetwork:
    """Import the document of two sound instances with a change, host all of its instances, and join them."""
    document = deepcopy(DOCUMENT)
    change(document)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    Instance.objects.update(hosted=True)
    return StagedNetwork(addresses)


def database(document: Document, instance: str) -> Document:
    """The first database of an instance."""
    found: Document = next(one for one in document["instances"] if one["name"] == instance)["databases"][0]
    return found


class StagedNetwork(Wire):
    """Carries frames to endpoints that listen; whatever is sent elsewhere is lost, and reported as refused."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        super().__init__(addresses)
        self.refusals: dict[str, tuple[int, str]] = {}
        """Addresses whose peer lets nobody in, with the reason."""

    def _pass_on(self, sender: str, receiver: str) -> bool:
        at = self.addresses[receiver]
        if at in self.refusals or at not in hosted().get(receiver, ()):
            return False
        return super()._pass_on(sender, receiver)

    def settle(self) -> None:
        """Workers and endpoints do everything; all that waits is tried again at once."""
        for name in self.addresses:
            follow_estate(name)
        ConversationEndpoint.objects.filter(outgoing__gt=0).update(next_attempt=0, due=0)
        self.carry()
        self._report()
        self.carry()
        recorder.flush()

    def _report(self) -> None:
        """Report addresses as the endpoint does: those that refused, and those that answer again."""
        listening = {at for own in hosted().values() for at in own} - set(self.refusals)
        for sender in self.addresses:
            for at in set(run(redis(), outgoing_held(sender))) - listening:
                run(redis(), discard_outgoing(sender, at))
                run(redis(), put_notices([Failed(sender, at, *self.refusals.get(at, (CONNECT_FAILED, "refused")))]))
            run(redis(), put_notices([Online(sender, at) for at in listening]))
        take_endpoint_notices()
