"""`users/` and `instance_groups/`: the role of each user for each group of instances. For administrators alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.instance_groups import user_groups_set
from brokerui.accounts.levels import Level, Role
from brokerui.accounts.models import MOST_GROUP_NAME, InstanceGroup
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.fields import NUMBER_DIGITS, ArrayField, NameField, StrictChoiceField
from brokerui.api.import_runs import author_of
from brokerui.api.problems import ApiProblem, in_body
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from routing.common.errors import Invalid
from routing.common.sentence import say

_TAG = _("Users")
_ROLES: Final = [role.value for role in Role]
_ROLE = _("At most the role of the user; null: that role.")
MOST: Final = 1_000
"""Groups of one user."""
EXAMPLE: Final = OpenApiExample(
    "two groups", value={"groups": [{"group": "north"}, {"group": "south", "role": "viewer"}]}, request_only=True
)


class GroupRoleSerializer(serializers.Serializer):
    """A group of instances with the role for it."""

    group = serializers.CharField()
    role = serializers.ChoiceField(_ROLES, allow_null=True, help_text=_ROLE)


class UserSerializer(serializers.Serializer):
    """A user with the roles."""

    id = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    role = serializers.ChoiceField(_ROLES, allow_null=True)
    is_active = serializers.BooleanField(help_text=_("Whether the user may sign in."))
    groups = GroupRoleSerializer(many=True, help_text=_("Empty: the role holds for all instances."))


class InstanceGroupSerializer(serializers.Serializer):
    """A group with its instances."""

    id = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    instances = serializers.ListField(child=serializers.CharField())


class NewGroupRoleSerializer(StrictSerializer):
    """A group with the role for it."""

    group = NameField(max_length=MOST_GROUP_NAME)
    role = StrictChoiceField(_ROLES, required=False, allow_null=True, help_text=_ROLE)


class UserChangeSerializer(StrictSerializer):
    """The groups for which a user has a role: these, and no others."""

    groups = ArrayField(child=NewGroupRoleSerializer(), max_length=MOST)


class AdministratorView(ApiView):
    """A resource that only administrators read."""

    read = Level.ADMINISTER
    write = Level.ADMINISTER


class UserList(AdministratorView):
    """All users."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="users_list",
        tags=openapi.tags(_TAG),
        summary=_("List the users"),
        description=_("Every user with the role, and the groups of instances for which it holds."),
        **openapi.conditional_get(page_of(UserSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        return _conditional(request, _list_of([_user_as_json(user) for user in _users()]))


class UserDetail(AdministratorView):
    """One user."""

    @extend_schema(
        operation_id="user_read",
        tags=openapi.tags(_TAG),
        summary=_("Read a user"),
        description=_("A user with the ETag that a change takes."),
        **openapi.conditional_get(UserSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return the user."""
        read_query(request, NoQuery)
        return _conditional(request, _user_as_json(_found(number)))

    @extend_schema(
        operation_id="user_change",
        tags=openapi.tags(_TAG),
        summary=_("Set the roles of a user for groups of instances"),
        description=_("With no group, the role of the user holds for all instances. It takes effect at once."),
        request=UserChangeSerializer,
        examples=[EXAMPLE],
        **openapi.write(UserSerializer),
    )
    def patch(self, request: Request, number: str) -> Response:
        """Set the groups."""
        read_query(request, NoQuery)
        given = read_body(request.data, UserChangeSerializer)
        with transaction.atomic():
            user = _found(number)
            require_match(request, etag_of_json(_user_as_json(user)))
            user_groups_set(user=user, groups=_group_roles(user, given["groups"]), author=author_of(request))
            body = _user_as_json(_found(number))
        return Response(body, headers={"ETag": etag_of_json(body)})


class InstanceGroupList(AdministratorView):
    """All groups of instances."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="instance_groups_list",
        tags=openapi.tags(_TAG),
        summary=_("List the groups of instances"),
        description=_("Every group with its instances; groups are made in Tables and on the command line."),
        **openapi.conditional_get(page_of(InstanceGroupSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        read_query(request, NoQuery)
        groups = InstanceGroup.objects.prefetch_related("instances")
        rows = [
            {"id": one.pk, "name": one.name, "instances": [row.instance for row in one.instances.all()]}
            for one in groups
        ]
        return _conditional(request, _list_of(rows))


def addresses() -> list[URLPattern]:
    """Return the addresses."""
    return [
        path("users/", UserList.as_view(), name="users"),
        path("users/<str:number>/", UserDetail.as_view(), name="user"),
        path("instance_groups/", InstanceGroupList.as_view(), name="instance_groups"),
    ]


def _users() -> Any:
    return User.objects.prefetch_related("groups", "role_groups__group").order_by("username")


def _found(number: str) -> User:
    is_number = number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS
    user: User | None = _users().filter(pk=int(number)).first() if is_number else None
    if user is None:
        raise ApiProblem(404, gettext("There is no such user."))
    return user


def _group_roles(user: User, given: tuple[Mapping[str, Any], ...]) -> dict[InstanceGroup, Role | None]:
    """The groups of a body. Raises a problem for one that is unknown, that comes twice, or has more than the user."""
    known = {group.name: group for group in InstanceGroup.objects.filter(name__in=[one["group"] for one in given])}
    most, found = _role_of(user), dict[InstanceGroup, Role | None]()
    for index, one in enumerate(given):
        group = known.get(one["group"])
        if group is None or group in found:
            problem = say("there is no such group") if group is None else say("stands twice")
            raise in_body(Invalid(f"groups[{index}].group", problem))
        role = Role(one["role"]) if one.get("role") else None
        if role is not None and (most is None or len(role.levels) > len(most.levels)):
            raise in_body(Invalid(f"groups[{index}].role", say("is more than the role of the user")))
        found[group] = role
    return found


def _role_of(user: User) -> Role | None:
    return next((Role(group.name) for group in user.groups.all() if group.name in tuple(Role)), None)


def _user_as_json(user: User) -> dict[str, Any]:
    role = _role_of(user)
    return {
        "id": user.pk,
        "name": user.get_username(),
        "role": role.value if role is not None else None,
        "is_active": user.is_active,
        "groups": [{"group": one.group.name, "role": one.role or None} for one in user.role_groups.all()],
    }


def _list_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"count": len(rows), "next": None, "results": rows}


def _conditional(request: Request, body: dict[str, Any]) -> Response:
    etag = etag_of_json(body)
    return (
        Response(status=304, headers={"ETag": etag})
        if is_known(request, etag)
        else Response(body, headers={"ETag": etag})
    )
