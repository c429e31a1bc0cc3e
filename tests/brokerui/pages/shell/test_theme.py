"""The theme is chosen by a form, kept in a cookie and written into the page by the server."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def theme_of(client: Client) -> str:
    page = client.get("/scenarios/").content.decode()
    return page.split('data-theme="')[1].split('"')[0]


def test_without_a_choice_the_system_decides(client: Client) -> None:
    page = client.get("/scenarios/").content.decode()
    assert 'data-theme="auto"' in page
    assert '<meta name="color-scheme" content="light dark">' in page


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_a_choice_is_in_the_next_page(client: Client, theme: str) -> None:
    response = client.post("/theme/", {"theme": theme, "next": "/scenarios/?scenario=1-default"})
    assert response.headers["Location"] == "/scenarios/?scenario=1-default"
    assert theme_of(client) == theme


@pytest.mark.parametrize("theme", ["", "pink", '"><script>', "dark\n"])
def test_another_word_is_no_choice(client: Client, theme: str) -> None:
    client.post("/theme/", {"theme": theme})
    assert "theme" not in client.cookies
    client.cookies["theme"] = "pink"
    assert theme_of(client) == "auto"


@pytest.mark.parametrize(
    "url", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example", ""]
)
def test_one_is_never_sent_to_another_site(client: Client, url: str) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": url}).headers["Location"] == "/"


def test_a_choice_is_posted(client: Client) -> None:
    assert client.get("/theme/").status_code == 405


def test_pages_that_differ_by_cookie_say_so(client: Client) -> None:
    assert "Cookie" in client.get("/scenarios/").headers["Vary"]
