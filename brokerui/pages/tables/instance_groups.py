"""Tables for administrators: groups of instances, for which users may have their role."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from brokerui.accounts.instance_groups import GroupInUseError, GroupNameTakenError, group_delete, group_save
from brokerui.accounts.levels import Level, may
from brokerui.accounts.models import MOST_GROUP_NAME, InstanceGroup
from brokerui.estate.selectors import estate_current
from brokerui.pages.tables.accounts import ForAdministrators
from brokerui.pages.tables.site import site

SHOWN = 6
"""Instances that a row of the list names."""


class GroupForm(forms.Form):
    """A group and its instances, one in a line."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MOST_GROUP_NAME, help_text="")
    instances = forms.CharField(
        label=gettext_lazy("Instances"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        help_text=gettext_lazy("One name in a line, in exact upper and lower case."),
    )

    def clean_instances(self) -> list[str]:
        """Names of instances of the live estate, or that the group has already."""
        lines = self.cleaned_data["instances"].replace("\r\n", "\n").split("\n")
        known = estate_current().estate.instances.keys() | set(self.initial.get("names", ()))
        names = [line if line in known else line.strip() for line in lines if line.strip()]
        for name in names:
            if name not in known:
                raise forms.ValidationError(_("The live estate has no instance %(name)s.") % {"name": name})
        return names


@admin.register(InstanceGroup, site=site)
class InstanceGroups(ForAdministrators):
    """Groups of instances."""

    about = gettext_lazy("Instances for which users have their role. A user without a group has it for all instances.")
    actions = None
    ordering = ("name",)
    list_display = ("name", "members", "people")
    search_fields = ("name", "instances__instance")

    @property
    def title(self) -> str:
        return _("Instance groups")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With their instances and users."""
        return super().get_queryset(request).prefetch_related("instances", "users__user")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Administrators, where anything can be written."""
        return may(request.user, Level.ADMINISTER)

    def more_urls(self) -> list[URLPattern]:
        """Return the addresses of the pages of one group."""
        return [
            self._path("add/", self.group_page, "add"),
            self._path("<int:row>/change/", self.group_page, "change"),
            self._path("<int:row>/delete/", self.group_drop, "delete"),
        ]

    def group_page(self, request: HttpRequest, row: int | None = None) -> HttpResponse:
        """The form of a group, or of a new one."""
        if not (self.has_view_permission(request) if row else self.has_add_permission(request)):
            raise PermissionDenied
        group = get_object_or_404(InstanceGroup, pk=row) if row is not None else None
        form = GroupForm(request.POST or None, initial=_columns(group))
        if request.method == "POST":
            if not self.has_add_permission(request):
                raise PermissionDenied
            if form.is_valid() and _save(request, group, form):
                return redirect("tables:accounts_instancegroup_changelist")
        status = 422 if request.method == "POST" else 200
        context = {**self.admin_site.each_context(request), "form": form, "edited": group}
        context["may_edit"] = self.has_add_permission(request)
        return render(request, "tables/instance_group.html", context, status=status)

    def group_drop(self, request: HttpRequest, row: int) -> HttpResponse:
        """Delete a group that nobody has."""
        if request.method != "POST" or not self.has_add_permission(request):
            raise PermissionDenied
        group = get_object_or_404(InstanceGroup, pk=row)
        try:
            group_delete(group=group, author=request.user.get_username())
        except GroupInUseError as error:
            text = _("%(name)s stays: it is the group of %(users)s, who would have their role for all instances.")
            messages.error(request, text % {"name": group.name, "users": ", ".join(error.users)})
            return redirect("tables:accounts_instancegroup_change", row)
        messages.success(request, _("Deleted %(name)s.") % {"name": group.name})
        return redirect("tables:accounts_instancegroup_changelist")

    @admin.display(description=gettext_lazy("instances"))
    def members(self, row: Any) -> str:
        """The first instances of a group."""
        names = [one.instance for one in row.instances.all()]
        more = f" + {len(names) - SHOWN:,}" if len(names) > SHOWN else ""
        return ", ".join(names[:SHOWN]) + more or "—"

    @admin.display(description=gettext_lazy("users"))
    def people(self, row: Any) -> str:
        """Users whose role is for the group."""
        return ", ".join(one.user.username for one in row.users.all()) or "—"


def _columns(group: InstanceGroup | None) -> dict[str, Any]:
    if group is None:
        return {}
    names = list(group.instances.values_list("instance", flat=True))
    return {"name": group.name, "instances": "\n".join(names), "names": names}


def _save(request: HttpRequest, group: InstanceGroup | None, form: GroupForm) -> bool:
    given, author = form.cleaned_data, request.user.get_username()
    try:
        group_save(name=given["name"], instances=given["instances"], group=group, author=author)
    except GroupNameTakenError:
        form.add_error("name", _("There is a group of this name already."))
        return False
    messages.success(request, _("Saved %(name)s.") % {"name": given["name"]})
    return True
