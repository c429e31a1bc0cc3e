"""Database, variables and encoding of scripts, on the page and over REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.imports.models import ImportRun
from brokerui.estate.models import Route
from tests.brokerui.analysis.imports.helpers import uploaded

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
ROUTE = "CREATE ROUTE [ToŻółć] WITH SERVICE_NAME = N'Tell', ADDRESS = N'$(DepotAddress)';\n"
FILE = {"Route.sql": ROUTE.encode("cp1250")}
URL = "/api/v1/estate/import/"


def previewed(client: Client, run: ImportRun, **more: str) -> Any:
    values = {"mode": "instances", "kind-0": "script", "instance-0": "shop", "database-0": "Shop"}
    return client.post(f"/imports/{run.pk}/preview/", values | more, follow=True)


def test_the_page_takes_database_variables_and_encoding(editor: Client) -> None:
    run = uploaded(dict(FILE))
    page = previewed(editor, run).content.decode()
    assert "name its encoding" in page
    page = previewed(
        editor, run, **{"encoding-0": "cp1250", "variables": "DepotAddress=tcp://depot:4022"}
    ).content.decode()
    assert "ToŻółć" in page
    assert ">DepotAddress=tcp://depot:4022</textarea>" in page
    editor.post(f"/imports/{run.pk}/apply/")
    route = Route.objects.get(name="ToŻółć")
    assert (route.database.name, route.address) == ("Shop", "tcp://depot:4022")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [("encoding-0", "rot13", "is not a known encoding"), ("variables", "a=1\nb", "line 2: a variable is given")],
)
def test_the_page_says_what_is_wrong_with_a_field(editor: Client, field: str, value: str, problem: str) -> None:
    response = previewed(editor, uploaded(dict(FILE)), **{field: value})
    assert response.status_code == 422
    assert problem in response.content.decode()


def test_rest_takes_them_in_the_query(editor: Client) -> None:
    query = "?instance=shop&database=Shop&encoding=cp1250&variables=DepotAddress%3Dtcp://depot:4022"
    response = editor.post(URL + query, FILE["Route.sql"], content_type="application/sql")
    assert response.status_code == 200, response.content
    assert Route.objects.get(name="ToŻółć").database.name == "Shop"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "name its encoding"),
        ("&encoding=zip", "is not a known encoding"),
        ("&variables=x", "NAME=VALUE"),
        ("&database=", "must not be empty"),
    ],
)
def test_rest_refuses_what_cannot_be(editor: Client, query: str, problem: str) -> None:
    response = editor.post(f"{URL}?instance=shop{query}", FILE["Route.sql"], content_type="application/sql")
    assert response.status_code in (400, 422)
    assert problem in response.content.decode()


def test_rest_takes_files_that_read_in_each_other(editor: Client) -> None:
    scripts = [{"file": "Route.sql", "text": ROUTE}, {"file": "post.sql", "text": "USE Shop\nGO\n:r .\\Route.sql"}]
    body = {"sql": [{"instance": "shop", "scripts": scripts}], "variables": "DepotAddress=tcp://depot:4022"}
    response = editor.post(URL, body, content_type="application/json")
    assert response.status_code == 200, response.content
    assert response.json()["findings"] == []
    assert Route.objects.get(name="ToŻółć").database.name == "Shop"
