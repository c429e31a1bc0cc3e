"""Authentication (token or session), permissions (the levels of `brokerui.accounts`) and rate limits."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from brokerui.accounts.access import SAFE, limit_acts, may_request
from brokerui.accounts.levels import Permission, limit_to
from brokerui.accounts.token_scopes import scope_words
from brokerui.api.problems import ApiProblem
from brokerui.core.client_ip import client_ip_of
from brokerui.core.rate_counter import count_up

SCHEMES = (b"bearer", b"token")


class TokenAuthentication(KnoxAuthentication):
    """Authenticates by `Authorization: Bearer TOKEN`; clients may also write the scheme Token."""

    def authenticate(self, request: Request) -> Any:
        """Return the user and the token; None where the request has no token."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in SCHEMES:
            return None
        # A token has only letters and digits: anything else is refused without a query.
        if len(words) != 2 or not words[1].isalnum():
            raise AuthenticationFailed(_("The token is not valid."))
        return self.authenticate_credentials(words[1])

    def validate_user(self, auth_token: Any) -> Any:
        """Return the user, limited to the scope of the token, and the token."""
        user, token = super().validate_user(auth_token)
        limit_to(user, token.level)
        return user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="BrokerUI"'


class MayUse(BasePermission):
    """Requires the permission that the view names for reading or for writing."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the user has it. The view answers 405 to a method it lacks."""
        if not request.user.is_authenticated:
            return False
        if not hasattr(view, (request.method or "").lower()):
            return True
        permission: Permission = view.read if request.method in SAFE else view.write
        if settings.READ_ONLY and request.method not in SAFE and view.stores:
            raise ApiProblem(403, _("This site is read-only: nothing can be changed here."), code="read_only")
        scope = getattr(request.auth, "level", "")
        if scope:
            values = {"scope": scope_words(scope)}
            sentence = _(
                "The scope of the token or the role of its user does not permit this. The scope is: %(scope)s."
            )
            self.message = sentence % values
        if not may_request(request.user, request.method or "", permission):
            return False
        limit_acts(request.user, request.method or "", permission)
        return True


class SharedThrottle(SimpleRateThrottle):
    """Limits requests to a number per period. All processes share the count; the first request begins the period."""

    num_requests: int
    duration: int
    _left = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request; return whether the number of the period is within the limit."""
        key = self.get_cache_key(request, view) if self.rate is not None else None
        if key is None:
            return True
        times, self._left = count_up(key, self.duration)
        return times <= self.num_requests

    def wait(self) -> float:
        """Return the seconds until the period ends, for the header Retry-After."""
        return self._left


class StrangerThrottle(SharedThrottle, AnonRateThrottle):
    """Limits the requests of a client IP address that come without a valid token or session."""

    def get_rate(self) -> str | None:
        return _rate(self.scope)

    def get_ident(self, request: Request) -> str:
        return client_ip_of(request) or ""


class UserThrottle(SharedThrottle, UserRateThrottle):
    """Limits the requests of a user, counting those with a token and those with a session together."""

    def get_rate(self) -> str | None:
        return _rate(self.scope)

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return super().get_cache_key(request, view) if request.user.is_authenticated else None


def _rate(scope: str | None) -> str | None:
    """Read the rate from the settings at each request, so that a change of the settings takes effect."""
    rates: Any = api_settings.DEFAULT_THROTTLE_RATES
    rate: str | None = rates[scope]
    return rate
