"""Base of every view of the interface."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.views import APIView

from brokerui.accounts.levels import Level, Permission


class ApiView(APIView):
    """A view that takes the level VIEW for reading and EDIT for writing, unless it says otherwise."""

    read: ClassVar[Permission] = Level.VIEW
    write: ClassVar[Permission] = Level.EDIT
    stores: ClassVar[bool] = True
    """Whether anything of a writing request is kept: then it is refused on a site that is read-only."""
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """Return the view; it answers a client without a session itself, with no redirect to the form to sign in."""
        view = super().as_view(**initkwargs)
        view.login_required = False  # type: ignore[attr-defined]  # Django marks views so
        return view

    def perform_authentication(self, request: Request) -> None:
        """Count the requests of a client whose token is not valid."""
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            self.check_throttles(request)
            raise

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> Any:
        """Count the requests of a client that has no token or session."""
        if not request.user.is_authenticated:
            self.check_throttles(request)
        return super().permission_denied(request, message, code)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Mark the response as this user's own, to be revalidated before a cache uses it again."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        patch_vary_headers(response, ["Authorization", "Cookie", "Accept-Language"])
        return response
