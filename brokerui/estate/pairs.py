"""Which databases mirror each other: two of different instances that agree in name and identifier, in both roles."""

from __future__ import annotations

from routing.model.estate import MIRROR, PRINCIPAL, Estate

Place = tuple[str, str]


def mirrored_pairs(estate: Estate) -> dict[Place, Place]:
    """The partner of each database that has exactly one, by instance and name."""
    alike: dict[tuple[str, str], list[tuple[str | None, Place]]] = {}
    for instance in estate.instances.values():
        for database in instance.databases.values():
            if database.mirroring_role is not None and database.broker_instance is not None:
                place = instance.name, database.name
                alike.setdefault((database.name, database.broker_instance), []).append((database.mirroring_role, place))
    partners: dict[Place, Place] = {}
    for group in alike.values():
        if len(group) == 2 and {role for role, _ in group} == {PRINCIPAL, MIRROR}:
            (_, one), (_, other) = group
            partners[one], partners[other] = other, one
    return partners
