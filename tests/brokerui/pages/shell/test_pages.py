"""What holds for every page: what it may load, what it says about itself, what it never does."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.analysis.lint.error_badge import errors_note
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.home import CHECKOUT
from brokerui.pages.shell.navigation import PARTS
from tests.brokerui.site import PASSWORD, signed_in, user_of

TEMPLATES = sorted((CHECKOUT / "templates").rglob("*.html"))
FRONT_END = TEMPLATES + sorted(path for path in (CHECKOUT / "static").rglob("*") if path.is_file())
# What an SVG must call itself, and is never asked for.
NAMESPACES = ("http://www.w3.org/2000/svg",)

PAGES = ["/", "/scenarios/", "/scenarios/1-default/document.json", "/nowhere", "/healthz", "/readyz", "/gallery/"]


@pytest.fixture
def gallery(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.brokerui.gallery"


def policy(response: Any) -> dict[str, list[str]]:
    words = [part.split() for part in response.headers["Content-Security-Policy"].split(";")]
    return {directive: sources for directive, *sources in words}


@pytest.mark.django_db
@pytest.mark.usefixtures("gallery")
@pytest.mark.parametrize("path", PAGES)
def test_every_answer_carries_a_policy_without_exceptions(client: Client, path: str) -> None:
    response = client.get(path)
    directives = policy(response)
    assert directives["default-src"] == ["'none'"]
    assert {source for sources in directives.values() for source in sources} <= {"'none'", "'self'"}
    for directive in ("form-action", "script-src", "style-src", "connect-src", "img-src"):
        assert directives[directive] == ["'self'"]
    for directive in ("frame-ancestors", "base-uri"):
        assert directives[directive] == ["'none'"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/scenarios/", "/nowhere"])
def test_every_answer_keeps_others_away(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]


@pytest.mark.django_db
def test_cookies_are_out_of_reach_of_scripts_and_other_sites(stranger: Client) -> None:
    client = stranger
    client.post("/account/login/", {"username": user_of(Role.VIEWER).username, "password": PASSWORD}, follow=True)
    client.post("/theme/", {"theme": "dark"})
    assert set(client.cookies) == {"csrftoken", "sessionid", "theme"}
    for cookie in client.cookies.values():
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


def other_origins(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    for namespace in NAMESPACES:
        text = text.replace(namespace, "")
    return re.findall(r"https?://|[\"'(]//\w", text)


def test_no_file_names_another_origin() -> None:
    assert FRONT_END
    assert {str(path): found for path in FRONT_END if (found := other_origins(path))} == {}


def inline(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"\sstyle=|<style|\son\w+=|javascript:|hx-on", text)
    return found + [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag]


def test_no_template_has_a_style_or_a_script_in_it() -> None:
    assert TEMPLATES
    assert {str(path): found for path in TEMPLATES if (found := inline(path))} == {}


@pytest.mark.django_db
@pytest.mark.usefixtures("gallery")
def test_htmx_evaluates_nothing_and_injects_no_style(client: Client) -> None:
    page = client.get("/gallery/").content.decode()
    assert '"allowEval": false' in page
    assert '"includeIndicatorStyles": false' in page


@pytest.mark.django_db
@pytest.mark.usefixtures("gallery")
@pytest.mark.parametrize("path", ["/scenarios/", "/nowhere", "/gallery/"])
def test_every_page_is_one_page(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert page.lstrip().startswith("<!doctype html>")
    for once in ("<h1", "<main", "<title>", 'class="skip"', '<html lang="en"', 'id="live"'):
        assert page.count(once) == 1, once


@pytest.mark.django_db
def test_the_navigation_leads_only_to_pages_that_are_there(client: Client) -> None:
    page = client.get("/scenarios/").content.decode()
    navigation = page[page.index('<nav class="nav"') : page.index("</nav>")]
    links = re.findall(r'href="([^"]+)"', navigation)
    assert "/scenarios/" in links
    assert all(client.get(link).status_code == HTTPStatus.OK for link in links)
    assert re.findall(r'href="([^"]+)" aria-current="page"', navigation) == ["/scenarios/"]


def navigation_of(client: Client, path: str) -> str:
    page = client.get(path).content.decode()
    return page[page.index('<nav class="nav"') : page.index("</nav>")]


@pytest.mark.django_db
def test_the_navigation_that_is_kept_is_that_of_the_role_the_page_and_the_version() -> None:
    editor, viewer = signed_in(Role.EDITOR), signed_in(Role.VIEWER)
    for _ in range(2):
        assert ">Import<" in navigation_of(editor, "/routes/")
        assert ">Import<" not in navigation_of(viewer, "/routes/")
        assert 'href="/routes/" aria-current="page"' in navigation_of(viewer, "/routes/")
        assert 'href="/routes/" aria-current="page"' not in navigation_of(viewer, "/findings/")
        for version in (1, 2):
            assert f'href="/map/?as_of={version}"' in navigation_of(viewer, f"/routes/?as_of={version}")
        assert 'href="/map/"' in navigation_of(viewer, "/routes/")


@pytest.mark.django_db
def test_the_navigation_that_is_kept_has_the_number_of_errors_that_was_found_last(client: Client) -> None:
    for number in (3, 5):
        errors_note(estate_view_from({}), number)
        assert f'<span class="count alert">{number} ' in navigation_of(client, "/scenarios/")


@pytest.mark.django_db
def test_a_language_without_a_catalogue_is_not_claimed(client: Client, settings: Any) -> None:
    settings.LANGUAGES = [("en", "English")]
    response = client.get("/scenarios/", headers={"Accept-Language": "fr"})
    assert '<html lang="en"' in response.content.decode()
    assert "set_language" not in response.content.decode()


@pytest.mark.django_db
def test_languages_are_offered_under_their_own_names(client: Client, settings: Any) -> None:
    settings.LANGUAGES = [("en", "English"), ("fr", "French")]
    page = client.get("/scenarios/").content.decode()
    assert re.search(r'value="fr" lang="fr"[^>]*>français<', page)
    response = client.post("/language/", {"language": "fr", "next": "/scenarios/"}, follow=True)
    assert '<html lang="fr"' in response.content.decode()


def test_no_two_places_have_the_same_keys() -> None:
    keys = [place.keys for part in PARTS for place in part.places]
    assert len(keys) == len(set(keys))
