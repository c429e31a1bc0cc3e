"""Database, variables and encoding of scripts, on the page and over REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.imports.models import ImportRun
from brokerui.estate.models import Route
from brokerui.estate.selectors import estate_current
from tests.brokerui.analysis.imports.helpers import SHOP, uploaded
from tests.brokerui.analysis.imports.test_page import fields, page_of
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]
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


def test_an_instance_may_have_several_addresses(editor: Client) -> None:
    run = uploaded({"shop.sql": SHOP})
    given = fields(run) | {"address-0": "tcp://a.example:4022, TCP://b.example:4023 ,tcp://a.example:4022"}
    assert 'value="tcp://a.example:4022, TCP://b.example' in page_of(
        editor.post(f"/imports/{run.pk}/preview/", given, follow=True)
    )
    editor.post(f"/imports/{run.pk}/apply/")
    addresses = estate_current().estate.instances["shop"].addresses
    assert [one.key for one in addresses] == ["tcp://a.example:4022", "tcp://b.example:4023"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tcp://a:4022, b:4022", "tcp://a:4022, b:4022"),
        ("tcp://a:4022,tcp://b:99999", "tcp://b:99999"),
        (",".join(f"tcp://host{number}:4022" for number in range(200)), "is longer than 2000 characters"),
    ],
)
def test_addresses_that_cannot_be_are_refused_at_their_field(editor: Client, text: str, expected: str) -> None:
    run = uploaded({"shop.sql": SHOP})
    answer = editor.post(f"/imports/{run.pk}/preview/", fields(run) | {"address-0": text})
    assert answer.status_code == 422
    fault = page_of(answer).split('id="fault-address-0">')[1].split("</p>")[0]
    assert expected in fault
