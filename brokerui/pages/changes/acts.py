"""Acts of a panel: edits that a button adds to a draft, and that everybody may try out first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.estate.refs import DATABASE, INSTANCE, ROUTE, Ref
from routing.documents.edits_json import edits_as_json
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    SetBroker,
    SetForwarding,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import MIRROR, PRINCIPAL, Database, Edit, Estate, Instance


@dataclass(frozen=True, slots=True)
class Act:
    """A button with the edits that it adds."""

    label: Promise | str
    edits: Sequence[Edit]
    about: str = ""
    """The thing that it is about, where several buttons have the same label."""
    is_drop: bool = False

    @property
    def edits_json(self) -> str:
        return json.dumps(edits_as_json(self.edits))


@dataclass(frozen=True, slots=True)
class Switch:
    """A state with the acts that change it."""

    label: Promise | str
    state: Promise | str
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Acts:
    """The switches of a selected thing, and the act that drops it."""

    switches: tuple[Switch, ...] = ()
    services: tuple[Act, ...] = ()
    """One for each service that can be dropped."""
    drop: Act | None = None


ON, OFF = _("on"), _("off")
TURN_ON, TURN_OFF = _("Switch on"), _("Switch off")


def acts_of(estate: Estate, ref: Ref) -> Acts | None:
    """Return the acts for a selected thing of a draft; None: it has none, or is not there."""
    instance = estate.instances.get(ref.names[0]) if ref.names else None
    if instance is None or ref.kind not in (INSTANCE, DATABASE, ROUTE):
        return None
    if ref.kind == INSTANCE:
        return _of_instance(instance)
    database = instance.databases.get(ref.names[1])
    if database is None:
        return None
    return _of_database(instance, database) if ref.kind == DATABASE else Acts(drop=_drop(DropRoute(*ref.names), ref))


def _of_instance(instance: Instance) -> Acts:
    switch = Switch(
        _("Message forwarding"),
        ON if instance.forwarding else OFF,
        (_turn(SetForwarding(instance.name, not instance.forwarding), is_on=not instance.forwarding),),
    )
    return Acts((switch,), drop=Act(_("Drop instance"), (DropInstance(instance.name),), is_drop=True))


def _of_database(instance: Instance, database: Database) -> Acts:
    place = instance.name, database.name
    services = tuple(
        Act(_("Drop"), (DropService(*place, service.name),), service.name, is_drop=True)
        for service in database.user_services
    )
    return Acts(
        tuple(_switches(instance, database)),
        services,
        Act(_("Drop database"), (DropDatabase(*place),), is_drop=True),
    )


def _switches(instance: Instance, database: Database) -> Iterator[Switch]:
    place, enabled = (instance.name, database.name), database.broker_enabled
    yield Switch(_("Broker"), ON if enabled else OFF, (_turn(SetBroker(*place, not enabled), is_on=not enabled),))
    roles = ((PRINCIPAL, _("Principal")), (MIRROR, _("Mirror")), (None, _("Not mirrored")))
    others = (Act(label, (SetMirroringRole(*place, role),)) for role, label in roles if role != database.mirroring_role)
    state = next(label for role, label in roles if role == database.mirroring_role)
    yield Switch(_("Mirroring"), state, tuple(others))
    for queue in database.queues:
        edit = SetQueue(*place, queue.name, not queue.enabled)
        yield Switch(
            queue.name, ON if queue.enabled else OFF, (_turn(edit, is_on=not queue.enabled, about=queue.name),)
        )


def _turn(edit: Edit, *, is_on: bool, about: str = "") -> Act:
    return Act(TURN_ON if is_on else TURN_OFF, (edit,), about)


def _drop(edit: Edit, ref: Ref) -> Act:
    return Act(_("Drop route"), (edit,), ref.name, is_drop=True)
