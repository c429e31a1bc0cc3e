"""Where statements act: an instance and the current database of a connection; and what acts on them as wholes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from routing.estate import MIRROR, PRINCIPAL
from routing.parts import Endpoint
from routing.sentence import say
from routing.tsql.draft import SYSTEM_DATABASES, Draft, DraftDatabase, DraftInstance, new_database
from routing.tsql.objects import apply_to_database
from routing.tsql.refusal import (
    NO_USE,
    ROLE_UNKNOWN,
    VALUE_NOT_LITERAL,
    NotApplied,
    already_exists,
    not_found,
    not_understood,
    refused,
)
from routing.tsql.servers import (
    ATTACHED,
    BROKER,
    CURRENT,
    NEW_NAME,
    PARTNER,
    PAYLOAD,
    SNAPSHOT,
    WITNESS,
)
from routing.tsql.statement import CREATE, DATABASE, DROP, ENDPOINT, QUEUE, USE, Statement

PORTS = range(1024, 32_768)
DEFAULT_ENDPOINT = "ServiceBrokerEndpoint"
"""The name that an exported endpoint gets; documents hold none."""
MASTER = "master"
"""Where a connection begins, unless its login says otherwise."""
_ONLY_ON_PRINCIPAL = frozenset(("SAFETY", "TIMEOUT"))
"""Of `SET PARTNER`: the product takes these from the principal alone."""


@dataclass(slots=True)
class Session:
    """One connection. A new one is in master, and nobody said so."""

    draft: Draft
    instance: DraftInstance
    at: datetime
    database: DraftDatabase | None
    """None: a USE named one that could not be read."""
    told: bool = False
    """Whether a USE, or the lack of one, was spoken of."""

    def apply(self, statement: Statement) -> NotApplied | None:
        """Raises `NotApplied`, having changed nothing. Gives back what is to be said of what was applied."""
        if statement.kind == DATABASE:
            return self._database(statement)
        if statement.kind == ENDPOINT:
            _apply_endpoint(self.instance, statement)
            return None
        database = self._target(statement)
        apply_to_database(database, statement, self.at)
        if self.told or database is not self.database:
            return None
        self.told = True
        return NotApplied(NO_USE, say("no USE stands before it; it was applied to master, where connections begin"))

    def _target(self, statement: Statement) -> DraftDatabase:
        if statement.kind == QUEUE and len(statement.name) == 3 and statement.name[0]:
            return self.instance.database(statement.name[0])
        if self.database is None:
            raise NotApplied(VALUE_NOT_LITERAL, say("the database of the last USE could not be read"))
        return self.database

    def connect(self, instance: DraftInstance, *, said: bool) -> None:
        """Another connection; `said`: which database it is in is not left open."""
        self.instance = instance
        self.database = instance.database(MASTER)
        self.told = said

    def use(self, database: DraftDatabase | None) -> None:
        self.database = database
        self.told = True

    def _database(self, statement: Statement) -> NotApplied | None:
        name = statement.name[0]
        if statement.verb == USE:
            self.use(self.instance.database(name))
        elif statement.verb == CREATE:
            _create_database(self.instance, statement)
        elif statement.verb == DROP:
            self._drop_databases(statement)
        else:
            return self._alter_database(statement)
        return None

    def _drop_databases(self, statement: Statement) -> None:
        names = statement.clauses["NAMES"]
        found = [self.instance.databases.find(name) for name in names]
        for name, database in zip(names, found, strict=True):
            if name.casefold() in SYSTEM_DATABASES:
                raise refused(3708, say('"{name}" is a system database', name=name))
            if database is None and not statement.clauses["IF EXISTS"]:
                raise not_found(DATABASE, name)
            if database is not None and database is self.database:
                raise refused(3702, say('the database "{name}" is in use', name=name))
        for database in found:
            if database is not None and database.name in self.instance.databases:
                self.instance.databases.drop(database.name)

    def _alter_database(self, statement: Statement) -> NotApplied | None:
        database = self.database if statement.name[0].upper() == CURRENT else self.instance.database(statement.name[0])
        if database is None:
            raise NotApplied(VALUE_NOT_LITERAL, say("the database of the last USE could not be read"))
        clauses = statement.clauses
        if BROKER in clauses:
            _set_broker(self.instance, database, clauses[BROKER])
        if NEW_NAME in clauses:
            _rename(self.instance, database, clauses[NEW_NAME])
        return _set_mirroring(database, clauses)


# ---------------------------------------------------------------- databases


def _create_database(instance: DraftInstance, statement: Statement) -> None:
    name, clauses = statement.name[0], statement.clauses
    if SNAPSHOT in clauses:
        return  # a copy to read, without a broker
    if instance.databases.find(name) is not None or name.casefold() in SYSTEM_DATABASES:
        raise already_exists(DATABASE, name)
    made = new_database(name)
    # An attached database keeps its broker as it was, switched off unless the statement says otherwise.
    made.broker_enabled = clauses.get(BROKER, "DISABLE_BROKER" if ATTACHED in clauses else "") != "DISABLE_BROKER"
    instance.databases.put(made)


def _set_broker(instance: DraftInstance, database: DraftDatabase, option: str) -> None:
    if option == "DISABLE_BROKER":
        database.broker_enabled = False
    elif option == "NEW_BROKER":
        database.broker_instance, database.broker_enabled = None, True
    else:
        check_identifier(instance, database, database.broker_instance)
        database.broker_enabled = True
    database.listed = True


def check_identifier(instance: DraftInstance, database: DraftDatabase, identifier: str | None) -> None:
    """Error 9772: two enabled brokers of one instance cannot share an identifier."""
    for other in instance.databases:
        same = identifier is not None and other.broker_instance == identifier
        if same and other is not database and other.broker_enabled and other.listed:
            problem = say('the database "{other}" has an enabled broker with the same identifier', other=other.name)
            raise refused(9772, problem)


def _rename(instance: DraftInstance, database: DraftDatabase, name: str) -> None:
    there = instance.databases.find(name)
    if there is not None and there is not database:
        raise already_exists(DATABASE, there.name)
    databases = list(instance.databases)
    for one in databases:
        instance.databases.drop(one.name)
    database.name = name
    for one in databases:
        instance.databases.put(one)


def _set_mirroring(database: DraftDatabase, clauses: Mapping[str, Any]) -> NotApplied | None:
    """What SET PARTNER tells of the role: the product takes some of its forms from one partner alone."""
    word = clauses.get(PARTNER)
    if word == "OFF":
        database.mirroring_role = None
    elif word == "FAILOVER":
        database.mirroring_role = MIRROR  # only the principal can give the role away
    elif word == "FORCE_SERVICE_ALLOW_DATA_LOSS" or word in _ONLY_ON_PRINCIPAL or clauses.get(WITNESS) == "=":
        database.mirroring_role = PRINCIPAL
    elif word == "=" and database.mirroring_role is None:
        problem = say('the database "{name}" is mirrored; the script does not say in which role', name=database.name)
        return NotApplied(ROLE_UNKNOWN, problem)
    return None


# ---------------------------------------------------------------- endpoints


def _apply_endpoint(instance: DraftInstance, statement: Statement) -> None:
    name = statement.name[0]
    if statement.verb == CREATE:
        _create_endpoint(instance, name, statement.clauses)
    elif not _is_broker_endpoint(instance, name, statement):
        if statement.verb == DROP:
            instance.other_endpoints.discard(name.casefold())
    elif statement.verb == DROP:
        instance.endpoint, instance.endpoint_name, instance.forwarding = None, None, False
    else:
        assert instance.endpoint is not None
        _set_endpoint(instance, statement.clauses, instance.endpoint)


def _is_broker_endpoint(instance: DraftInstance, name: str, statement: Statement) -> bool:
    """Whether a statement means the one of Service Broker; raises `NotApplied` for one that is not there."""
    if name.casefold() in instance.other_endpoints:
        return False
    known = instance.endpoint_name or DEFAULT_ENDPOINT
    payload = statement.clauses.get(PAYLOAD)
    # An instance has one endpoint of Service Broker; where its name is not known, the payload tells.
    means_it = known.casefold() == name.casefold() or (payload is not None and instance.endpoint_name is None)
    if instance.endpoint is None or not means_it:
        raise not_found(ENDPOINT, name)
    return True


def _create_endpoint(instance: DraftInstance, name: str, clauses: Mapping[str, Any]) -> None:
    if name.casefold() in instance.other_endpoints or name.casefold() == (instance.endpoint_name or "").casefold():
        raise already_exists(ENDPOINT, name)
    if clauses.get(PAYLOAD) is None:
        if PAYLOAD not in clauses:
            raise not_understood(say("FOR is missing"))
        instance.other_endpoints.add(name.casefold())
        return
    if instance.endpoint is not None:
        raise refused(7862, say("the instance has an endpoint of Service Broker already"))
    if "LISTENER_PORT" not in clauses.get("AS", {}):
        raise not_understood(say("LISTENER_PORT is missing"))
    _set_endpoint(instance, clauses, Endpoint(1024, state="STOPPED"))
    instance.endpoint_name = name


def _set_endpoint(instance: DraftInstance, clauses: Mapping[str, Any], before: Endpoint) -> None:
    options = clauses.get(PAYLOAD) or {}
    port = clauses.get("AS", {}).get("LISTENER_PORT", before.port)
    if port != before.port and port not in PORTS:
        raise refused(5837, say("the port of the endpoint is not {low} to {high}", low=PORTS[0], high=PORTS[-1]))
    size = options.get("MESSAGE_FORWARD_SIZE", before.forward_size)
    if size < 1 and "MESSAGE_FORWARD_SIZE" in options:
        raise refused(5839, say("MESSAGE_FORWARD_SIZE is not more than 0"))
    instance.endpoint = replace(
        before,
        port=port,
        state=clauses.get("STATE", before.state),
        encryption=options.get("ENCRYPTION", before.encryption),
        authentication=options.get("AUTHENTICATION", before.authentication),
        forward_size=size,
    )
    if "MESSAGE_FORWARDING" in options:
        instance.forwarding = options["MESSAGE_FORWARDING"] == "ENABLED"
