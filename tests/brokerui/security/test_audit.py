"""Every write of the site leaves an entry: author, time, address, action."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.accounts.models import Token
from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.traffic.models import Round
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.jobs.models import Job
from brokerui.demo.models import Demo
from brokerui.estate.models import AuditEntry, Instance, Route
from brokerui.estate.refs import database
from brokerui.messaging.models import ConversationEndpoint
from brokerui.pages.findings.finding_ids import token
from tests.brokerui.analysis.imports.helpers import SHOP, previewed, uploaded
from tests.brokerui.analysis.imports.test_page import fields
from tests.brokerui.analysis.imports.test_page import send as send_files
from tests.brokerui.analysis.servers.pastes import QUEUE as PASTED_QUEUE
from tests.brokerui.api.helpers import change, send
from tests.brokerui.pages.changes.test_panel import INSTANCE, lines
from tests.brokerui.pages.changes.test_rows import fields as row_fields
from tests.brokerui.pages.tables.test_forms import page_of, save, save_all_the_same
from tests.brokerui.pages.tables.test_lists import confirmed
from tests.brokerui.security.addresses import ADDRESSES
from tests.brokerui.security.world import DEPOT, EVIL, FAR, HUB, SALES, estate_text, evil
from tests.brokerui.site import BACKEND, PASSWORD, confirmed_post, document, reader_of_bodies, upload, user_of

World = dict[str, Any]
NAMED = {"title": "Mine"}
Write = Callable[[Client, World], Any]
HERE = "192.0.2.44"
NEW_PASSWORD = "another staple of batteries"
NEW_TOKEN = {"name": "mine", "level": "view", "days": "7"}
PLACE = {"instance": HUB, "database": SALES}


def reader_of(world: World) -> str:
    """The conversation, whose bodies the administrator may read from now on."""
    reader_of_bodies(Role.ADMINISTRATOR)
    return str(world["handle"])


def suppress(client: Client, _world: World) -> Any:
    found = [token(findings_for(estate_view_from({})).findings[0])]
    day = (timezone.now() + timedelta(days=9)).date().isoformat()
    return client.post("/findings/suppress/", {"finding": found, "owner": "a", "reason": "b", "expires": day})


def change_password(client: Client, _world: World) -> Any:
    typed = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    return client.post("/account/password/", typed)


def change_preferences(client: Client, _world: World) -> Any:
    chosen = {"theme": "dark", "density": "compact", "clock": "12", "zone": "Europe/Berlin", "keys": "on"}
    return client.post("/account/preferences/", chosen)


def revoke_own(client: Client, _world: World) -> Any:
    mine = Token.objects.get(user=user_of(Role.ADMINISTRATOR))
    return client.post(reverse("account:revoke", args=[mine.token_key]))


def step(name: str, **sent: str) -> Write:
    return lambda client, _world: confirmed_post(
        client, reverse(f"imports:{name}", args=[previewed({"a.sql": SHOP}).pk]), sent
    )


def assign(client: Client, _world: World) -> Any:
    run = uploaded({"a.sql": SHOP})
    return client.post(reverse("imports:preview", args=[run.pk]), fields(run))


def take_demo_away(client: Client, _world: World) -> Any:
    Demo.objects.create(id=Demo.KEY, loaded_at=Instance.objects.earliest("imported_at").imported_at)
    return client.post("/demo/remove/")


def run_pipeline(client: Client, world: World) -> Any:
    Round.objects.filter(pk=world["traffic_round"]).update(state="done")
    with override_settings(TRAFFIC_FOLDER="/traffic"):
        return client.post(reverse("traffic:start"))


def start_round(client: Client, world: World) -> Any:
    """Only once no round is open."""
    Round.objects.filter(pk=world["traffic_round"]).update(state="done")
    return send(client, "post", reverse("api:rounds"), {"is_generated": True})


def generate_traffic(client: Client, world: World) -> Any:
    """Only once no round is open."""
    Round.objects.filter(pk=world["traffic_round"]).update(state="done")
    return client.post(reverse("traffic:generate"))


def keep_pasted(client: Client, _world: World) -> Any:
    preview = client.post("/servers/paste/", {"server": "sql1", "database": "Orders", "text": PASTED_QUEUE})
    sums = re.findall(r'name="sums" value="([^"]+)"', preview.content.decode())
    return client.post("/servers/paste/", {"sums": sums[0]} if sums else {})


def try_job_again(client: Client, world: World) -> Any:
    Job.objects.filter(pk=world["job"]).update(kind="lint", state="failed")
    return client.post(reverse("jobs:retry", args=[world["job"]]))


def on_rows(name: str, action: str) -> Write:
    return lambda client, _world: client.post(
        url := reverse(f"tables:{name}_changelist"),
        {"action": action, "index": "0", "_selected_action": [str(first_of(client, url))]},
    )


def first_of(client: Client, url: str) -> Any:
    return client.get(url).context["cl"].result_list[0].pk


def drop_route(client: Client, _world: World) -> Any:
    url = page_of(Route.objects.earliest("pk"), "delete")
    return confirmed_post(client, url, {"base_version": client.get(url).context["base_version"]})


def user_change(client: Client, world: World) -> Any:
    return client.post(
        reverse("tables:auth_user_change", args=[world["user"]]), {"role": "viewer", "password": PASSWORD}
    )


RULE_TEXTS = {"kind": "depth", "threshold": "9", "severity": "error"}


def add_channel_on_page(client: Client, _world: World) -> Any:
    texts = {"kind": "email", "name": "Mail", "target": "a@b.example", "severity": "error"}
    with override_settings(EMAIL_HOST="mail.example"):
        return client.post(reverse("alerts:channel_new"), texts)


def add_channel(client: Client, _world: World) -> Any:
    with override_settings(EMAIL_HOST="mail.example"):
        body = {"kind": "email", "name": "Mail", "target": "a@b.example"}
        return send(client, "post", reverse("api:alert_channels"), body)


def silence_for_a_day() -> dict[str, str]:
    return {"owner": "a", "reason": "b", "ends": (timezone.now() + timedelta(days=1)).isoformat()}


def draft_step(*steps: str) -> Write:
    """The request to a draft that has one step to take back."""

    def write(client: Client, world: World) -> Any:
        args = [world["draft"]]
        change(client, "put", reverse("api:change_edits", args=args), {"edits": []})
        answer = None
        for step in steps:
            etag = client.get(reverse("api:change", args=args)).headers["ETag"]
            answer = send(client, "post", reverse(f"api:change_{step}", args=args), If_Match=etag)
        return answer

    return write


def draft_review(*steps: str, **body: Any) -> Write:
    """The request to a draft that has taken all steps before the last one; `body` goes with the first one."""

    def write(client: Client, world: World) -> Any:
        args, answer, bodies = [world["draft"]], None, [body]
        for step in steps:
            etag = client.get(reverse("api:change", args=args)).headers["ETag"]
            address = reverse(f"api:change_{step}", args=args)
            answer = send(client, "post", address, bodies.pop() if bodies else {}, If_Match=etag)
        return answer

    return write


def review_button(name: str, first: str = "", **values: Any) -> Write:
    """The button of a draft, after the step `first` over REST; without it, `values` go with the button."""

    def write(client: Client, world: World) -> Any:
        if first:
            draft_review(first, **values)(client, world)
        sent = {"revision": 2 if first else 1, **({} if first else values)}
        return confirmed_post(client, f"/changes/{world['draft']}/{name}/", sent)

    return write


def draft_form(path: str, **values: str) -> Write:
    """The form of a draft at this path, for the draft as it is at first."""

    def write(client: Client, world: World) -> Any:
        return client.post(f"/changes/{world['draft']}/{path}", {**values, "revision": 1})

    return write


def kept(**values: str) -> dict[str, str]:
    """The form of the kept file of routing tests."""
    return {**values, "seen": KeptTestFile.objects.get().digest}


def draft_rows(client: Client, world: World) -> Any:
    """The table of a draft's routes, with another address in one row."""
    url = f"/changes/{world['draft']}/rows/"
    sent = row_fields(client.get(url))
    first = next(name for name, value in sent.items() if name.startswith("address-") and value != "LOCAL")
    return client.post(url, {**sent, first: "LOCAL", "action": "save"})


