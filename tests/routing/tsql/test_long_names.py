"""Names and values that no server could hold: refused or cut, wherever a script writes them."""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.finding import Finding
from routing.common.sentence import say
from routing.documents.estate_document import read_estate, write_estate
from routing.tsql import ScriptGroup, read_scripts
from tests.routing.tsql.rich import AT

LONG = "n" * 100_000
HEAD = """USE A
GO
CREATE QUEUE q; CREATE MESSAGE TYPE m; CREATE CONTRACT c (m SENT BY ANY); CREATE SERVICE s ON QUEUE q;
GO
"""
STATEMENTS = """
CREATE QUEUE [{LONG}]
CREATE QUEUE [{LONG}].q
CREATE QUEUE x WITH ACTIVATION (PROCEDURE_NAME = [{LONG}], MAX_QUEUE_READERS = 1, EXECUTE AS '{LONG}')
CREATE SERVICE [{LONG}] ON QUEUE q
CREATE SERVICE z ON QUEUE [{LONG}]
CREATE SERVICE z ON QUEUE q ([{LONG}])
CREATE SERVICE z ON QUEUE [{LONG}].q
CREATE CONTRACT [{LONG}] (m SENT BY ANY)
CREATE CONTRACT cc ([{LONG}] SENT BY ANY)
CREATE MESSAGE TYPE [{LONG}]
CREATE MESSAGE TYPE k VALIDATION = VALID_XML WITH SCHEMA COLLECTION [{LONG}]
CREATE ROUTE [{LONG}] WITH ADDRESS='LOCAL'
CREATE ROUTE r WITH ADDRESS='{LONG}'
CREATE ROUTE r WITH ADDRESS='tcp://{LONG}:4022'
CREATE ROUTE r WITH SERVICE_NAME='{LONG}', ADDRESS='LOCAL'
CREATE ROUTE r WITH BROKER_INSTANCE='{LONG}', ADDRESS='LOCAL'
CREATE ROUTE r WITH ADDRESS='tcp://a:1', MIRROR_ADDRESS='tcp://{LONG}'
CREATE ROUTE r WITH LIFETIME={DIGITS}, ADDRESS='LOCAL'
CREATE BROKER PRIORITY [{LONG}] FOR CONVERSATION
CREATE BROKER PRIORITY p FOR CONVERSATION SET (CONTRACT_NAME=[{LONG}])
CREATE BROKER PRIORITY p FOR CONVERSATION SET (LOCAL_SERVICE_NAME=[{LONG}], REMOTE_SERVICE_NAME='{LONG}')
CREATE REMOTE SERVICE BINDING [{LONG}] TO SERVICE 'x' WITH USER=u
CREATE REMOTE SERVICE BINDING b TO SERVICE '{LONG}' WITH USER=u
CREATE REMOTE SERVICE BINDING b TO SERVICE 'x' WITH USER=[{LONG}]
CREATE DATABASE [{LONG}]
USE [{LONG}]¶CREATE QUEUE q
ALTER DATABASE [{LONG}] SET ENABLE_BROKER
ALTER DATABASE A MODIFY NAME = [{LONG}]
DROP DATABASE [{LONG}]
CREATE ENDPOINT [{LONG}] STATE=STARTED AS TCP (LISTENER_PORT=4022) FOR SERVICE_BROKER ()
CREATE ENDPOINT e STATE=STARTED AS TCP (LISTENER_PORT=4022) FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [{LONG}])
:CONNECT {LONG}¶CREATE QUEUE x
:r {LONG}
:setvar {LONG} x
EXEC [{LONG}]..sp_executesql N'CREATE QUEUE z'
EXEC ('CREATE QUEUE [{LONG}]')
EXEC ('CREATE QUEUE [{LONG}]' + @x)
EXEC ('CREATE QUEUE q') AT [{LONG}]
CREATE PROC [{LONG}] AS CREATE QUEUE pq¶GO¶EXEC [{LONG}]
DROP ROUTE [{LONG}]
ALTER SERVICE s (ADD CONTRACT [{LONG}])
-- brokerui: {"instance": {"name": "{LONG}"}}
-- brokerui: {"route": {"name": "{LONG}", "address": "LOCAL"}}
-- brokerui: {"route": {"name": "r", "address": "tcp://{LONG}"}}
-- brokerui: {"queue": {"name": "{LONG}"}}
-- brokerui: {"queue": {"name": "q", "activation": {"procedure": "{LONG}"}}}
-- brokerui: {"instance": {"endpoint": {"port": 1, "authentication": "{LONG}"}}}
-- brokerui: {"message_type": {"name": "q", "schema_collection": "{LONG}"}}
-- brokerui: {"service": {"name": "q", "queue": "{LONG}"}}
-- brokerui: {"database": {"name": "A", "mirroring_role": "{LONG}"}}
-- brokerui: {"{LONG}": 1}
-- brokerui: {"drop": {"route": "{LONG}"}}
""".strip().splitlines()
"""{LONG} stands for the name, and ¶ for the end of a line."""


def read(text: str) -> Any:
    return read_scripts([ScriptGroup("h", None, [("x.sql", HEAD + text)])], at=AT)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_name_of_a_hundred_thousand_characters_stays_out_of_estate_and_findings(statement: str) -> None:
    estate, findings = read(statement.replace("{LONG}", LONG).replace("{DIGITS}", "9" * 1000).replace("¶", "\n"))
    document = write_estate(estate)
    assert len(document) < 3_000
    assert read_estate(document) == estate
    for finding in findings:
        assert len(str(finding.reason)) < 1_000
        assert all(len(name or "") <= 257 for name in (finding.instance, finding.database, finding.object))


def test_a_finding_shows_a_name_that_a_server_can_hold_in_full() -> None:
    name = "n" * 256
    finding = Finding("x", "info", None, None, name, say("about {one}", one=say("{name}", name=name)))
    assert (finding.object, str(finding.reason)) == (name, f"about {name}")
    longer = Finding("x", "info", None, None, name + "n", say("about {one}", one=(name + "n", "b")))
    assert (longer.object, str(longer.reason)) == (f"{name}…", f"about {name}…, b")
