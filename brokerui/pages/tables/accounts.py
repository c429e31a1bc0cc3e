"""Tables for administrators: users with their role, tokens, and lock-outs."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from brokerui.accounts.instance_groups import groups_of, role_words, user_groups_set
from brokerui.accounts.levels import Level, Right, Role, may
from brokerui.accounts.models import InstanceGroup, Token
from brokerui.accounts.services import (
    LastAdministratorError,
    lockout_release,
    rights_of,
    token_revoke,
    user_create,
    user_save,
)
from brokerui.accounts.token_scopes import scope_words
from brokerui.core.templatetags.look import when
from brokerui.pages.tables.base_admin import BaseAdmin
from brokerui.pages.tables.cells import lifetime
from brokerui.pages.tables.list_filters import Chosen
from brokerui.pages.tables.site import site

ROLES = [(role.value, role.value) for role in Role]
OWN = "own"
"""The choice of the user's own role for a group; nothing chosen is no role for it."""
GROUP = "group_"
"""Begins the name of the field of a group."""


class UserForm(forms.Form):
    """One user. A password is set only where one is typed."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=150, validators=[User.username_validator], help_text=""
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=ROLES,
        help_text=gettext_lazy(
            "A viewer reads; an operator also sends, receives, ends conversations and switches "
            "queues; an editor also changes the estate; "
            "an administrator also manages users."
        ),
    )
    read_bodies = forms.BooleanField(
        label=gettext_lazy("May read bodies of messages"),
        required=False,
        help_text=gettext_lazy("No role includes it. Each body that the user is shown is recorded with a reason."),
    )
    active = forms.BooleanField(label=gettext_lazy("May sign in"), required=False, initial=True, help_text="")
    password = forms.CharField(
        label=gettext_lazy("New password"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, user: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["name"].disabled = user is not None
        self.fields["password"].required = user is None
        if user is not None:
            self.fields["password"].help_text = _("Empty: it is not changed.")
        own = groups_of(user) if user is not None else {}
        self.groups = {f"{GROUP}{group.pk}": group for group in InstanceGroup.objects.all()}
        for name, group in self.groups.items():
            initial = (own[group] or OWN) if group in own else ""
            choices = [("", _("no role")), (OWN, _("the role of the user")), *ROLES]
            self.fields[name] = forms.ChoiceField(label=group.name, choices=choices, required=False, initial=initial)

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields beside those of groups."""
        return [self[name] for name in self.fields if name not in self.groups]

    @property
    def group_fields(self) -> list[forms.BoundField]:
        """A choice of a role for each group of instances."""
        return [self[name] for name in self.groups]

    def clean(self) -> dict[str, Any]:
        """No group has a higher role than the user."""
        given: dict[str, Any] = super().clean() or {}
        role = given.get("role")
        for name in self.groups:
            if role and given.get(name) in tuple(Role) and not _is_within(Role(given[name]), Role(role)):
                self.add_error(name, _("This is more than the role of the user."))
        return given

    def group_roles(self) -> dict[InstanceGroup, Role | None]:
        """The groups for which a role is chosen; None: the role of the user."""
        chosen = {group: self.cleaned_data[name] for name, group in self.groups.items() if self.cleaned_data[name]}
        return {group: None if role == OWN else Role(role) for group, role in chosen.items()}

    def clean_name(self) -> str:
        """Names are of one user each."""
        name: str = self.cleaned_data["name"]
        if self.user is None and User.objects.filter(username=name).exists():
            raise ValidationError(_("There is a user of this name already."))
        return name

    def clean_password(self) -> str:
        """As the rules for passwords want it."""
        password: str = self.cleaned_data["password"]
        if password:
            validate_password(password, self.user)
        return password


def _is_within(role: Role, most: Role) -> bool:
    return len(role.levels) <= len(most.levels)


