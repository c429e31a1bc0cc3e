"""Two instances in one deployment, and the endpoint's part played by hand: frames from one's list to the other's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any
from unittest.mock import patch

from django.conf import settings

from brokerui.messaging.exchange.lists import put_arrived, run, take_outgoing
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.workers import due_conversations
from brokerui.messaging.workers.arrived_frames import process_arrived
from brokerui.messaging.workers.due_conversations import send_due
from tests.brokerui.hosted_estates import host_all

ONE, TWO = (f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit in "12")
WORKERS = ("workers.arrived_frames", "workers.due_conversations", "workers.routes_changed")
"""The modules of workers that read the clock."""
TURN_SECONDS = 0.1
"""Of a worker's turn: where a list is full it waits in vain, because nobody takes frames from it meanwhile."""
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}
ADDRESSES = {"A": "tcp://a.example:4022", "B": "tcp://b.example:4022"}
DOCUMENT: dict[str, Any] = {
    "format": "brokerui.estate/1",
    "instances": [
        {
            "name": "A",
            "addresses": [ADDRESSES["A"]],
            "databases": [
                {
                    "name": "one",
                    "broker_instance": ONE,
                    "services": [{"name": "From", "queue": "FromQ"}],
                    "routes": [LOCAL, {"name": "to", "remote_service_name": "To", "address": ADDRESSES["B"]}],
                },
                {"name": "msdb", "routes": [LOCAL]},
            ],
        },
        {
            "name": "B",
            "addresses": [ADDRESSES["B"]],
            "databases": [
                {
                    "name": "two",
                    "broker_instance": TWO,
                    "services": [{"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}],
                    "routes": [LOCAL, {"name": "from", "remote_service_name": "From", "address": ADDRESSES["A"]}],
                },
                {"name": "msdb", "routes": [LOCAL]},
            ],
        },
    ],
}


def host_both() -> None:
    host_all(json.dumps(DOCUMENT))


class Wire:
    """Carries waiting frames between instances, until there are none."""

    def __init__(self, addresses: Mapping[str, str] = ADDRESSES) -> None:
        self.addresses = addresses
        """By instance."""
        self.lost = 0
        self.is_cut = False

    def carry(self) -> None:
        """Workers and endpoints do all that there is to do now."""
        while self._carry_once():
            pass

    def _carry_once(self) -> bool:
        with patch.object(due_conversations, "TURN_SECONDS", TURN_SECONDS):
            unfinished = [name for name in self.addresses if send_due(name)]
        passed = [self._pass_on(*pair) for pair in permutations(self.addresses, 2)]
        for name in self.addresses:
            while process_arrived(name, range(settings.ENDPOINT_SHARDS)):
                pass
        return bool(unfinished) or any(passed)

    def _pass_on(self, sender: str, receiver: str) -> bool:
        frames = run(redis(), take_outgoing(sender, self.addresses[receiver], 1 << 30))
        if self.is_cut:
            self.lost += len(frames)
            return False
        if frames:
            assert run(redis(), put_arrived(receiver, frames)) == []
        return bool(frames)
