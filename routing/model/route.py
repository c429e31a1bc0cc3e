"""A route: one row of `sys.routes`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from routing.common.errors import Invalid
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.model.address import LOCAL, Address


@dataclass(frozen=True, slots=True)
class Route:
    """A row of `sys.routes`, with the names of its columns; None stands for NULL."""

    name: str
    remote_service_name: str | None
    """The target service, compared byte by byte; None: the route gives no service name."""
    broker_instance: str | None
    """The identifier of the target database, lower case; None: the route gives none."""
    lifetime: datetime | None
    """UTC; the route is expired at and after this time (RT-TABLE). None: it never expires."""
    address: Address
    mirror_address: Address | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        if self.remote_service_name is not None:
            check_name(self.remote_service_name, "remote_service_name", SERVICE_NAME_CHARS)
        if self.mirror_address is not None:
            if not self.address.is_network:
                problem = say(
                    "stands beside the address {address}; only a tcp: address has a mirror",
                    address=self.address.key,
                )
                raise Invalid("mirror_address", problem)
            if not self.mirror_address.is_network:
                raise Invalid(
                    "mirror_address", say("must be tcp://HOST[:PORT], not {got}", got=self.mirror_address.key)
                )

    def expired(self, at: datetime) -> bool:
        """RT-TABLE: a route is ignored at and after the end of its lifetime."""
        return self.lifetime is not None and at >= self.lifetime

    @property
    def same_as(self) -> tuple[str | None, str | None, str, str | None]:
        """CHOOSE-0: routes with the same identifier, service name and network address are identical."""
        mirror = self.mirror_address.key if self.mirror_address else None
        return self.broker_instance, self.remote_service_name, self.address.key, mirror


AUTO_CREATED_LOCAL = Route("AutoCreatedLocal", None, None, None, Address(LOCAL, LOCAL))
"""The route that SQL Server creates in every new database, except master and tempdb."""
