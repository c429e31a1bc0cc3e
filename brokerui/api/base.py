"""What every view of the interface shares."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.views import APIView

from brokerui.accounts.levels import Level


class ApiView(APIView):
    """Closed to strangers; reading takes the level VIEW, writing EDIT, unless the view says otherwise."""

    read: ClassVar[Level] = Level.VIEW
    write: ClassVar[Level] = Level.EDIT
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """It answers strangers itself, where tokens count: no redirect to the form to sign in."""
        view = super().as_view(**initkwargs)
        view.login_required = False  # type: ignore[attr-defined]  # Django marks views so
        return view

    def perform_authentication(self, request: Request) -> None:
        """Who tries tokens is counted."""
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            self.check_throttles(request)
            raise

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> Any:
        """Strangers are counted, too."""
        if not request.user.is_authenticated:
            self.check_throttles(request)
        return super().permission_denied(request, message, code)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Answers are for this user only, and to be asked for again."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        patch_vary_headers(response, ["Authorization", "Cookie", "Accept-Language"])
        return response
