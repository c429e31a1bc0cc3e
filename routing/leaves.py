"""The small objects of an estate document, each from a JSON value that was parsed already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from routing.address import parse_address
from routing.errors import Invalid, must_be
from routing.identifier import parse_identifier
from routing.moment import parse_moment
from routing.parts import (
    Activation,
    Contract,
    ContractMessage,
    Endpoint,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.route import Route
from routing.sentence import say

_T = TypeVar("_T")
Convert = Callable[[Any], Any]


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
    """The converter that lets a null through."""
    return lambda value: None if value is None else convert(value)


def array_of(convert: Callable[[Any], _T]) -> Callable[[Any], tuple[_T, ...]]:
    """The converter of a small array."""

    def converted(value: Any) -> tuple[_T, ...]:
        if type(value) is not list:
            raise Invalid("", must_be(say("an array"), value))
        return tuple(_below(f"[{index}]", convert, element) for index, element in enumerate(value))

    return converted


def fields(value: Any, converters: Mapping[str, Convert], required: tuple[str, ...]) -> dict[str, Any]:
    """The members of an object, each converted. Unknown keys and missing ones are errors."""
    if type(value) is not dict:
        raise Invalid("", must_be(say("an object"), value))
    if not converters.keys() >= value.keys():
        unknown = next(key for key in value if key not in converters)
        raise Invalid(
            "",
            say('has the unknown key "{key}"; known are {known}', key=unknown[:80], known=tuple(converters)),
        )
    for key in required:
        if key not in value:
            raise Invalid(key, say("is missing"))
    return {key: _below(key, converters[key], member) for key, member in value.items()}


def _below(path: str, convert: Callable[[Any], _T], value: Any) -> _T:
    try:
        return convert(value)
    except Invalid as fault:
        raise fault.below(path) from None


_ROUTE: Mapping[str, Convert] = {
    "name": string,
    "remote_service_name": or_null(string),
    "broker_instance": or_null(lambda value: parse_identifier(string(value))),
    "lifetime": or_null(lambda value: parse_moment(string(value))),
    "address": lambda value: parse_address(string(value)),
    "mirror_address": or_null(lambda value: parse_address(string(value))),
}
_ROUTE_DEFAULTS: Mapping[str, Any] = dict.fromkeys(_ROUTE)


def route_from(value: Any) -> Route:
    """A row of `sys.routes`."""
    return Route(**{**_ROUTE_DEFAULTS, **fields(value, _ROUTE, ("name", "address"))})


_SERVICE: Mapping[str, Convert] = {"name": string, "queue": or_null(string), "contracts": array_of(string)}


def service_from(value: Any) -> Service:
    """A name, or an object with its queue and contracts."""
    if type(value) is str:
        return Service(value)
    return Service(**fields(value, _SERVICE, ("name",)))


_ACTIVATION: Mapping[str, Convert] = {"procedure": string, "max_readers": integer, "enabled": boolean}
_QUEUE: Mapping[str, Convert] = {
    "name": string,
    "enabled": boolean,
    "retention": boolean,
    "poison_handling": boolean,
    "activation": or_null(lambda value: Activation(**fields(value, _ACTIVATION, ("procedure",)))),
}


def queue_from(value: Any) -> Queue:
    return Queue(**fields(value, _QUEUE, ("name",)))


_MESSAGE_TYPE: Mapping[str, Convert] = {
    "name": string,
    "validation": string,
    "schema_collection": or_null(string),
}


def message_type_from(value: Any) -> MessageType:
    return MessageType(**fields(value, _MESSAGE_TYPE, ("name",)))


_CONTRACT_MESSAGE: Mapping[str, Convert] = {"message_type": string, "sent_by": string}
_CONTRACT: Mapping[str, Convert] = {
    "name": string,
    "messages": array_of(lambda v: ContractMessage(**fields(v, _CONTRACT_MESSAGE, ("message_type", "sent_by")))),
}


def contract_from(value: Any) -> Contract:
    return Contract(**fields(value, _CONTRACT, ("name",)))


_PRIORITY: Mapping[str, Convert] = {
    "name": string,
    "contract_name": or_null(string),
    "local_service_name": or_null(string),
    "remote_service_name": or_null(string),
    "priority_level": integer,
}


def priority_from(value: Any) -> Priority:
    return Priority(**fields(value, _PRIORITY, ("name",)))


_BINDING: Mapping[str, Convert] = {
    "name": string,
    "remote_service_name": string,
    "user": or_null(string),
    "anonymous": boolean,
}


def remote_service_binding_from(value: Any) -> RemoteServiceBinding:
    return RemoteServiceBinding(**fields(value, _BINDING, ("name", "remote_service_name")))


_ENDPOINT: Mapping[str, Convert] = {
    "port": integer,
    "state": string,
    "encryption": string,
    "authentication": string,
    "forward_size": integer,
}


def endpoint_from(value: Any) -> Endpoint:
    return Endpoint(**fields(value, _ENDPOINT, ("port",)))
