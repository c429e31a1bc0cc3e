"""Groups of instances, and the users who have their role, or a lower one, for the instances of their groups alone.

Every user sees all instances. Acts and changes ask `brokerui.core.instance_limit`, whose limit a request sets here: the
instances for which the user's role includes what the request takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db import transaction

from brokerui.accounts.levels import Level, Permission, Role
from brokerui.accounts.models import GroupedInstance, InstanceGroup, RoleGroup
from brokerui.core.instance_limit import Limit
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser, AnonymousUser

ALL = "all instances"
"""In the audit: the role of the user holds for every one."""


class GroupNameTakenError(Exception):
    """Another group has the name."""


class GroupInUseError(Exception):
    """Users have their role for the group: without it, they would have it for all instances."""

    def __init__(self, users: Collection[str]) -> None:
        super().__init__(users)
        self.users = tuple(users)


def limit_of(user: AbstractUser | AnonymousUser, permission: Permission) -> Limit:
    """Return the instances for which a user has a role that includes this permission; None: all of them."""
    rows = list(RoleGroup.objects.filter(user__username=user.get_username()).values_list("group_id", "role"))
    if not rows:
        return None
    groups = [group for group, role in rows if _includes(role, permission)]
    return frozenset(GroupedInstance.objects.filter(group_id__in=groups).values_list("instance", flat=True))


def _includes(role: str, permission: Permission) -> bool:
    """Whether the role for a group includes the permission. Where it is that of the user, nothing more is asked."""
    return not role or (role in tuple(Role) and Role(role).includes(permission))


def limit_of_name(name: str, permission: Permission = Level.EDIT) -> Limit:
    """The same for the user of this name, in whose name a worker writes; None where there is no such user."""
    user = User.objects.filter(username=name).only("id").first()
    return limit_of(user, permission) if user is not None else None


def groups_of(user: User) -> dict[InstanceGroup, Role | None]:
    """The groups for which a user has a role; None: the role of the user. Empty: all instances."""
    rows = RoleGroup.objects.filter(user=user).select_related("group")
    return {row.group: Role(row.role) if row.role in tuple(Role) else None for row in rows}


def role_words(rows: Iterable[tuple[str, str]]) -> str:
    """Write groups, each a name with a role, as `north, south: viewer`; empty where there are none."""
    return ", ".join(f"{name}: {role}" if role else name for name, role in sorted(rows))


def _names(groups: Mapping[InstanceGroup, Role | None]) -> str:
    return role_words((group.name, role or "") for group, role in groups.items()) or ALL


def _values(group: InstanceGroup | None) -> dict[str, str] | None:
    if group is None:
        return None
    return {"name": group.name, "instances": ", ".join(group.instances.values_list("instance", flat=True))}


@transaction.atomic
def group_save(
    *, name: str, instances: Collection[str], group: InstanceGroup | None = None, author: str
) -> InstanceGroup:
    """Create a group, or give one this name and these instances. Raises `GroupNameTakenError`."""
    others = InstanceGroup.objects.exclude(pk=group.pk) if group is not None else InstanceGroup.objects.all()
    if others.filter(name=name).exists():
        raise GroupNameTakenError
    before, group = _values(group), group or InstanceGroup()
    group.name = name
    group.save()
    group.instances.all().delete()
    GroupedInstance.objects.bulk_create(GroupedInstance(group=group, instance=one) for one in sorted(set(instances)))
    action = "instance_group.create" if before is None else "instance_group.change"
    note = f"{name}: {', '.join(sorted(set(instances))) or 'no instance'}"
    audit(author=author, action=action, note=note, changes=changes_of(before, _values(group)))
    return group


@transaction.atomic
def group_delete(*, group: InstanceGroup, author: str) -> None:
    """Delete a group for which nobody has a role. Raises `GroupInUseError`."""
    users = list(User.objects.filter(role_groups__group=group).values_list("username", flat=True))
    if users:
        raise GroupInUseError(users)
    audit(author=author, action="instance_group.delete", note=group.name, changes=changes_of(_values(group), None))
    group.delete()


@transaction.atomic
def user_groups_set(*, user: User, groups: Mapping[InstanceGroup, Role | None], author: str) -> None:
    """Let a user have these roles for the instances of these groups, None: the role of the user; without any group, the
    role of the user for all instances. A role that is more than the user's gives no more than that."""
    was, names = _names(groups_of(user)), _names(groups)
    if was == names:
        return
    RoleGroup.objects.filter(user=user).delete()
    RoleGroup.objects.bulk_create(RoleGroup(user=user, group=group, role=role or "") for group, role in groups.items())
    changes = changes_of({"instances": was}, {"instances": names})
    audit(author=author, action="user.instances", note=f"{user.username}: {names}", changes=changes)
