"""Scripts over REST: what they may expand to, how long an answer gets, and what the live estate remembers of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_current
from tests.brokerui.api.helpers import API
from tests.brokerui.api.test_estate import IMPORT, instances

DOUBLING = ":setvar a xxxxxxxxxx\n" + "".join(
    f':setvar {chr(98 + number)} "{8 * f"$({chr(97 + number)})"}"\n' for number in range(8)
)
TEXTS = {
    "sqlcmd": DOUBLING + "CREATE QUEUE [$(i)]\nGO\n",
    "REPLICATE": "DECLARE @a nvarchar(max) = REPLICATE(CAST(N'x' AS nvarchar(max)), 2000000000)\nEXEC (@a)\n",
    "concatenation": "DECLARE @a nvarchar(max) = CAST(N'x' AS nvarchar(max))\n" + "SET @a += @a\n" * 60 + "EXEC (@a)\n",
}


def sent(client: Client, text: str) -> Any:
    body = {"sql": [{"instance": "hostile", "scripts": [{"text": text}]}]}
    return client.post(IMPORT, json.dumps(body), "application/json")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", TEXTS)
def test_a_small_script_that_becomes_a_large_one_is_refused(client: Client, name: str) -> None:
    answer = sent(client, TEXTS[name])
    assert 400 <= answer.status_code < 500
    assert "characters" in answer.json()["detail"]
    assert len(answer.content) < 2_000
    assert "hostile" not in instances()


@pytest.mark.usefixtures("small")
def test_an_answer_is_short_whatever_a_script_is_like(client: Client) -> None:
    answer = sent(client, f"CREATE QUEUE [{'x' * 5_000}]\n" * 20)
    assert answer.status_code == 200
    assert len(answer.content) < 20 * 1_000


@pytest.mark.usefixtures("small")
def test_the_live_estate_remembers_what_an_import_could_not_apply(client: Client) -> None:
    answer = sent(client, "USE A\nGO\nEXEC (@c + 'CREATE ROUTE r WITH ADDRESS = ''LOCAL''')\n")
    assert answer.json()["complete"] is False
    [missing] = estate_current().estate.instances["hostile"].missing_statements
    assert (missing.statement, missing.database, missing.object, missing.line) == ("CREATE ROUTE", "A", "r", 3)
    document = client.get(f"{API}/estate/").getvalue()
    assert json.loads(document)["instances"][-1]["missing_statements"][0]["object"] == "r"
