"""Decoders of the small objects of an estate document, each from a parsed JSON value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from routing.common.errors import Invalid, must_be
from routing.common.identifier import parse_identifier
from routing.common.moment import parse_moment
from routing.common.sentence import Sentence, say
from routing.model.address import Address, parse_address, parse_network_address
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
from routing.model.missing_statement import MissingStatement
from routing.model.route import Route

_T = TypeVar("_T")
Decoder = Callable[[Any], Any]


def string(value: Any) -> str:
    if type(value) is not str:
        raise Invalid("", must_be(say("a string"), value))
    return value


def boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise Invalid("", must_be(say("true or false"), value))
    return value


def integer(value: Any) -> int:
    if type(value) is not int:
        raise Invalid("", must_be(say("a whole number"), value))
    return value


def or_null(convert: Callable[[Any], _T]) -> Callable[[Any], _T | None]:
    """The decoder that also accepts null."""
    return lambda value: None if value is None else convert(value)


def array_of(convert: Callable[[Any], _T]) -> Callable[[Any], tuple[_T, ...]]:
    """The decoder of a small array of such values."""

    def converted(value: Any) -> tuple[_T, ...]:
        if type(value) is not list:
            raise Invalid("", must_be(say("an array"), value))
        return tuple(_element(index, convert, element) for index, element in enumerate(value))

    return converted


def fields(value: Any, converters: Mapping[str, Decoder], required: tuple[str, ...]) -> dict[str, Any]:
    """Decode each member of an object. Unknown keys and missing required ones raise `Invalid`."""
    if type(value) is not dict:
        raise Invalid("", must_be(say("an object"), value))
    found: dict[str, Any] = {}
    for key, member in value.items():
        convert = converters.get(key)
        if convert is None:
            raise Invalid("", unknown_key(key, converters))
        try:
            found[key] = convert(member)
        except Invalid as fault:
            raise fault.below(key) from None
    for key in required:
        if key not in value:
            raise Invalid(key, say("is missing"))
    return found


def unknown_key(key: str, known: Iterable[str]) -> Sentence:
    """The problem of an unknown key."""
    return say('has the unknown key "{key}"; known are {known}', key=key[:80], known=tuple(known))


def _element(index: int, convert: Callable[[Any], _T], value: Any) -> _T:
    try:
        return convert(value)
    except Invalid as fault:
        raise fault.below(f"[{index}]") from None


def _string_or_null(value: Any) -> str | None:
    return value if value is None else string(value)


def _address(value: Any) -> Address:
    return parse_address(string(value))


def network_address(value: Any) -> Address:
    """An address of an instance."""
    return parse_network_address(string(value))


def identifier_or_null(value: Any) -> str | None:
    return value if value is None else parse_identifier(string(value))


def moment(value: Any) -> datetime:
    return parse_moment(string(value))


def _moment_or_null(value: Any) -> datetime | None:
    return value if value is None else moment(value)


_ROUTE: Mapping[str, Decoder] = {
    "name": string,
    "remote_service_name": _string_or_null,
    "broker_instance": identifier_or_null,
    "lifetime": _moment_or_null,
    "address": _address,
    "mirror_address": or_null(_address),
}
_ROUTE_DEFAULTS: Mapping[str, Any] = dict.fromkeys(_ROUTE)


def route_from(value: Any) -> Route:
    """A row of `sys.routes`."""
    return Route(**{**_ROUTE_DEFAULTS, **fields(value, _ROUTE, ("name", "address"))})


_SERVICE: Mapping[str, Decoder] = {"name": string, "queue": _string_or_null, "contracts": array_of(string)}


def service_from(value: Any) -> Service:
    """A service: its name alone, or an object with queue and contracts."""
    if type(value) is str:
        return Service(value)
    return Service(**fields(value, _SERVICE, ("name",)))


_ACTIVATION: Mapping[str, Decoder] = {"procedure": string, "max_readers": integer, "enabled": boolean}
_QUEUE: Mapping[str, Decoder] = {
    "name": string,
    "enabled": boolean,
    "retention": boolean,
    "poison_handling": boolean,
    "activation": or_null(lambda value: Activation(**fields(value, _ACTIVATION, ("procedure",)))),
}


def queue_from(value: Any) -> Queue:
    return Queue(**fields(value, _QUEUE, ("name",)))


_MESSAGE_TYPE: Mapping[str, Decoder] = {
    "name": string,
    "validation": string,
    "schema_collection": _string_or_null,
}


def message_type_from(value: Any) -> MessageType:
    return MessageType(**fields(value, _MESSAGE_TYPE, ("name",)))


_CONTRACT_MESSAGE: Mapping[str, Decoder] = {"message_type": string, "sent_by": string}
_CONTRACT: Mapping[str, Decoder] = {
    "name": string,
    "messages": array_of(lambda v: ContractMessage(**fields(v, _CONTRACT_MESSAGE, ("message_type", "sent_by")))),
}


def contract_from(value: Any) -> Contract:
    return Contract(**fields(value, _CONTRACT, ("name",)))


_PRIORITY: Mapping[str, Decoder] = {
    "name": string,
    "contract_name": _string_or_null,
    "local_service_name": _string_or_null,
    "remote_service_name": _string_or_null,
    "priority_level": integer,
}


def priority_from(value: Any) -> Priority:
    return Priority(**fields(value, _PRIORITY, ("name",)))


_BINDING: Mapping[str, Decoder] = {
    "name": string,
    "remote_service_name": string,
    "user": _string_or_null,
    "anonymous": boolean,
}


def remote_service_binding_from(value: Any) -> RemoteServiceBinding:
    return RemoteServiceBinding(**fields(value, _BINDING, ("name", "remote_service_name")))


_MISSING: Mapping[str, Decoder] = {
    "statement": _string_or_null,
    "database": _string_or_null,
    "object": _string_or_null,
    "file": _string_or_null,
    "line": or_null(integer),
}


def missing_statement_from(value: Any) -> MissingStatement:
    """A statement of a script that the estate lacks."""
    return MissingStatement(**fields(value, _MISSING, ()))


_ENDPOINT: Mapping[str, Decoder] = {
    "port": integer,
    "state": string,
    "encryption": string,
    "authentication": string,
    "forward_size": integer,
}


def endpoint_from(value: Any) -> BrokerEndpoint:
    return BrokerEndpoint(**fields(value, _ENDPOINT, ("port",)))
