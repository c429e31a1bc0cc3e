"""`queues/`: queues with their activation."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from brokerui.api.bodies import owner_database, owner_instance, row_id
from brokerui.api.fields import NameField, StrictBooleanField, StrictIntegerField
from brokerui.api.ids import Key
from brokerui.api.listing import RowListing, row_as_json, same
from brokerui.api.resource import Resource
from brokerui.api.rows import EstateRow, find_database, find_queue, queue_rows
from brokerui.api.serializers import StrictSerializer
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.model.catalog_objects import QUEUE_NAME_CHARS, Activation, Queue
from routing.model.edits import PutDatabase
from routing.model.estate import Database, Edit, Estate


class ActivationSerializer(StrictSerializer):
    """ACTIVATION of a queue."""

    procedure = NameField(max_length=776)
    max_readers = StrictIntegerField(min_value=0, max_value=32_767, required=False)
    enabled = StrictBooleanField(required=False)

    def validate(self, attrs: Any) -> Any:
        return Activation(**attrs)


class QueueSerializer(StrictSerializer):
    """A row of sys.service_queues."""

    id = row_id()
    instance = owner_instance()
    database = owner_database()
    name = NameField(max_length=QUEUE_NAME_CHARS, help_text=_("schema.name. Cannot be changed."))
    enabled = StrictBooleanField(required=False)
    retention = StrictBooleanField(required=False)
    poison_handling = StrictBooleanField(required=False)
    activation = ActivationSerializer(required=False, allow_null=True)


def _as_json(row: EstateRow) -> dict[str, Any]:
    return row_as_json(("instance", "database", "name"), row, asdict(row.value))


def _put(estate: Estate, key: Key, queue: Queue) -> Edit:
    """Keep the place of a queue that is replaced; add a new one after the others."""
    others = {one.name: one for one in _database(estate, key).queues}
    return _with_queues(estate, key, tuple({**others, queue.name: queue}.values()))


def _drop(estate: Estate, key: Key) -> Edit:
    return _with_queues(estate, key, tuple(one for one in _database(estate, key).queues if one.name != key[2]))


def _with_queues(estate: Estate, key: Key, queues: tuple[Queue, ...]) -> Edit:
    return PutDatabase(key[0], replace(_database(estate, key), queues=queues))


def _database(estate: Estate, key: Key) -> Database:
    if key[0] not in estate.instances:
        raise Invalid("instance", say('there is no instance "{name}"', name=key[0]))
    found = find_database(estate, key)
    if found is None:
        raise Invalid("database", say('there is no database "{name}"', name=key[1]))
    return found


QUEUES = Resource(
    listing=RowListing(
        name="queues",
        title=_("Queues"),
        keys=("instance", "database", "name"),
        rows=queue_rows,
        as_json=_as_json,
        filters=(
            same(
                "name",
                NameField(max_length=QUEUE_NAME_CHARS, help_text=_("Queues of this name, schema.name.")),
                lambda queue: queue.name,
            ),
            same(
                "enabled", StrictBooleanField(help_text=_("Queues that are on, or off.")), lambda queue: queue.enabled
            ),
        ),
        orders={"name": lambda queue: queue.name},
    ),
    singular="queue",
    serializer=QueueSerializer,
    make=Queue,
    find=find_queue,
    put=_put,
    drop=_drop,
    example={"instance": "host1", "database": "Orders", "name": "dbo.ShipQueue", "enabled": True},
)
