"""A site with something of everything in it; every name is an attack."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.test import override_settings
from django.utils import timezone

from brokerui.accounts.instance_groups import group_save
from brokerui.accounts.levels import Role
from brokerui.accounts.services import token_create
from brokerui.analysis.alerts.channels import channel_create
from brokerui.analysis.alerts.deliveries import channel_test
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import AlertRule
from brokerui.analysis.alerts.rule_writing import silence_begin
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.services import alerts_evaluate
from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.lint.services import suppression_add
from brokerui.analysis.routing_tests.services import routing_tests_write
from brokerui.analysis.servers.models import CollectionSource
from brokerui.analysis.servers.services import collection_keep
from brokerui.analysis.servers.sums import DatabaseSums, ServerSums
from brokerui.analysis.traffic.models import Change, File, Link, Round, RoundState, Run
from brokerui.api.ids import id_of
from brokerui.changes.estate_view import estate_view_from
from brokerui.changes.services import draft_create
from brokerui.core.jobs.models import Job, JobState
from brokerui.estate.map_views.services import map_view_create
from brokerui.estate.models import Instance
from brokerui.estate.scenarios.services import scenario_create
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from brokerui.messaging.services import Message, conversation_begin, conversation_send
from brokerui.pages.tables.row_kinds import KINDS
from routing.catalog.broker_log import BrokerEvent
from routing.common.sentence import say
from routing.dialog.states import STATES
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.edits import DropRoute, PutRoute
from routing.model.endpoint_groups import EndpointGroup
from routing.model.route import Route
from tests.brokerui.analysis.imports.helpers import previewed
from tests.brokerui.estates import IDENTIFIER, LOCAL, database, document, instance, to
from tests.brokerui.site import user_of

EVIL = "</script><x-evil x-evil='1'>\"'`&{{7*7}}%s\u202e\u2028"
"""Ends a script, an attribute in either quotation marks, and a line; begins an element and an attribute of its own."""


def evil(word: str) -> str:
    """A name that does all of this."""
    return f"{word}{EVIL}"


HUB, SALES, FAR, DEPOT = map(evil, ("hub", "Sales", "far", "Depot"))
SHIP, AUDIT, QUEUE = map(evil, ("Ship", "Audit", "Queue"))


def estate_text() -> str:
    """Servers with something of every kind, and with findings."""
    routes = [to("tcp://far", SHIP, name=evil("ToFar")), to("tcp://gone.example", AUDIT, name=evil("ToGone"))]
    depot = {
        **database(DEPOT, LOCAL, broker_instance=IDENTIFIER.format(2)),
        "services": [{"name": SHIP, "queue": QUEUE, "contracts": [evil("c")]}],
        "queues": [{"name": QUEUE, "enabled": True, "activation": {"procedure": evil("Run"), "max_readers": 4}}],
        "contracts": [{"name": evil("c"), "messages": [{"message_type": evil("m"), "sent_by": "INITIATOR"}]}],
        "message_types": [{"name": evil("m"), "validation": "WELL_FORMED_XML"}],
        "priorities": [{"name": evil("p"), "priority_level": 7}],
        "remote_service_bindings": [{"name": evil("b"), "remote_service_name": SHIP, "user": evil("u")}],
    }
    hub = instance(
        "hub", database(SALES, *routes, LOCAL, services=(evil("Out"),), broker_instance=IDENTIFIER.format(1))
    )
    far = instance("far", depot, database("msdb", LOCAL))
    return document({**hub, "name": HUB}, {**far, "name": FAR})


def world_made() -> dict[str, Any]:
    """What addresses are about, by the words of `addresses.py`."""
    user = user_of(Role.ADMINISTRATOR)
    estate_import(estate=read_estate(estate_text()), author=user.username, note=EVIL)
    scenario, _gone = scenario_create(title=EVIL, text=estate_text(), author=user.username)
    script = f"CREATE DATABASE [{evil('New')}];\nGO\nUSE [{evil('New')}];\nCREATE ROUTE [{evil('r')}] WITH ADDRESS = 'tcp://x:1';"
    run = previewed({f"{EVIL}.sql".replace("/", ""): script})
    found = findings_for(estate_view_from({})).findings
    until = timezone.now() + timedelta(days=9)
    [row] = suppression_add(findings=found[:1], owner=EVIL, reason=EVIL, expires=until, author=user.username)
    for role in Role:
        token_create(user=user_of(role), name=EVIL)
    AccessAttempt.objects.create(
        username=EVIL, ip_address="192.0.2.1", failures_since_start=9, attempt_time=timezone.now()
    )
    other = User.objects.create_user("other")
    Instance.objects.filter(name=HUB).update(hosted=True)
    return {
        "instance_group": group_save(name=EVIL[:100], instances=[HUB], author=user.username).pk,
        "scenario": scenario.name,
        "run": run.pk,
        "suppression": row.pk,
        "user": other.pk,
        "instance": HUB,
        "csv": "changes",
        "code": found[0].code,
        "field": "from",
        "kind": "database",
        "version": estate_current().version,
        "draft": draft_made(user.username),
        "map_view": view_made(user.username),
        "saved_view": filter_made(user.username),
        "alert_rule": AlertRule.objects.earliest("pk").pk,
        "alert_channel": channel_made(user.username),
        "alert_silence": alert_made(user.username),
        "test_file": tests_made(user.username),
        "row_kind": "database",
        "edit_index": 0,
        "handle": conversation_made(),
        "kept": "to_send",
        "message": 0,
        "nowhere": "nowhere",
        "traffic_run": traffic_made(),
        "traffic_table": "differential",
        "traffic_round": round_made(),
        "server": id_of((FAR,)),
        "left_database": id_of((FAR, evil("Left"))),
        "hosted_queue": id_of((HUB, SALES, evil("Out"))),
        "collection": collection_made(user.username),
        "job": Job.objects.latest("pk").pk,
        **{f"row_{name}": kind.model.objects.earliest("pk").pk for name, kind in KINDS.items()},
        **{f"id_{name}": id_of(key) for name, key in _keys().items()},
    }


def draft_made(author: str) -> int:
    """One that adds a route and drops another."""
    route = Route(evil("Drafted"), SHIP, None, None, parse_address("tcp://gone.example"))
    edits = [PutRoute(HUB, SALES, route), DropRoute(HUB, SALES, evil("ToGone"))]
    return draft_create(name=EVIL, description=EVIL, edits=edits, author=author).id


def view_made(owner: str) -> str:
    """A saved view of the map that everybody sees. Its title, unlike other names, is of printable characters."""
    title = "".join(letter for letter in evil("View") if letter.isprintable())
    places = [(f"instance/{quote(HUB, safe='')}", 4, 8)]
    return map_view_create(title=title, query={"q": EVIL}, places=places, is_shared=True, owner=owner).key


def filter_made(owner: str) -> str:
    """A saved filter of Events that everybody sees."""
    title = "".join(letter for letter in evil("Filter") if letter.isprintable())
    made = map_view_create(title=title, page="events", query={"target": evil("To")}, is_shared=True, owner=owner)
    return made.key


def channel_made(author: str) -> int:
    """A webhook to an address that is refused, with a delivery."""
    name = "".join(letter for letter in evil("Hook") if letter.isprintable())
    with override_settings(ALERT_HOSTS=["127.0.0.1"], KEYS_SECRET="x"):
        at = timezone.now()
        row, _secret = channel_create(
            kind="webhook", name=name, target="https://127.0.0.1:9/", severity="error", author=author, at=at
        )
    channel_test(channel=row, author=author, at=at)
    return row.pk


def alert_made(author: str) -> int:
    """An open alert about an object with a hostile name, and a silence of it."""
    at = timezone.now()
    heading = say("Many messages wait in the transmission queue of {place}", place=EVIL)
    seen = Observed(key=EVIL, figure=99_999, heading=heading, page="/queues/", instance=HUB, database=SALES)
    AlertRule.objects.filter(kind=RuleKind.DEPTH).update(hold_s=0)
    alerts_evaluate({RuleKind.DEPTH: [seen]}, at)
    text = "".join(letter for letter in EVIL if letter.isprintable())
    silence = {"instance": HUB, "key": EVIL, "owner": text, "reason": text, "ends": at + timedelta(days=1)}
    return silence_begin(rule=None, **silence, author=author, at=at).pk


def collection_made(author: str) -> int:
    """Messages, conversations and errors of a real server, all with hostile names."""
    at = timezone.now() - timedelta(hours=1)
    groups = tuple(
        EndpointGroup(endpoints=5_000, state=state, service=evil("s"), age_days=30) for state in STATES if state
    )
    queue = CollectedTransmissions(at, (TransmissionSum(7, EVIL, evil("s"), evil("t"), None, at),))
    database = DatabaseSums(name=evil("Left"), transmissions=queue, endpoints=groups)
    events = (BrokerEvent("error log", 28054, EVIL, EVIL, 3, EVIL, EVIL),)
    sums = ServerSums(server=FAR, at=at, databases=(database,), events=events, product_version=EVIL[:100])
    return collection_keep(sums=sums, author=author, source=CollectionSource.PASTED).pk


def tests_made(author: str) -> str:
    """A file with a test that fails in the draft as in the live estate. Names of tests are of printable characters."""
    names = {"name": "".join(letter for letter in evil("Test") if letter.isprintable()), "from": f"{HUB}/{SALES}"}
    text = json.dumps({"tests": [{**names, "to": evil("Gone"), "must": f"delivered {FAR}/{DEPOT}"}]})
    return routing_tests_write(name="evil.yaml", text=text, seen="", author=author).name


def conversation_made() -> str:
    """One that waits for a service which has no route."""
    named = {"instance": HUB, "database": SALES, "from_service": evil("Out"), "to_service": evil("Gone")}
    handle = conversation_begin(**named, encryption=False).conversation_handle
    conversation_send(instance=HUB, handles=[handle], messages=[Message(EVIL.encode())])
    return handle


def traffic_made() -> int:
    """A result of the pipeline."""
    now, weight = timezone.now(), {"rows": 1, "messages": 2, "bytes": 3}
    counts = {"rows_in": 1, "rows_out": 1, "quarantined": 0, "seconds": 1.0, "load_seconds": 1.0}
    record = {"inputs": [{"path": EVIL, "sha256": EVIL}], "reasons": {EVIL: 1}, "versions": {EVIL: EVIL}}
    about = {"job": "replay", "digest": "1", "folder": EVIL, "started_at": now, "loaded_at": now, "record": record}
    run = Run.objects.create(**about, **counts)
    File.objects.create(run=run, table=evil("t")[:40], path=EVIL, rows=1, bytes=1, sha256=EVIL)
    origin = {"run": run, "from_instance": HUB, "from_database": SALES, **weight}
    ends = {"before": [{"outcome": "exits", "instance": HUB, "address": EVIL}], "after": []}
    Change.objects.create(**origin, to_service=SHIP, is_reply=False, verdict="worse", kind="moved", **ends)
    for side in ("before", "after"):
        end = {"outcome": "exits", "instance": HUB, "address": EVIL, "is_certain": True}
        Link.objects.create(**origin, side=side, **end)
    return run.pk


def round_made() -> int:
    """A round of the pipeline that goes on."""
    now, step = timezone.now(), {"name": "ingest", "stage": EVIL, "rows": 1, "seconds": 1.0}
    about = {"asked_at": now, "asked_by": EVIL[:20], "began_at": now, "steps": [step]}
    lapse = now + timedelta(days=1)
    moments = {"requested_at": now, "due_at": now, "lapses_at": lapse}
    job = Job.objects.create(kind="round", key=EVIL[:100], state=JobState.RUNNING, error=EVIL, **moments)
    one = Round.objects.create(state=RoundState.RUNNING, job=job, log=EVIL, error=EVIL, **about)
    return one.pk


def _keys() -> dict[str, tuple[str, ...]]:
    return {
        "instance": (HUB,),
        "database": (HUB, SALES),
        "service": (FAR, DEPOT, SHIP),
        "queue": (FAR, DEPOT, QUEUE),
        "route": (HUB, SALES, evil("ToFar")),
    }
