"""Guards on the page of an import: known false is not done, assumed is told, and so is a DROP at the end."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_current
from tests.brokerui.analysis.imports.helpers import previewed
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]
MINE = """IF DB_ID('mine') IS NOT NULL
    DROP DATABASE [mine];
GO
CREATE DATABASE [mine];
GO
USE [mine];
GO
CREATE QUEUE q; CREATE SERVICE Mine ON QUEUE q;
GO
"""
FALSE = f"{MINE}USE master\nGO\nIF DB_ID('yours') IS NOT NULL\n    DROP DATABASE [mine];\nGO\n"
ASSUMED = f"{MINE}IF EXISTS (SELECT * FROM dbo.Settings)\n    CREATE ROUTE R WITH ADDRESS = 'LOCAL';\nGO\n"
DROPPED = f"{MINE}CREATE ROUTE R WITH SERVICE_NAME = 'Yours', ADDRESS = 'tcp://yours:4022';\nGO\nDROP ROUTE R;\nGO\n"
NESTED = f"{MINE}IF DB_ID('mine') IS NULL\n  IF 1 = 1\n    CREATE ROUTE R WITH ADDRESS = 'LOCAL';\nGO\n"


def page_of(client: Client, script: str) -> str:
    run = previewed({"s.sql": script})
    text = client.get(f"/imports/{run.pk}/").content.decode()
    client.post(f"/imports/{run.pk}/apply/")
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def routes() -> set[str]:
    return set(estate_current().estate.instances["s"].databases["mine"].table.routes) - {"AutoCreatedLocal"}


@pytest.mark.parametrize("script", [FALSE, NESTED])
def test_a_guard_that_is_known_to_be_false_is_not_done_and_told(editor: Client, script: str) -> None:
    page = page_of(editor, script)
    assert "stands under a condition that keeps it from running" in page
    mine = estate_current().estate.instances["s"].databases["mine"]
    assert [service.name for service in mine.user_services] == ["Mine"], "it is not dropped"
    assert routes() == set()


def test_a_guard_that_is_assumed_is_told(editor: Client) -> None:
    page = page_of(editor, ASSUMED)
    assert (
        "CREATE ROUTE was applied; it stands under a condition that is taken to be so, since the scripts do not tell"
        in page
    )
    assert routes() == {"R"}


def test_a_drop_at_the_end_is_told_with_both_lines(editor: Client) -> None:
    page = page_of(editor, DROPPED)
    assert 'the route "R" is made at line 10 and dropped at line 12: the estate is as after the whole script' in page
    assert routes() == set()