def rebase_button(client: Client, world: World) -> Any:
    change(client, "delete", reverse("api:route", args=[world["id_route"]]))
    return review_button("rebase")(client, world)


def rebase(client: Client, world: World) -> Any:
    change(client, "delete", reverse("api:route", args=[world["id_route"]]))
    return draft_review("rebase")(client, world)


def restore(client: Client, world: World) -> Any:
    change(client, "delete", reverse("api:route", args=[world["id_route"]]))
    return send(client, "post", reverse("api:version_restore", args=[world["version"]]))


def remedy_button(client: Client, _world: World) -> Any:
    route = Route.objects.select_related("database__instance").earliest("pk")
    sql = f"USE [{route.database.name}]; DROP ROUTE [{route.name}];"
    remedy = {"instance": route.database.instance.name, "sql": sql, "about": route.name}
    return client.post(reverse("changes:remedy"), {"remedy": json.dumps(remedy)})


def draft_of_remedies(client: Client, world: World) -> Any:
    """The remedies of a cause: the conversation waits for a service that another instance has."""
    there = {"name": evil("There"), "queue": evil("There"), "contracts": ["DEFAULT"]}
    add = {"instance": FAR, "database": DEPOT, **there}
    send(client, "post", reverse("api:services"), add)
    rows = ConversationEndpoint.objects.filter(conversation_handle=world["handle"])
    rows.update(far_service=evil("There"), transmission_status=9793, attempts=1)
    return client.post("/delayed/draft-all/", {"cause": "9793"})