class ForAdministrators(BaseAdmin):
    """Lists that editors do not see."""

    level = Level.ADMINISTER

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Where anything can be written."""
        return may(request.user, Level.ADMINISTER)

    has_change_permission = has_delete_permission


class ByRole(Chosen):
    """A filter for the role of users."""

    title = gettext_lazy("role")
    parameter_name = "role"
    choices_of = tuple(ROLES)

    def condition(self, value: str) -> Q | None:
        """By the group."""
        return Q(groups__name=value) if value in dict(ROLES) else None


@admin.register(User, site=site)
class Users(ForAdministrators):
    """Users who can sign in."""

    about = gettext_lazy("Who may sign in, in which role.")
    actions = None
    ordering = ("username",)
    list_display = ("username", "role", "role_groups", "is_in", "last_seen")
    list_filter = (ByRole,)
    search_fields = ("username",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With their roles."""
        return super().get_queryset(request).prefetch_related("groups", "role_groups__group")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Administrators, where anything can be written."""
        return may(request.user, Level.ADMINISTER)

    def more_urls(self) -> list[URLPattern]:
        """Return the addresses of the pages of one user."""
        return [self._path("add/", self.user_page, "add"), self._path("<int:row>/change/", self.user_page, "change")]

    def user_page(self, request: HttpRequest, row: int | None = None) -> HttpResponse:
        """The form of a user, or of a new one."""
        if not (self.has_view_permission(request) if row else self.has_add_permission(request)):
            raise PermissionDenied
        user = get_object_or_404(User, pk=row) if row is not None else None
        form = UserForm(request.POST or None, user=user, initial=_columns(user))
        if request.method == "POST":
            if not self.has_add_permission(request):
                raise PermissionDenied
            if form.is_valid() and _save(request, user, form):
                return redirect("tables:auth_user_changelist")
        status = 422 if request.method == "POST" else 200
        context = {**self.admin_site.each_context(request), "form": form, "edited": user}
        context["may_edit"] = self.has_add_permission(request)
        return render(request, "tables/user.html", context, status=status)

    @admin.display(description=gettext_lazy("role"))
    def role(self, row: Any) -> str:
        """The role of a user, which is a group."""
        return ", ".join(group.name for group in row.groups.all()) or "—"

    @admin.display(description=gettext_lazy("instances"))
    def role_groups(self, row: Any) -> str:
        """The groups for whose instances the user has a role; with the role where it is a lower one."""
        return role_words((one.group.name, one.role) for one in row.role_groups.all()) or _("all")

    @admin.display(description=gettext_lazy("may sign in"), ordering="is_active")
    def is_in(self, row: Any) -> str:
        """Whether it may sign in."""
        return _("yes") if row.is_active else _("no")

    @admin.display(description=gettext_lazy("last signed in"), ordering="last_login")
    def last_seen(self, row: Any) -> Any:
        """When it signed in last."""
        return when(row.last_login) if row.last_login else "—"


def _columns(user: User | None) -> dict[str, Any]:
    if user is None:
        return {}
    group = user.groups.first()
    columns = {"name": user.username, "role": group.name if group else "", "active": user.is_active}
    return columns | {"read_bodies": Right.READ_BODIES in rights_of(user)}


def _save(request: HttpRequest, user: User | None, form: UserForm) -> bool:
    given = form.cleaned_data
    try:
        _write(user, given, form.group_roles(), request.user.get_username())
    except LastAdministratorError:
        form.add_error(None, _("This is the last administrator who may sign in: there must be one."))
        return False
    text = _("Saved %(name)s.") if user is not None else _("Added %(name)s.")
    messages.success(request, text % {"name": given["name"]})
    return True


@transaction.atomic
def _write(user: User | None, given: dict[str, Any], groups: dict[InstanceGroup, Role | None], author: str) -> None:
    """A new user has the groups from the beginning: without them, the role would hold for all instances."""
    role, rights = Role(given["role"]), [Right.READ_BODIES] if given["read_bodies"] else []
    is_new = user is None
    if user is None:
        user = user_create(name=given["name"], password=given["password"], role=role, author=author)
    user_groups_set(user=user, groups=groups, author=author)
    if not is_new or rights or not given["active"]:
        changed = {"active": given["active"], "password": given["password"], "rights": rights}
        user_save(user=user, role=role, author=author, **changed)


@admin.register(Token, site=site)
class TokenAdmin(ForAdministrators):
    """Tokens of the REST interface, of all users."""

    about = gettext_lazy("Tokens of the REST interface: revoke what nobody should use any more.")
    ordering = ("-created",)
    actions: Any = ("revoke",)
    list_display = ("name", "owner", "begins", "scope", "made", "ends")
    list_display_links = None
    list_select_related = ("user",)
    search_fields = ("name", "user__username")

    @admin.display(description=gettext_lazy("user"), ordering="user__username")
    def owner(self, row: Any) -> str:
        """The user of a token."""
        return str(row.user.username)

    @admin.display(description=gettext_lazy("begins"))
    def begins(self, row: Any) -> SafeString:
        """The first characters of a token: the rest is not stored."""
        return format_html("<code>{}…</code>", row.token_key)

    @admin.display(description=gettext_lazy("scope"), ordering="level")
    def scope(self, row: Any) -> str:
        """The permissions of requests with a token, in words."""
        return scope_words(row.level)

    @admin.display(description=gettext_lazy("created"), ordering="created")
    def made(self, row: Any) -> SafeString:
        """When."""
        return when(row.created)

    @admin.display(description=gettext_lazy("expires"), ordering="expiry")
    def ends(self, row: Any) -> Any:
        """When it runs out."""
        return lifetime(row.expiry)

    @admin.action(description=gettext_lazy("Revoke"), permissions=["delete"])
    def revoke(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Requests with them are refused from then on."""
        author = request.user.get_username()
        gone = [token_revoke(user=row.user, key=row.token_key, author=author) for row in rows.select_related("user")]
        text = ngettext("%(count)s token revoked.", "%(count)s tokens revoked.", len(gone))
        messages.success(request, text % {"count": len(gone)})


@admin.register(AccessAttempt, site=site)
class Lockouts(ForAdministrators):
    """Failed sign-ins, and the users that are locked out by them."""

    about = gettext_lazy("Recent wrong passwords; a lock-out can be ended here.")
    ordering = ("-attempt_time",)
    actions: Any = ("release",)
    list_display = ("username", "ip_address", "failures_since_start", "last_try", "state")
    list_display_links = None
    search_fields = ("username", "ip_address")

    @property
    def title(self) -> str:
        """Not what its author calls it."""
        return _("Lock-outs")

    @admin.display(description=gettext_lazy("last try"), ordering="attempt_time")
    def last_try(self, row: Any) -> SafeString:
        """When."""
        return when(row.attempt_time)

    @admin.display(description=gettext_lazy("state"))
    def state(self, row: Any) -> SafeString:
        """Whether one has to wait."""
        is_over = row.attempt_time < timezone.now() - settings.AXES_COOLOFF_TIME
        is_out = row.failures_since_start >= settings.AXES_FAILURE_LIMIT and not is_over
        return format_html(
            '<span class="{}">{}</span>', "off" if is_out else "", _("locked out") if is_out else _("free")
        )

    @admin.action(description=gettext_lazy("Let in again"), permissions=["delete"])
    def release(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Forget their wrong passwords."""
        author = request.user.get_username()
        pairs = {(row.username or "", row.ip_address or "") for row in rows}
        for name, address in sorted(pairs):
            lockout_release(name=name, address=address, author=author)
        text = ngettext("%(count)s may try again at once.", "%(count)s may try again at once.", len(pairs))
        messages.success(request, text % {"count": len(pairs)})
