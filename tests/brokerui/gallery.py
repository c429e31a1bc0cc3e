"""Every component on one page, to be looked at and judged by axe. A URLconf: the site's, and `/gallery/`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path
from django.utils import timezone

from brokerui import urls as site

handler400, handler403, handler404, handler500 = site.handler400, site.handler403, site.handler404, site.handler500

GALLERY = Path(__file__).with_name("gallery.html")


def gallery(request: HttpRequest) -> HttpResponse:
    kinds = ["delivered", "delayed", "dropped", "exits"]
    then = timezone.now() - timedelta(hours=3)
    template = engines["django"].from_string(GALLERY.read_text(encoding="utf-8"))
    return HttpResponse(template.render({"kinds": kinds, "then": then}, request))


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


urlpatterns = [*site.urlpatterns, path("gallery/", gallery), path("broken/", broken)]