def restore_button(client: Client, world: World) -> Any:
    change(client, "delete", reverse("api:route", args=[world["id_route"]]))
    return client.post(reverse("changes:restore", args=[world["version"]]))


def draft_button(name: str, first: str) -> Write:
    """The button of a draft that has one step to take back, or after the button `first` one to make again."""

    def write(client: Client, world: World) -> Any:
        draft_step(*filter(None, [first]))(client, world)
        return client.post(f"/changes/{world['draft']}/{name}/", {"revision": 3 if first else 2})

    return write


WRITES: dict[str, tuple[str, Write]] = {
    "account:password": ("user.password", change_password),
    "account:preferences": ("preferences.change", change_preferences),
    "api:preferences": (
        "preferences.change",
        lambda client, _: change(client, "patch", reverse("api:preferences"), {"zone": "Europe/Berlin"}),
    ),
    "api:user": (
        "user.instances",
        lambda client, world: change(
            client,
            "patch",
            reverse("api:user", args=[world["user"]]),
            {"groups": [{"group": EVIL[:100]}]},
        ),
    ),
    "shell:theme": ("preferences.change", lambda client, _: client.post("/theme/", {"theme": "dark"})),
    "shell:keys": ("preferences.change", lambda client, _: client.post("/shortcuts/", {"keys": "off"})),
    "account:tokens": ("token.create", lambda client, _: client.post("/account/tokens/", NEW_TOKEN)),
    "account:revoke": ("token.revoke", revoke_own),
    "findings:suppress": ("finding.suppress", suppress),
    "findings:remove": (
        "finding.unsuppress",
        lambda client, world: client.post(reverse("findings:remove", args=[world["suppression"]])),
    ),
    "imports:start": ("import.upload", lambda client, _: send_files(client, {"a.sql": SHOP})),
    "imports:preview": ("import.assign", assign),
    "imports:again": ("import.again", step("again")),
    "imports:apply": ("import.apply", step("apply", note="why")),
    "imports:discard": ("import.discard", step("discard")),
    "imports:scenario": ("scenario.create", step("scenario")),
    "scenarios:list": ("scenario.create", lambda client, _: client.post("/scenarios/", upload(document("a")))),
    "scenarios:delete": (
        "scenario.delete",
        lambda client, world: client.post(reverse("scenarios:delete", args=[world["scenario"]])),
    ),
    "demo:remove": ("estate.edit", take_demo_away),
    "tables:estate_KIND_changelist": (
        "estate.edit",
        lambda client, _: confirmed(
            client, reverse("tables:estate_route_changelist"), "delete_rows", Route.objects.all()[:2]
        ),
    ),
    "tables:estate_KIND_add": (
        "estate.edit",
        lambda client, _: save(
            client, reverse("tables:estate_route_add"), place=f"{HUB}/{SALES}", name="New", address="LOCAL"
        ),
    ),
    "tables:estate_KIND_change": (
        "estate.edit",
        lambda client, _: save_all_the_same(client, page_of(Route.objects.earliest("pk")), address="LOCAL"),
    ),
    "tables:estate_KIND_delete": ("estate.edit", drop_route),
    "tables:auth_user_add": (
        "user.create",
        lambda client, _: client.post(
            reverse("tables:auth_user_add"), {"name": "new", "role": "editor", "active": "on", "password": PASSWORD}
        ),
    ),
    "tables:auth_user_change": ("user.change", user_change),
    "tables:accounts_instancegroup_add": (
        "instance_group.create",
        lambda client, _: client.post(reverse("tables:accounts_instancegroup_add"), {"name": "new", "instances": HUB}),
    ),
    "tables:accounts_instancegroup_change": (
        "instance_group.change",
        lambda client, world: client.post(
            reverse("tables:accounts_instancegroup_change", args=[world["instance_group"]]), {"name": "changed"}
        ),
    ),
    "tables:accounts_instancegroup_delete": (
        "instance_group.delete",
        lambda client, world: client.post(
            reverse("tables:accounts_instancegroup_delete", args=[world["instance_group"]])
        ),
    ),
    "tables:accounts_token_changelist": ("token.revoke", on_rows("accounts_token", "revoke")),
    "tables:axes_accessattempt_changelist": ("lockout.release", on_rows("axes_accessattempt", "release")),
    "api:import": (
        "estate.import",
        lambda client, _: send(client, "post", reverse("api:import"), estate_text().replace("tcp://gone", "tcp://far")),
    ),
    "api:KINDs": (
        "estate.edit",
        lambda client, _: send(client, "post", reverse("api:services"), {**PLACE, "name": "New"}),
    ),
    "api:KIND": (
        "estate.edit",
        lambda client, world: change(client, "delete", reverse("api:route", args=[world["id_route"]])),
    ),
    "changes:list": ("draft.create", lambda client, _: client.post("/changes/", {"name": "n"})),
    "changes:undo": ("draft.undo", draft_button("undo", "")),
    "changes:redo": ("draft.redo", draft_button("redo", "undo")),
    "changes:remove": (
        "draft.edit",
        lambda client, world: client.post(f"/changes/{world['draft']}/remove/", {"revision": 1, "index": 0}),
    ),
    "changes:copy": (
        "draft.create",
        lambda client, world: client.post(f"/changes/{world['draft']}/copy/", {"index": 0}),
    ),
    "changes:discard": (
        "draft.discard",
        lambda client, world: client.post(f"/changes/{world['draft']}/discard/", {"revision": 1}),
    ),
    "api:changes": (
        "draft.create",
        lambda client, _: send(client, "post", reverse("api:changes"), {"name": "n"}),
    ),
    "api:change": (
        "draft.describe",
        lambda client, world: change(client, "patch", reverse("api:change", args=[world["draft"]]), {"name": "n"}),
    ),
    "api:change_edits": (
        "draft.edit",
        lambda client, world: change(client, "put", reverse("api:change_edits", args=[world["draft"]]), {"edits": []}),
    ),
    "api:change_sql": (
        "draft.edit",
        lambda client, world: change(
            client,
            "put",
            reverse("api:change_sql", args=[world["draft"]]),
            {"instance": HUB, "sql": "CREATE DATABASE Attic;"},
        ),
    ),
    "tests:list": (
        "routing_tests.write",
        lambda client, _: client.post("/tests/", {"document": SimpleUploadedFile("new.yaml", b"tests: []")}),
    ),
    "tests:new": (
        "routing_tests.write",
        lambda client, _: client.post("/tests/new/", {"name": "new.yaml", "sql": "tests: []"}),
    ),
    "tests:file": (
        "routing_tests.write",
        lambda client, world: client.post(f"/tests/file/{world['test_file']}/", kept(sql="tests: []")),
    ),
    "tests:delete": (
        "routing_tests.delete",
        lambda client, world: client.post(f"/tests/file/{world['test_file']}/delete/", kept()),
    ),
    "api:routing_test_file": (
        "routing_tests.write",
        lambda client, _: send(client, "put", reverse("api:routing_test_file", args=["new"]), {"text": "tests: []"}),
    ),
    "api:change_undo": ("draft.undo", draft_step("undo")),
    "api:change_redo": ("draft.redo", draft_step("undo", "redo")),
    "changes:add": ("draft.edit", draft_form("add/", hop_limit="7")),
    "changes:drawn": ("draft.edit", draft_form(f"drawn/?{urlencode({'drop': database(FAR, 'msdb')})}")),
    "changes:rows": ("draft.edit", draft_rows),
    "changes:sql": ("draft.edit", draft_form("sql/", instance=HUB, sql="CREATE DATABASE Attic;")),
    "changes:route-form": (
        "draft.edit",
        draft_form(
            f"route/?{urlencode({'from_instance': HUB, 'from_database': SALES, 'local': 1})}", name="X", address="LOCAL"
        ),
    ),
    "changes:row-form": (
        "draft.edit",
        draft_form("row/instance/", name="attic", **INSTANCE, **lines("addresses", "tcp://attic.example:4022")),
    ),
    "changes:submit": ("draft.submit", review_button("submit")),
    "changes:approve": ("draft.approve", review_button("approve", "submit")),
    "changes:reject": ("draft.reject", review_button("reject", "submit")),
    "changes:reopen": ("draft.reopen", review_button("reopen", "submit")),
    "changes:comment": ("draft.comment", review_button("comment", comment="why?")),
    "changes:rebase": ("draft.rebase", rebase_button),
    "changes:apply": ("draft.apply", review_button("apply")),
    "changes:confirm": ("draft.confirm", review_button("confirm", "apply", confirm_within_s=600)),
    "changes:rollback": ("draft.roll_back", review_button("rollback", "apply")),
    "api:change_submit": ("draft.submit", draft_review("submit")),
    "api:change_approve": ("draft.approve", draft_review("submit", "approve")),
    "api:change_reject": ("draft.reject", draft_review("submit", "reject")),
    "api:change_reopen": ("draft.reopen", draft_review("submit", "reopen")),
    "api:change_rebase": ("draft.rebase", rebase),
    "api:change_apply": ("draft.apply", draft_review("apply")),
    "api:change_confirm": ("draft.confirm", draft_review("apply", "confirm", confirm_within_s=600)),
    "api:change_rollback": ("draft.roll_back", draft_review("apply", "rollback")),
    "api:change_review": ("draft.comment", draft_review("review", comment="why?")),
    "api:version_restore": ("draft.create", restore),
    "changes:restore": ("draft.create", restore_button),
    "changes:remedy": ("draft.create", remedy_button),
    "saved:save": (
        "view.create",
        lambda client, _: client.post(reverse("saved:save"), {"title": "Mine", "page": "events", "query": "error=1"}),
    ),
    "saved:view": (
        "view.change",
        lambda client, world: client.post(reverse("saved:view", args=[world["saved_view"]]), {"title": "Mine"}),
    ),
    "saved:delete": (
        "view.delete",
        lambda client, world: client.post(reverse("saved:delete", args=[world["saved_view"]])),
    ),
    "api:saved_views": (
        "view.create",
        lambda client, _: send(
            client, "post", reverse("api:saved_views"), {"page": "events", "title": "Mine", "query": "error=1"}
        ),
    ),
    "api:saved_view": (
        "view.change",
        lambda client, world: change(
            client, "patch", reverse("api:saved_view", args=[world["saved_view"]]), {"title": "x"}
        ),
    ),
    "map:save_as": (
        "map_view.create",
        lambda client, _: client.post(reverse("map:save_as"), {"title": "Mine"}),
    ),
    "map:view": (
        "map_view.change",
        lambda client, world: client.post(reverse("map:view", args=[world["map_view"]]), {"title": "Mine"}),
    ),
    "map:delete_view": (
        "map_view.delete",
        lambda client, world: client.post(reverse("map:delete_view", args=[world["map_view"]])),
    ),
    "api:map_views": (
        "map_view.create",
        lambda client, _: send(client, "post", reverse("api:map_views"), {"title": "Mine"}),
    ),
    "api:map_view": (
        "map_view.change",
        lambda client, world: change(
            client, "patch", reverse("api:map_view", args=[world["map_view"]]), {"title": "x"}
        ),
    ),
    "alerts:rule_new": (
        "alert_rule.create",
        lambda client, _: client.post(reverse("alerts:rule_new"), RULE_TEXTS),
    ),
    "alerts:rule": (
        "alert_rule.change",
        lambda client, world: client.post(reverse("alerts:rule", args=[world["alert_rule"]]), RULE_TEXTS),
    ),
    "alerts:rule_delete": (
        "alert_rule.delete",
        lambda client, world: client.post(reverse("alerts:rule_delete", args=[world["alert_rule"]])),
    ),
    "alerts:silence_new": (
        "alert_silence.begin",
        lambda client, _: client.post(reverse("alerts:silence_new"), {"owner": "a", "reason": "b", "hours": "4"}),
    ),
    "alerts:silence_end": (
        "alert_silence.end",
        lambda client, world: client.post(reverse("alerts:silence_end", args=[world["alert_silence"]])),
    ),
    "alerts:channel_new": ("alert_channel.create", add_channel_on_page),
    "alerts:channel_switch": (
        "alert_channel.change",
        lambda client, world: client.post(reverse("alerts:channel_switch", args=[world["alert_channel"]])),
    ),
    "alerts:channel_test": (
        "alert_channel.test",
        lambda client, world: client.post(reverse("alerts:channel_test", args=[world["alert_channel"]])),
    ),
    "alerts:channel_delete": (
        "alert_channel.delete",
        lambda client, world: client.post(reverse("alerts:channel_delete", args=[world["alert_channel"]])),
    ),
    "api:alert_rules": (
        "alert_rule.create",
        lambda client, _: send(client, "post", reverse("api:alert_rules"), {"kind": "job", "threshold": 2}),
    ),
    "api:alert_rule": (
        "alert_rule.change",
        lambda client, world: change(
            client, "patch", reverse("api:alert_rule", args=[world["alert_rule"]]), {"threshold": 7}
        ),
    ),
    "api:alert_channels": ("alert_channel.create", add_channel),
    "api:alert_channel": (
        "alert_channel.change",
        lambda client, world: change(
            client, "patch", reverse("api:alert_channel", args=[world["alert_channel"]]), {"is_on": False}
        ),
    ),
    "api:alert_channel_test": (
        "alert_channel.test",
        lambda client, world: client.post(reverse("api:alert_channel_test", args=[world["alert_channel"]])),
    ),
    "api:alert_silences": (
        "alert_silence.begin",
        lambda client, _: send(client, "post", reverse("api:alert_silences"), silence_for_a_day()),
    ),
    "api:alert_silence": (
        "alert_silence.end",
        lambda client, world: change(client, "delete", reverse("api:alert_silence", args=[world["alert_silence"]])),
    ),
    "api:rounds": ("pipeline.generate", start_round),
    "api:round": (
        "pipeline.cancel",
        lambda client, world: change(client, "delete", reverse("api:round", args=[world["traffic_round"]])),
    ),
    "api:collections": (
        "collection.pasted",
        lambda client, _: send(
            client, "post", "/api/v1/collections/", {"server": "s", "database": "d", "content": PASTED_QUEUE}
        ),
    ),
    "api:collection": (
        "collection.delete",
        lambda client, world: change(client, "delete", reverse("api:collection", args=[world["collection"]])),
    ),
    "servers:paste": ("collection.pasted", keep_pasted),
    "servers:delete": (
        "collection.delete",
        lambda client, world: client.post(reverse("servers:delete", args=[world["collection"]])),
    ),
    "delayed:retry": (
        "dialog.retry",
        lambda client, _: client.post("/delayed/retry/", {**PLACE, "service": evil("Gone")}),
    ),
    "delayed:retry_all": (
        "dialog.retry",
        lambda client, _: client.post(
            "/delayed/retry-all/",
            {"group": json.dumps([PLACE["instance"], PLACE["database"], evil("Gone")]), "confirmed": "1"},
        ),
    ),
    "delayed:switch_on": (
        "estate.edit",
        lambda client, _: client.post("/delayed/switch-on/", {**PLACE, "queue": evil("Out")}),
    ),
    "service_queues:switch_on": (
        "estate.edit",
        lambda client, _: client.post("/service_queues/on/", {**PLACE, "queue": evil("Out")}),
    ),
    "delayed:switch_on_all": (
        "estate.edit",
        lambda client, _: client.post(
            "/delayed/switch-on-all/",
            {"queue": json.dumps([PLACE["instance"], PLACE["database"], evil("Out")]), "confirmed": "1"},
        ),
    ),
    "delayed:end_all": (
        "dialog.cleanup",
        lambda client, world: client.post(
            "/delayed/end-all/",
            {"handle": world["handle"], "how": "cleanup", "code": 1, "description": "x", "confirmed": "1"},
        ),
    ),
    "conversations:body": (
        "body.show",
        lambda client, world: client.post(
            reverse("conversations:body", args=[reader_of(world), "to_send", 0]), {"reason": "x", "act": "body.show"}
        ),
    ),
    "api:dialog_body": (
        "body.show",
        lambda client, world: send(
            client,
            "post",
            reverse("api:dialog_body", args=[reader_of(world)]),
            {"kept": "to_send", "message_sequence_number": 0, "reason": "x"},
        ),
    ),
    "delayed:draft_all": ("draft.create", draft_of_remedies),
    "delayed:end": (
        "dialog.cleanup",
        lambda client, world: client.post(f"/delayed/end/{world['handle']}/"),
    ),
    "traffic:start": ("pipeline.run", run_pipeline),
    "traffic:generate": ("pipeline.generate", generate_traffic),
    "jobs:cancel": ("job.cancel", lambda client, world: client.post(reverse("jobs:cancel", args=[world["job"]]))),
    "jobs:retry": ("job.retry", try_job_again),
    "traffic:cancel": (
        "pipeline.cancel",
        lambda client, world: client.post(reverse("traffic:cancel", args=[world["traffic_round"]])),
    ),
    "api:dialogs_retry": (
        "dialog.retry",
        lambda client, _: send(
            client, "post", reverse("api:dialogs_retry"), {"places": [{**PLACE, "service": evil("Gone")}]}
        ),
    ),
    "api:queues_status": (
        "estate.edit",
        lambda client, _: send(
            client, "post", reverse("api:queues_status"), {"queues": [{**PLACE, "queue": evil("Out")}], "enabled": True}
        ),
    ),
    "api:dialogs_end": (
        "dialog.cleanup",
        lambda client, world: send(
            client, "post", reverse("api:dialogs_end"), {"conversation_handles": [world["handle"]], "cleanup": True}
        ),
    ),
    "api:dialog_end": (
        "dialog.cleanup",
        lambda client, world: send(
            client, "post", reverse("api:dialog_end", args=[world["handle"]]), {"cleanup": True}
        ),
    ),
}
"""How each address writes something. Of tables and rows one kind stands for all: they are the same code."""

