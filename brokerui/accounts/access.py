"""Every view is closed unless it says otherwise: reading takes the level VIEW, writing what the view declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import resolve_url
from django_htmx.http import HttpResponseClientRefresh

from brokerui.accounts.instance_groups import limit_of
from brokerui.accounts.levels import Level, Permission, Right, holds, may
from brokerui.core.instance_limit import limit_request, limited_to

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser, AnonymousUser

View = TypeVar("View", bound=Callable[..., Any])
SAFE = ("GET", "HEAD", "OPTIONS")


def access(
    *, read: Permission = Level.VIEW, write: Permission | None = None, stores: bool = True
) -> Callable[[View], View]:
    """Declare what a view takes. Without `write` it accepts no writing at all.

    A view that stores nothing of a request (`stores=False`) also answers on a site that is read-only, if it writes with
    `Level.VIEW`: there nobody has a higher one.
    """

    def declare(view: View) -> View:
        view.access = {"read": read, "write": write, "stores": stores}  # type: ignore[attr-defined]  # Django marks views so
        return view

    return declare


own_account = access(read=Level.VIEW, write=Level.VIEW)
"""For what a user does to the own account."""
public = login_not_required
"""Marks a view that needs no sign-in: it shows nothing of the estate."""


def level_needed(view: Callable[..., Any], method: str) -> Permission | None:
    """Return the permission that a request needs; None: nobody may send it."""
    declared: dict[str, Permission | None] = getattr(view, "access", {"read": Level.VIEW, "write": None})
    return declared["read" if method in SAFE else "write"]


def may_request(user: AbstractUser | AnonymousUser, method: str, permission: Permission) -> bool:
    """Whether the user may send a request that takes this permission. Looking is allowed where the site is read-only
    too, whatever level it takes; a right is for acts alone."""
    is_look = method in SAFE and isinstance(permission, Level)
    return holds(user, permission) if is_look else may(user, permission)


def limit_acts(user: AbstractUser | AnonymousUser, method: str, permission: Permission) -> None:
    """Let the rest of the request act on those instances alone for which the user has a role with this permission.
    Reading is for all instances, but of bodies, which is an act."""
    if method not in SAFE or isinstance(permission, Right):
        limit_request(limit_of(user, permission))


class AccessMiddleware:
    """Refuses a request before its view runs.

    REST resources check for themselves, by session or token: `brokerui.api.access`. The lists of the tables ask
    `has_*_permission` of `brokerui.pages.tables.base_admin`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with limited_to(None):
            return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        if not getattr(view, "login_required", True):
            return None
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        level = level_needed(view, request.method or "GET")
        if level is None:
            return HttpResponseNotAllowed(SAFE)
        if _is_refused_here(request, view) or not may_request(request.user, request.method or "", level):
            raise PermissionDenied
        limit_acts(request.user, request.method or "", level)
        return None


def _is_refused_here(request: HttpRequest, view: Callable[..., Any]) -> bool:
    """On a site that is read-only nobody writes, not even to the own account: signing in and out is all.

    Trying something out is no writing.
    """
    stores = getattr(view, "access", {}).get("stores", True)
    return settings.READ_ONLY and stores and request.method not in SAFE


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A whole page: a form to sign in must not appear inside of a piece of another one."""
    if getattr(request, "htmx", None):
        return HttpResponseClientRefresh()
    return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))
