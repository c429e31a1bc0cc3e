"""The classic causes on the real processes, over TCP with TLS: each is named with its remedy, and drains with it.

One product stages all of them at once, so that they cost one start. The clock that is wrong is that of the machine that
made the endpoint's certificate: the certificate begins tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from brokerui.api.ids import id_of
from tests.brokerui.homes import MakeHome
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.product import eventually, running
from tests.brokerui.staged.real_product import HOSTS, Stage, certify, host_all, settings, signed_in

pytestmark = [pytest.mark.slow, pytest.mark.thorough("test_causes.py stages each cause without processes")]
EACH = [name for name in HOSTS if name != "D"]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, make_home: MakeHome) -> Iterator[Stage]:
    """The product with every fault; the wrong clock is staged first and mended, because no connection works before."""
    authority = Authority(tmp_path_factory.mktemp("certificates"))
    home = make_home(tmp_path_factory.mktemp("staged"))
    certify(authority, EACH, begins=timedelta(days=1))
    with running(home, **settings(authority)) as product:
        yield Stage(product, host_all(product), signed_in(product), authority)


def test_every_cause_is_named_and_drains_with_its_remedy(stage: Stage) -> None:
    """One test in order: each cause takes seconds until it shows, and all of them wait at the same time."""
    _wrong_clock(stage)
    handles = stage.send("back", "port", "stopped", "contract", "forwarder", "mirror", "leak", "certificate")
    _poison(stage)
    for title, decides, says, sql in DRAFTED:
        cause = stage.cause(title)
        assert says in cause["sentence"], cause
        assert [look["look"] for look in cause["looks"] if look["decides"]] == [decides]
        assert sql in cause["remedy_sql"]
    _same_as_collected(stage)
    for title, *_ in DRAFTED:
        stage.draft_and_apply(stage.cause(title))
    _refused_certificate(stage)
    _mirror(stage)
    _contract(stage, handles["contract"])
    for service in ("back", "port", "stopped", "forwarder", "poison", "certificate", "mirror"):
        stage.drains(f"To_{service}")
    _leak(stage, handles["leak"])
    flowed = stage.api("drains/?limit=100")["results"]
    assert {one["subject"] for one in flowed if one["act"] == "version"} >= {"To_back", "To_port"}, flowed


DRAFTED = (
    (
        "To_back has no way back to A/back",
        "way_back",
        "do not find their way back.",
        "CREATE ROUTE [Return to From_back]",
    ),
    ("A/port cannot reach the server of To_port", "way_there", "and B listens at tcp://127.0.0.2:", "ALTER ROUTE [to]"),
    ("A/stopped cannot reach the server of To_stopped", "endpoints", "the endpoint of S is STOPPED", "STATE = STARTED"),
    ("F discards messages for To_forwarder", "way_there", "routing drops it at F", "CREATE ROUTE [To To_forwarder]"),
)
"""Causes whose remedy is a draft: the title, the look that decides, a part of the sentence and of the T-SQL."""


def _wrong_clock(stage: Stage) -> None:
    """The certificate begins tomorrow; with one that is valid, a retry from the page drains it."""
    stage.send("clock")
    cause = stage.cause("A/clock and the server of To_clock do not let each other in")
    assert "certificate is not yet valid; look at its dates, and compare the clocks of both" in cause["sentence"]
    assert [look["look"] for look in cause["looks"] if look["decides"]] == ["endpoints"]
    assert cause["remedy_sql"].startswith("date -u; openssl x509")
    stage.certify(*EACH)
    stage.retry("A", "clock", "To_clock")
    stage.drains("To_clock")


def _poison(stage: Stage) -> None:
    """Five receives of the first message are rolled back; the second waits for the queue, and drains once it is on."""
    stage.send("poison")
    for _ in range(5):
        received = eventually(
            lambda: (one := stage.api("queues/B/two/Q_poison/receive/", {"wait_ms": 5000}))["receipt"] and one
        )
        stage.api(f"receipts/{received['receipt']}/", {"action": "rollback"})
    stage.send("poison")
    cause = stage.cause("Queue Q_poison in B/two is off")
    assert cause["kind"] == "queue off"
    assert cause["remedy_sql"].endswith("ALTER QUEUE [Q_poison] WITH STATUS = ON;")
    stage.press("/delayed/switch-on/", {"instance": "B", "database": "two", "queue": "Q_poison"})
    eventually(lambda: all(one["cause"] != cause["cause"] for one in stage.causes()))


def _refused_certificate(stage: Stage) -> None:
    """The certificate does not name `D`: nobody lets `D` in."""
    cause = stage.cause("D/one and the server of To_certificate do not let each other in")
    assert "may not connect as D" in cause["sentence"], cause
    assert [look["look"] for look in cause["looks"] if look["decides"]] == ["endpoints"]
    assert "subjectAltName=DNS:A,DNS:B,DNS:D" in cause["remedy_sql"]
    stage.certify(*HOSTS)
    stage.retry("D", "one", "To_certificate")


def _mirror(stage: Stage) -> None:
    """The endpoint of the principal is stopped; the failover, pressed on *Delayed*, has the mirror take over."""
    cause = stage.cause("A/mirror knows no principal for To_mirror")
    assert cause["remedy_sql"] == "brokerui failover N/pair"
    place = {"instance": "N", "database": "pair"}
    assert "Fail pair over to N?" in stage.press("/delayed/failover/", place).text
    stage.press("/delayed/failover/", {**place, "confirmed": "1"})


def _contract(stage: Stage, handle: str) -> None:
    """The target refuses the contract; the conversation has ended with an error that names it."""
    titles = [one["cause"] for one in stage.causes()]
    assert "B/two discards messages that arrive" in titles
    eventually(lambda: stage.api(f"dialogs/{handle}/")["state"] == "ER")


def _leak(stage: Stage, handle: str) -> None:
    """The initiator ends first, and the target never does: its rows, pasted as those of a server, are a leak."""
    stage.drains("To_leak")
    stage.api(f"dialogs/{handle}/end/", {})
    here = eventually(lambda: [row for row in stage.rows("conversation_endpoints") if _is_left(row)])
    columns = ("service_name", "far_service", "is_initiator", "state", "age_days", "endpoints")
    (row,) = here
    line = (row["service_name"], row["far_service"], "0", row["state"], "180", "40000")  # as after half a year
    content = "\n".join("\t".join(one) for one in (columns, line))
    stage.api("collections/", {"server": "R", "database": "two", "content": content + "\n"})
    (server,) = stage.api("servers/")["results"]
    found = stage.api(f"servers/leaks/{_leak_id(stage, server)}/")
    assert [(one["service"], one["state"], one["is_leak"]) for one in found["groups"]] == [("To_leak", "DI", True)]
    assert "END CONVERSATION" in found["clean_up"]["sql"]


def _is_left(row: dict[str, Any]) -> bool:
    return row["service_name"] == "To_leak" and row["state"] == "DI"


def _leak_id(stage: Stage, server: dict[str, Any]) -> str:
    return str(id_of((server["name"], "two")))


def _same_as_collected(stage: Stage) -> None:
    """Rows of the transmission queue, pasted as those of a real server of another name, are named by the same title."""
    columns = ("to_service_name", "to_broker_instance", "from_service_name", "enqueue_time", "transmission_status")
    rows = [row for row in stage.rows("transmission_queue") if row["to_service_name"] == "To_port"]
    lines = ["\t".join(str(row[name] or "") for name in columns) for row in rows]
    content = "\n".join(("\t".join(columns), *lines, ""))
    stage.api("collections/", {"server": "R", "database": "port", "content": content})
    (server,) = stage.api("servers/")["results"]
    found = stage.api(f"servers/{server['id']}/")["causes"]
    assert [one["cause"] for one in found] == ["R/port cannot reach the server of To_port"]
    assert found[0]["remedy_sql"] or found[0]["sentence"]