NOTHING = {
    "account:login",
    "account:logout",
    "shell:language",
    "api:whatif",
    "changes:effect-line",
    "changes:sql-preview",
    "changes:rows-preview",
    "tables:auth_user_changelist",
    "tables:accounts_instancegroup_changelist",
    "tables:estate_version_changelist",
    "tables:estate_KIND_preview",
    "tables:estate_KIND_preview_new",
}
"""Pages that take forms and store nothing except the login."""

COUNTED = {
    f"api:{name}"
    for name in ("dialogs", "dialogs_messages", "dialog_messages", "dialog_move", "dialog_timer", "receipt")
}
COUNTED |= {"api:queue_conversation_group", "api:queue_receive", "api:queue_status", "api:database_broker"}
COUNTED |= {"api:database_failover", "delayed:fail_over"}
"""Verbs of messaging, which the audit records once an hour: tests/brokerui/messaging/api. It records the switch of a
queue at once, but the names of this world do not fit into that address; and a failover, which takes a mirrored pair:
tests/brokerui/staged."""


def kind_of_address(name: str) -> str:
    kinds = {"instance", "database", "route", "service", "queue", "contract", "messagetype", "priority"}
    for kind in kinds | {"remoteservicebinding"}:
        name = name.replace(f"estate_{kind}_", "estate_KIND_")
        name = {f"api:{kind}": "api:KIND", f"api:{kind}s": "api:KINDs"}.get(name, name)
    return name


