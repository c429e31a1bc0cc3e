"""What an estate holds besides routing: each part with its limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from routing.common.errors import Invalid
from routing.model.catalog_objects import (
    Activation,
    BrokerEndpoint,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)

LONGEST = "n" * 256


@pytest.mark.parametrize(
    "make",
    [
        lambda: Service(LONGEST, "dbo.Queue", ("Contract",)),
        lambda: Queue("n" * 257, activation=Activation("dbo.Work")),
        lambda: Activation("n" * 776, 0),
        lambda: Activation("dbo.Work", 32_767),
        lambda: Contract(LONGEST, (ContractMessage("M", "ANY"),)),
        lambda: ContractMessage(LONGEST, "INITIATOR"),
        lambda: ContractMessage("M", "TARGET"),
        lambda: MessageType(LONGEST, "VALID_XML", "Schemas"),
        lambda: MessageType("M", "EMPTY"),
        lambda: Priority("n" * 128, priority_level=1),
        lambda: Priority("P", "C", "L", "R", 10),
        lambda: RemoteServiceBinding("n" * 128, LONGEST, "dbo", anonymous=True),
        lambda: BrokerEndpoint(1, "STOPPED", "SUPPORTED", "CERTIFICATE Mine", 0),
        lambda: BrokerEndpoint(65_535, "DISABLED", "DISABLED"),
    ],
)
def test_the_last_value_within_a_limit_is_accepted(make: Callable[[], Any]) -> None:
    assert make() == make()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Service(""), "name: must not be empty"),
        (lambda: Service(LONGEST + "n"), "name: is longer than 256 characters"),
        (lambda: Queue("n" * 258), "name: is longer than 257 characters"),
        (lambda: Activation(""), "procedure: must not be empty"),
        (lambda: Activation("n" * 777), "procedure: is longer than 776 characters"),
        (lambda: Activation("p", -1), "max_readers: must be 0 to 32767"),
        (lambda: Activation("p", 32_768), "max_readers: must be 0 to 32767"),
        (lambda: MessageType(""), "name: must not be empty"),
        (
            lambda: MessageType("M", "XML"),
            "validation: must be one of NONE, EMPTY, WELL_FORMED_XML, VALID_XML, not XML",
        ),
        (lambda: Contract(LONGEST + "n"), "name: is longer than 256 characters"),
        (lambda: ContractMessage("", "ANY"), "message_type: must not be empty"),
        (lambda: ContractMessage("M", "any"), "sent_by: must be one of INITIATOR, TARGET, ANY, not any"),
        (lambda: Priority(""), "name: must not be empty"),
        (lambda: Priority("P", priority_level=0), "priority_level: must be 1 to 10"),
        (lambda: Priority("P", priority_level=11), "priority_level: must be 1 to 10"),
        (lambda: RemoteServiceBinding("", "S"), "name: must not be empty"),
        (lambda: RemoteServiceBinding("B", ""), "remote_service_name: must not be empty"),
        (lambda: BrokerEndpoint(0), "port: must be 1 to 65535"),
        (lambda: BrokerEndpoint(65_536), "port: must be 1 to 65535"),
        (lambda: BrokerEndpoint(1, "UP"), "state: must be one of STARTED, STOPPED, DISABLED, not UP"),
        (
            lambda: BrokerEndpoint(1, encryption="NO"),
            "encryption: must be one of DISABLED, SUPPORTED, REQUIRED, not NO",
        ),
        (lambda: BrokerEndpoint(1, authentication=""), "authentication: must not be empty"),
        (lambda: BrokerEndpoint(1, forward_size=-1), "forward_size: must be 0 to 2147483647"),
        (lambda: BrokerEndpoint(1, forward_size=1 << 31), "forward_size: must be 0 to 2147483647"),
        (lambda: Service("S", queue="q" * 258), "queue: is longer than 257 characters"),
        (lambda: Service("S", contracts=("a\0",)), "contracts: holds a NUL or half a surrogate pair"),
        (lambda: MessageType("M", schema_collection=""), "schema_collection: must not be empty"),
        (lambda: Priority("P", contract_name="c" * 257), "contract_name: is longer than 256 characters"),
        (lambda: RemoteServiceBinding("B", "S", user="u" * 129), "user: is longer than 128 characters"),
    ],
)
def test_the_first_value_beyond_a_limit_is_refused(make: Callable[[], Any], problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        make()
    assert str(caught.value) == problem


def test_a_queue_is_enabled_and_keeps_no_messages_by_default() -> None:
    assert Queue("dbo.Q") == Queue("dbo.Q", enabled=True, retention=False, poison_handling=True, activation=None)
