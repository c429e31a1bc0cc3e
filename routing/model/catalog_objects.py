"""Service Broker objects that routing ignores: queues, contracts, endpoints; lint, T-SQL and messaging use them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS, SYSTEM_SERVICES, check_name
from routing.common.sentence import say

QUEUE_NAME_CHARS = 2 * SYSNAME_CHARS + 1
"""Characters of `schema.name`, two sysnames and a dot."""
MAX_FORWARD_SIZE = 2**31 - 1
"""sys.service_broker_endpoints.message_forwarding_size is an int."""


def _one_of(value: object, allowed: tuple[object, ...], field: str) -> None:
    if value not in allowed:
        raise Invalid(field, say("must be one of {allowed}, not {got}", allowed=allowed, got=str(value)))


def _check_names(names: Iterable[str | None], field: str, limit: int) -> None:
    """Check names of objects that need not exist in the estate; None stands for an unknown name or for ANY."""
    for name in names:
        if name is not None:
            check_name(name, field, limit)


class CheckedNames(tuple[str, ...]):
    """Names that were checked before: a service that gets one contract more needs no check of all others."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Service:
    """A row of `sys.services`."""

    name: str
    queue: str | None = None
    """`schema.name`; None: not known."""
    contracts: tuple[str, ...] = ()
    """Contracts that the service accepts as a target."""

    def __post_init__(self) -> None:
        check_name(self.name, "name", SERVICE_NAME_CHARS)
        _check_names((self.queue,), "queue", QUEUE_NAME_CHARS)
        if not isinstance(self.contracts, CheckedNames):
            _check_names(self.contracts, "contracts", SERVICE_NAME_CHARS)

    def with_contracts(self, queue: str | None, kept: tuple[str, ...], added: tuple[str, ...]) -> Service:
        """Return the service on this queue, with the contracts `kept` of its own and further ones."""
        _check_names(added, "contracts", SERVICE_NAME_CHARS)
        return Service(self.name, queue, CheckedNames((*kept, *added)))


SYSTEM_MADE = tuple(map(Service, SYSTEM_SERVICES))
"""The services with which SQL Server creates a database."""


@dataclass(frozen=True, slots=True)
class Activation:
    """ACTIVATION of a queue."""

    procedure: str
    max_readers: int = 1
    enabled: bool = True

    def __post_init__(self) -> None:
        check_name(self.procedure, "procedure", 776)
        if not 0 <= self.max_readers <= 32_767:
            raise Invalid("max_readers", say("must be 0 to 32767"))


@dataclass(frozen=True, slots=True)
class Queue:
    """A row of `sys.service_queues`."""

    name: str
    enabled: bool = True
    retention: bool = False
    poison_handling: bool = True
    activation: Activation | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "name", QUEUE_NAME_CHARS)


@dataclass(frozen=True, slots=True)
class MessageType:
    """A row of `sys.service_message_types`."""

    name: str
    validation: str = "NONE"
    schema_collection: str | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "name", SERVICE_NAME_CHARS)
        _one_of(self.validation, ("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"), "validation")
        _check_names((self.schema_collection,), "schema_collection", QUEUE_NAME_CHARS)


@dataclass(frozen=True, slots=True)
class ContractMessage:
    """A message type in a contract, and the sides that may send it."""

    message_type: str
    sent_by: str

    def __post_init__(self) -> None:
        check_name(self.message_type, "message_type", SERVICE_NAME_CHARS)
        _one_of(self.sent_by, ("INITIATOR", "TARGET", "ANY"), "sent_by")


@dataclass(frozen=True, slots=True)
class Contract:
    """A row of `sys.service_contracts` with its message usages."""

    name: str
    messages: tuple[ContractMessage, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "name", SERVICE_NAME_CHARS)


@dataclass(frozen=True, slots=True)
class Priority:
    """A row of `sys.conversation_priorities`; None stands for ANY."""

    name: str
    contract_name: str | None = None
    local_service_name: str | None = None
    remote_service_name: str | None = None
    priority_level: int = 5

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        _check_names((self.contract_name,), "contract_name", SERVICE_NAME_CHARS)
        _check_names((self.local_service_name,), "local_service_name", SERVICE_NAME_CHARS)
        _check_names((self.remote_service_name,), "remote_service_name", SERVICE_NAME_CHARS)
        if not 1 <= self.priority_level <= 10:
            raise Invalid("priority_level", say("must be 1 to 10"))


@dataclass(frozen=True, slots=True)
class RemoteServiceBinding:
    """A row of `sys.remote_service_bindings`."""

    name: str
    remote_service_name: str
    user: str | None = None
    anonymous: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        check_name(self.remote_service_name, "remote_service_name", SERVICE_NAME_CHARS)
        _check_names((self.user,), "user", SYSNAME_CHARS)


@dataclass(frozen=True, slots=True)
class BrokerEndpoint:
    """The Service Broker endpoint of an instance, which has none by default."""

    port: int
    state: str = "STARTED"
    encryption: str = "REQUIRED"
    authentication: str = "WINDOWS"
    forward_size: int = 10
    """MESSAGE_FORWARD_SIZE in megabytes."""

    def __post_init__(self) -> None:
        if not 1 <= self.port <= 65_535:
            raise Invalid("port", say("must be 1 to 65535"))
        _one_of(self.state, ("STARTED", "STOPPED", "DISABLED"), "state")
        _one_of(self.encryption, ("DISABLED", "SUPPORTED", "REQUIRED"), "encryption")
        check_name(self.authentication, "authentication")
        if not 0 <= self.forward_size <= MAX_FORWARD_SIZE:
            raise Invalid("forward_size", say("must be 0 to {limit}", limit=MAX_FORWARD_SIZE))
