"""`brokerui user`: the groups of instances, and the users who have a role for the instances of a group."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import described
from brokerui.cli.commands.token import author_here, user_named
from brokerui.cli.product import once_written, the_product
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from brokerui.accounts.levels import Role
    from brokerui.accounts.models import InstanceGroup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listed = _action(actions, "list", say("list users with their role and the groups that it is for"), _list)
    _add_json(listed)
    groups = _action(actions, "groups", say("list groups with their instances"), _groups)
    _add_json(groups)
    group = _action(actions, "group", say("create a group, or give one these instances"), _group)
    group.add_argument("group", metavar="GROUP", help=local(say("the name of the group")))
    group.add_argument("instances", metavar="INSTANCE", nargs="*", help=local(say("instances of the live estate")))
    text = say("let a user have the own role, or a lower one, for these groups; with none, for all instances")
    limit = _action(actions, "limit", text, _limit)
    limit.add_argument("user", metavar="USER", help=local(say("the user")))
    groups_help = local(say("the groups, each alone or as GROUP=ROLE"))
    limit.add_argument("groups", metavar="GROUP[=ROLE]", nargs="*", help=groups_help)


def _action(actions: Any, name: str, summary: Sentence, act: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, allow_abbrev=False, **described(summary))
    parser.set_defaults(act=act)
    return parser


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=local(say("print JSON")))


def run(options: argparse.Namespace) -> int:
    """In the product whose home is `BROKERUI_HOME`."""
    with the_product():
        options.act(options)
    return 0


def _list(options: argparse.Namespace) -> None:
    from django.contrib.auth.models import User

    need_output()
    users = User.objects.prefetch_related("groups", "role_groups__group").order_by("username")
    _write(options, [_user_as_json(user) for user in users], _user_line, say("No users."))


def _groups(options: argparse.Namespace) -> None:
    from brokerui.accounts.models import InstanceGroup

    need_output()
    groups = InstanceGroup.objects.prefetch_related("instances", "users__user")
    _write(options, [_group_as_json(group) for group in groups], _group_line, say("No groups."))


def _write(options: argparse.Namespace, rows: list[dict[str, Any]], line: Any, none: Sentence) -> None:
    if options.json:
        sys.stdout.write(f"{json.dumps(rows, ensure_ascii=False, indent=1)}\n")
    else:
        sys.stdout.writelines(f"{text}\n" for text in [one_line(line(row)) for row in rows] or [local(none)])


def _user_as_json(user: User) -> dict[str, Any]:
    return {
        "user": user.get_username(),
        "role": next((group.name for group in user.groups.all()), None),
        "is_active": user.is_active,
        "groups": [one.group.name for one in user.role_groups.all()],
        "roles": {one.group.name: one.role for one in user.role_groups.all() if one.role},
    }


def _user_line(row: dict[str, Any]) -> str:
    from brokerui.accounts.instance_groups import role_words

    groups = role_words((group, row["roles"].get(group, "")) for group in row["groups"])
    place = groups or local(say("all instances"))
    return f"{row['user']}: {row['role'] or local(say('no role'))}, {place}"


def _group_as_json(group: InstanceGroup) -> dict[str, Any]:
    return {
        "group": group.name,
        "instances": [one.instance for one in group.instances.all()],
        "users": [one.user.get_username() for one in group.users.all()],
    }


def _group_line(row: dict[str, Any]) -> str:
    return f"{row['group']}: {', '.join(row['instances']) or local(say('no instance'))}"


def _group(options: argparse.Namespace) -> None:
    from brokerui.accounts.instance_groups import group_save
    from brokerui.accounts.models import MOST_GROUP_NAME, InstanceGroup
    from brokerui.estate.selectors import estate_current

    known = estate_current().estate.instances
    for name in options.instances:
        if name not in known:
            raise InputError(name, "", say("the live estate has no instance of this name"))
    if not (options.group.strip() and len(options.group) <= MOST_GROUP_NAME and options.group.isprintable()):
        raise InputError(options.group, "", say("a group has a name of 1 to {most} characters", most=MOST_GROUP_NAME))
    with once_written() as answer_with:
        group = InstanceGroup.objects.filter(name=options.group).first()
        group_save(name=options.group, instances=options.instances, group=group, author=author_here())
        answer_with(f"{local(say('Saved: {name}.', name=options.group))}\n")


def _limit(options: argparse.Namespace) -> None:
    from brokerui.accounts.instance_groups import user_groups_set

    user = user_named(options.user)
    groups = dict(_group_role(text, user) for text in options.groups)
    with once_written() as answer_with:
        user_groups_set(user=user, groups=groups, author=author_here())
        answer_with(f"{_user_line(_user_as_json(user))}\n")


def _group_role(text: str, user: User) -> tuple[InstanceGroup, Role | None]:
    """Read `GROUP` or `GROUP=ROLE`; a name may have an equals sign itself."""
    from brokerui.accounts.levels import Role, highest_level
    from brokerui.accounts.models import InstanceGroup

    name, _, word = text.rpartition("=")
    role = Role(word) if name and word in tuple(Role) else None
    name = name if role is not None else text
    group = InstanceGroup.objects.filter(name=name).first()
    if group is None:
        raise InputError(name, "", say("there is no group of this name"))
    if role is not None and role.levels[-1] != highest_level(user) and highest_level(user) in role.levels:
        raise InputError(text, "", say("this is more than the role of the user"))
    return group, role
