"""A role for a group of instances: each act on another instance is refused by its name, and nothing is written."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from brokerui.accounts.instance_groups import (
    GroupInUseError,
    group_delete,
    group_save,
    groups_of,
    limit_of,
    limit_of_name,
    user_groups_set,
)
from brokerui.accounts.levels import Level, Permission, Right, Role, may
from brokerui.accounts.models import InstanceGroup, RoleGroup
from brokerui.analysis.imports.models import ImportRun
from brokerui.core.instance_limit import InstanceForbiddenError, check_every, check_instances, limited_to
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from brokerui.pages.tables.row_kinds import KINDS
from tests.brokerui.security.addresses import ADDRESSES
from tests.brokerui.security.test_audit import WRITES
from tests.brokerui.security.world import FAR, HUB
from tests.brokerui.site import user_of

World = dict[str, Any]
ACTS = {
    *("demo:remove", "tables:estate_KIND_changelist", "tables:estate_KIND_add", "tables:estate_KIND_change"),
    *("tables:estate_KIND_delete", "api:KINDs", "api:KIND", "conversations:body", "api:dialog_body"),
    *("delayed:end", "delayed:end_all", "delayed:retry", "delayed:retry_all", "delayed:switch_on"),
    *("delayed:switch_on_all", "service_queues:switch_on", "api:dialogs_retry", "api:queues_status"),
    *("api:dialogs_end", "api:dialog_end", "changes:approve", "changes:apply", "api:change_approve"),
    *("api:change_apply", "alerts:silence_new", "alerts:silence_end", "api:alert_silences", "api:alert_silence"),
    *("api:collections", "api:collection", "servers:paste", "servers:delete"),
}
"""Addresses whose write in the tests of the audit is about an instance. An import is refused by its job, which the
worker runs in the name of its user; confirming and rolling back follow an apply, which is refused before."""


@pytest.fixture
def limited(world: World) -> User:
    """The administrator, whose role is for an instance that none of the writes is about."""
    user = user_of(Role.ADMINISTRATOR)
    group = group_save(name="elsewhere", instances=["elsewhere"], author="test")
    user_groups_set(user=user, groups={group: None}, author="test")
    return user


def test_every_act_is_told_of() -> None:
    assert WRITES.keys() >= ACTS


@pytest.mark.parametrize("name", sorted(ACTS))
def test_an_act_on_another_instance_is_refused_and_writes_nothing(
    client: Client, world: World, limited: User, name: str
) -> None:
    action, write = WRITES[name]
    version, entries = estate_current().version, AuditEntry.objects.filter(action=action).count()
    response = write(client, world)
    assert response.status_code == 403, response.content.decode()[:400]
    assert "our role is for some instances" in (text := response.content.decode()) or "no role for the instance" in text
    assert (estate_current().version, AuditEntry.objects.filter(action=action).count()) == (version, entries)


def test_an_import_that_replaces_another_instance_is_refused_by_its_job(
    client: Client, world: World, limited: User
) -> None:
    version = estate_current().version
    WRITES["imports:apply"][1](client, world)
    run = ImportRun.objects.order_by("-pk").first()
    assert run is not None
    assert (run.state, estate_current().version) == ("failed", version)
    assert "no role for the instance" in run.error


def test_the_limit_follows_the_groups_and_nobody_has_one_without(db: None) -> None:
    user = user_of(Role.EDITOR)
    assert limit_of(user, Level.EDIT) is None
    assert limit_of_name("nobody") is None
    one = group_save(name="one", instances=["a", "b", "a"], author="test")
    two = group_save(name="two", instances=[], author="test")
    user_groups_set(user=user, groups={two: None}, author="test")
    assert limit_of(user, Level.EDIT) == frozenset(), "a group without instances permits none"
    user_groups_set(user=user, groups={one: None, two: None}, author="test")
    assert limit_of_name(user.username) == {"a", "b"}
    with pytest.raises(GroupInUseError):
        group_delete(group=one, author="test")
    user_groups_set(user=user, groups={}, author="test")
    group_delete(group=one, author="test")
    assert (limit_of(user, Level.EDIT), list(InstanceGroup.objects.filter(name__in=["one", "two"]))) == (None, [two])
    notes = AuditEntry.objects.filter(action="user.instances").order_by("id").values_list("note", flat=True)
    assert [note.partition(": ")[2] for note in notes] == ["two", "one, two", "all instances"]


def test_a_user_has_a_role_of_its_own_for_each_group(db: None) -> None:
    user = user_of(Role.EDITOR)
    names = {"viewed": Role.VIEWER, "operated": Role.OPERATOR, "edited": None, "administered": Role.ADMINISTRATOR}
    roles = {group_save(name=name, instances=[name], author="test"): role for name, role in names.items()}
    user_groups_set(user=user, groups=roles, author="test")
    assert groups_of(user) == roles
    assert limit_of(user, Right.READ_BODIES) == limit_of(user, Level.VIEW) == names.keys()
    assert limit_of(user, Level.OPERATE) == {"operated", "edited", "administered"}
    assert limit_of(user, Level.EDIT) == limit_of_name(user.username) == {"edited", "administered"}
    assert not may(user, Level.ADMINISTER), "a group gives no more than the role of the user"
    note = AuditEntry.objects.filter(action="user.instances").latest("id").note
    assert note == "editor: administered: administrator, edited, operated: operator, viewed: viewer"


def test_a_role_that_is_unknown_includes_nothing(db: None) -> None:
    user = user_of(Role.EDITOR)
    user_groups_set(user=user, groups={group_save(name="a", instances=["a"], author="test"): None}, author="test")
    RoleGroup.objects.update(role="emperor")
    assert limit_of(user, Level.VIEW) == frozenset()


def level_of(name: str) -> Permission:
    """The permission that writing there takes, by the table of addresses."""
    names = {name.replace("KIND", kind) for kind in KINDS} | {name}
    [write] = {one.write for one in ADDRESSES if one.name in names}
    assert write is not None
    return write


TOO_LITTLE = [(name, role) for name in sorted(ACTS) for role in Role if not role.includes(level_of(name))]


@pytest.mark.parametrize(("name", "role"), TOO_LITTLE)
def test_an_act_takes_the_role_for_its_instances(client: Client, world: World, name: str, role: Role) -> None:
    """The site refuses an administrator whose role for every instance is lower than the act takes."""
    give(role)
    action, write = WRITES[name]
    version, entries = estate_current().version, AuditEntry.objects.filter(action=action).count()
    assert write(client, world).status_code == 403
    assert (estate_current().version, AuditEntry.objects.filter(action=action).count()) == (version, entries)


NEW = {
    *("demo:remove", "tables:estate_KIND_add", "api:KINDs", "alerts:silence_new", "alerts:silence_end"),
    *("api:alert_silences", "api:collections", "servers:paste"),
}
"""Acts on instances that no group has yet, or on all of them."""
ENOUGH = {name: next(role for role in Role if role.includes(level_of(name))) for name in sorted(ACTS - NEW)}


@pytest.mark.parametrize(("name", "role"), ENOUGH.items())
def test_an_act_is_permitted_by_the_lowest_role_that_includes_it(
    client: Client, world: World, name: str, role: Role
) -> None:
    give(role)
    assert WRITES[name][1](client, world).status_code != 403


def give(role: Role) -> None:
    """Give the administrator this role for all instances that there are."""
    names = [*estate_current().estate.instances, HUB, FAR]
    group = group_save(name="everything", instances=names, author="test")
    user_groups_set(user=user_of(Role.ADMINISTRATOR), groups={group: role}, author="test")


def test_a_refusal_names_the_instances() -> None:
    with limited_to(frozenset({"a"})):
        check_instances(["a"])
        with pytest.raises(InstanceForbiddenError, match="no role for the instance b:"):
            check_instances(["a", "b"])
        with pytest.raises(InstanceForbiddenError, match="and 2 more"):
            check_instances("bcdefgh")
        with pytest.raises(InstanceForbiddenError, match="concerns every one"):
            check_every()
    check_instances(["b"])
