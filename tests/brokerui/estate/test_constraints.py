"""Rules that no code can write past: the database itself holds them, SQLite as PostgreSQL."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from brokerui.estate import models

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
ENDPOINT = {
    "endpoint_port": 4022,
    "endpoint_state": "STARTED",
    "endpoint_encryption": "REQUIRED",
    "endpoint_authentication": "WINDOWS",
    "endpoint_forward_size": 10,
}
ACTIVATION = {"activation_procedure": "dbo.p", "activation_max_readers": 1, "activation_enabled": True}
TCP = {"address": "tcp://a", "address_key": "tcp://a:4022"}
GUID = uuid.UUID(int=7)


class World:
    """Two instances with two databases each; rows are made without any check but the database's own."""

    def __init__(self) -> None:
        self.one = self.insert(models.Instance, name="one", position=0)
        self.two = self.insert(models.Instance, name="two", position=1)
        self.a = self.insert(models.Database, instance=self.one, name="A", position=0)
        self.b = self.insert(models.Database, instance=self.one, name="B", position=1)
        self.c = self.insert(models.Database, instance=self.two, name="A", position=0)

    def insert(self, model: type[Any], **columns: Any) -> Any:
        with transaction.atomic():
            return model.objects.create(**columns)

    def member(self, model: type[Any], **columns: Any) -> Any:
        """Something in a database; a route that leads nowhere far unless it says otherwise."""
        needed = {"database": self.a, "name": "x", "position": 0}
        if model is models.Route:
            needed |= {"address": "LOCAL", "address_key": "LOCAL"}
        if model is models.RemoteServiceBinding:
            needed |= {"remote_service_name": "S"}
        return self.insert(model, **{**needed, **columns})

    def refuses(self, model: type[Any], **columns: Any) -> None:
        make = self.member if "database" in {field.name for field in model._meta.fields} else self.insert
        with pytest.raises(IntegrityError):
            make(model, **columns)


@pytest.fixture
def world() -> World:
    return World()


MEMBERS = (
    models.Service,
    models.Queue,
    models.Contract,
    models.MessageType,
    models.Priority,
    models.RemoteServiceBinding,
    models.Route,
)


@pytest.mark.parametrize("model", MEMBERS)
def test_a_name_stands_once_in_a_database_and_counts_byte_by_byte(world: World, model: type[Any]) -> None:
    for name in ("x", "X", "x ", "é", "e\u0301", "\uff58"):
        world.member(model, name=name)
        assert model.objects.filter(name=name).count() == 1
    world.refuses(model, name="x")
    world.member(model, name="x", database=world.c)


@pytest.mark.parametrize("model", MEMBERS)
def test_a_name_has_its_length(world: World, model: type[Any]) -> None:
    limit = model._meta.get_field("name").max_length
    world.member(model, name="路" * limit)
    world.refuses(model, name="")
    # SQLite by the constraint, PostgreSQL by the type of the column.
    with pytest.raises(DatabaseError):
        world.member(model, name="n" * (limit + 1))


def test_instances_and_databases_have_names_of_their_own(world: World) -> None:
    world.insert(models.Instance, name="ONE", position=0)
    world.refuses(models.Instance, name="one", position=0)
    world.refuses(models.Instance, name="", position=0)
    world.insert(models.Database, instance=world.one, name="a", position=0)
    world.refuses(models.Database, instance=world.one, name="A", position=0)


def test_an_identifier_is_on_one_enabled_database_of_an_instance(world: World) -> None:
    models.Database.objects.filter(id=world.a.id).update(broker_instance=GUID)
    world.refuses(models.Database, instance=world.one, name="C", position=0, broker_instance=GUID)
    world.insert(models.Database, instance=world.one, name="D", position=0, broker_instance=GUID, broker_enabled=False)
    world.insert(models.Database, instance=world.two, name="D", position=0, broker_instance=GUID)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Database.objects.filter(name="D", instance=world.one).update(broker_enabled=True)


def test_a_role_is_one_of_two_and_a_partner_is_another_and_nobody_elses(world: World) -> None:
    world.refuses(models.Database, instance=world.one, name="E", position=0, mirroring_role="WITNESS")
    models.Database.objects.filter(id=world.a.id).update(partner=world.c)
    for row, partner in ((world.b, world.c), (world.b, world.b)):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Database.objects.filter(id=row.id).update(partner=partner)