@pytest.fixture
def here(client: Client) -> Client:
    client.defaults["REMOTE_ADDR"] = HERE
    return client


def test_every_address_that_writes_is_told_of() -> None:
    writing = {kind_of_address(address.name) for address in ADDRESSES if address.methods}
    assert writing == WRITES.keys() | NOTHING | COUNTED


@pytest.mark.parametrize("name", WRITES)
def test_a_write_says_who_did_what_when_and_from_where(here: Client, world: World, name: str) -> None:
    action, write = WRITES[name]
    before, started = set(AuditEntry.objects.values_list("id", flat=True)), timezone.now()
    response = write(here, world)
    assert response.status_code in (200, 201, 204, 302), response.content.decode()
    entries = AuditEntry.objects.filter(action=action, address=HERE).exclude(id__in=before)
    check_values(entries, action)
    assert {entry.author for entry in entries} == {"administrator"}
    assert all(entry.at >= started for entry in entries)
    assert all(entry.note or entry.version for entry in entries)


WITHOUT_VALUES = {
    *("user.password", "body.show", "body.copy", "dialog.retry", "alert_channel.test"),
    *("lockout.release", "estate.edit", "estate.import", "draft.comment"),
}
"""Acts that need not change a stored value: their kind of change, or the request of this test, has none."""
PRIVATE = (PASSWORD, NEW_PASSWORD, "BEGIN PRIVATE KEY", "BEGIN CERTIFICATE", '"secret"', "sealed", "hooks.example/")


def check_values(entries: Any, action: str) -> None:
    """Each field of an entry differs before and after, and none is a secret, a key file or a body."""
    kept = [entry.changes for entry in entries]
    assert None not in kept
    assert all(old != new for changes in kept for _name, old, new in changes)
    assert any(kept) or action in WITHOUT_VALUES, action
    written = json.dumps(kept)
    assert not [text for text in PRIVATE if text in written]
    assert not [name for changes in kept for name, _old, _new in changes if PRIVATE_FIELD.search(name)]


PRIVATE_FIELD = re.compile("password|secret|sealed|digest_of|token_key|body|private")


def test_no_secret_is_in_the_audit(here: Client, world: World) -> None:
    made = WRITES["account:tokens"][1](here, world)
    for name in ("account:password", "tables:auth_user_add", "tables:auth_user_change"):
        here.force_login(user_of(Role.ADMINISTRATOR), backend=BACKEND)
        WRITES[name][1](here, world)
    notes = "\n".join(f"{note} {changes}" for note, changes in AuditEntry.objects.values_list("note", "changes"))
    for secret in (PASSWORD, NEW_PASSWORD, made.context["secret"]):
        assert secret not in notes
