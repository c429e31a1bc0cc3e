"""Places of an estate, and rows of its database, that the addresses of the site name."""

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.contrib.auth.models import User

from brokerui.accounts.models import InstanceGroup
from brokerui.analysis.imports.models import ImportRun, ImportState
from routing.lint.registry import CHECKS
from routing.model.estate import Estate

TABLES = (
    "instance",
    "database",
    "route",
    "service",
    "queue",
    "contract",
    "messagetype",
    "priority",
    "remoteservicebinding",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A database of the estate with a route to a service that is there."""

    instance: str
    database: str
    route: str
    service: str
    identifier: str
    """Of its database."""
    own_service: str
    """A service of this database, and a queue."""
    queue: str

    @property
    def origin(self) -> str:
        """As *Where does it go?* writes it."""
        return f"{self.instance}/{self.database}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Keys of rows in the database."""

    tables: dict[str, int]
    """By name of the model."""
    user: int
    instance_group: int
    run: int
    """An import that has a preview."""
    codes: tuple[str, ...]
    """Of findings, some."""


def rows_there() -> Rows:
    """Those of the database as it is."""
    kinds = {model.__name__.lower(): model for model in apps.get_app_config("estate").get_models()}
    tables = {name: kinds[name]._default_manager.order_by("id").values_list("id", flat=True)[0] for name in TABLES}
    run = ImportRun.objects.filter(state=ImportState.PREVIEWED).latest("id")
    return Rows(
        tables, User.objects.order_by("id")[0].pk, _instance_group(), run.pk, tuple(check.code for check in CHECKS[::5])
    )


def _instance_group() -> int:
    """The first group of instances; made where there is none yet."""
    return InstanceGroup.objects.get_or_create(name="measured")[0].pk


def place_in(estate: Estate) -> Place:
    """The first that there is."""
    databases = [(name, one) for name, instance in estate.instances.items() for one in instance.databases.values()]
    homes = {service.name: one.broker_instance for _, one in databases for service in one.services}
    for instance, one in databases:
        for route in one.table.routes.values() if one.services and one.queues else ():
            service = route.remote_service_name
            if service is not None and service in homes:
                own, queue = one.services[0].name, one.queues[0].name
                return Place(instance, one.name, route.name, service, homes[service] or "", own, queue)
    raise ValueError("no database of this estate has a service, a queue, and a route to a service that is there")