def test_an_endpoint_is_whole_and_its_values_are_the_products(world: World) -> None:
    world.insert(models.Instance, name="whole", position=0, **ENDPOINT)
    wrong = [{key: None} for key in ENDPOINT]
    wrong += [{"endpoint_port": 0}, {"endpoint_port": 65_536}, {"endpoint_state": "UP"}, {"endpoint_encryption": "ON"}]
    for columns in wrong:
        world.refuses(models.Instance, name="wrong", position=0, **{**ENDPOINT, **columns})


def test_an_address_leads_to_one_instance(world: World) -> None:
    address = {"text": "tcp://A", "key": "tcp://a:4022"}
    world.insert(models.InstanceAddress, instance=world.one, position=0, **address)
    world.insert(models.InstanceAddress, instance=world.one, position=1, repeated=True, **address)
    world.refuses(models.InstanceAddress, instance=world.two, position=0, **address)
    world.refuses(models.InstanceAddress, instance=world.one, position=0, text="tcp://b", key="tcp://b:4022")
    world.refuses(models.InstanceAddress, instance=world.two, position=0, text="LOCAL", key="LOCAL")


@pytest.mark.parametrize(
    "columns",
    [
        {"address_key": "ftp://a:21"},
        {"mirror_address": "tcp://b", "mirror_key": "tcp://b:4022"},
        {"address": "T", "address_key": "TRANSPORT", "mirror_address": "tcp://b", "mirror_key": "tcp://b:4022"},
        {**TCP, "mirror_address": "LOCAL", "mirror_key": "LOCAL"},
        {**TCP, "mirror_address": "tcp://b"},
        {**TCP, "mirror_key": "tcp://b:4022"},
        {"remote_service_name": ""},
    ],
)
def test_a_route_that_the_product_has_not_is_refused(world: World, columns: dict[str, Any]) -> None:
    world.refuses(models.Route, **columns)


def test_only_a_network_address_has_a_mirror(world: World) -> None:
    world.member(models.Route, **TCP, mirror_address="tcp://b", mirror_key="tcp://b:4022")


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (models.Queue, {**ACTIVATION, "activation_max_readers": 32_768}),
        (models.Queue, {**ACTIVATION, "activation_enabled": None}),
        (models.Queue, {"activation_enabled": True}),
        (models.MessageType, {"validation": "XML"}),
        (models.Priority, {"priority_level": 0}),
        (models.Priority, {"priority_level": 11}),
        (models.RemoteServiceBinding, {"remote_service_name": ""}),
        (models.Service, {"queue": ""}),
    ],
)
def test_a_value_that_the_product_has_not_is_refused(world: World, model: type[Any], columns: dict[str, Any]) -> None:
    world.refuses(model, **columns)


def test_who_may_send_is_one_of_three(world: World) -> None:
    contract = world.member(models.Contract)
    world.insert(models.ContractMessage, contract=contract, position=0, message_type="M", sent_by="ANY")
    world.refuses(models.ContractMessage, contract=contract, position=1, message_type="M", sent_by="ALL")
    world.refuses(models.ContractMessage, contract=contract, position=0, message_type="N", sent_by="ANY")


def version(**columns: Any) -> dict[str, Any]:
    given = {"number": 1, "created_at": timezone.now(), "kind": "import", "author": "a", "checkpoint": 1, "weight": 0}
    counts = {"added": 0, "changed": 0, "removed": 0}
    return {**given, **counts, "document": b"d", "digest": "0" * 64, **columns}


@pytest.mark.parametrize(
    "columns",
    [
        {"number": 0, "checkpoint": 0},
        {"kind": "wish"},
        {"document": None},
        {"document": None, "edits": b"e"},
        {"number": 2, "checkpoint": 1},
        {"number": 2, "checkpoint": 3, "document": None, "edits": b"e"},
    ],
)
def test_a_version_can_always_be_rebuilt(world: World, columns: dict[str, Any]) -> None:
    world.refuses(models.Version, **version(**columns))


def test_a_version_stands_once(world: World) -> None:
    world.insert(models.Version, **version())
    world.refuses(models.Version, **version())
    world.insert(models.Version, **version(number=2, document=None, edits=b"e"))


def test_there_is_one_live_estate(world: World) -> None:
    world.insert(models.Live, id=1)
    world.refuses(models.Live, id=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Live.objects.update(hop_limit=256)


def test_a_row_needs_the_one_above(world: World) -> None:
    def insert_orphan() -> None:
        with transaction.atomic():
            world.member(models.Route, database=models.Database(id=999_999))
            connection.check_constraints()

    with pytest.raises(IntegrityError):
        insert_orphan()
