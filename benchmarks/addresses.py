"""Every page and resource of the site that is asked for with GET, each with the parameters that one meets.

Benchmarks time them and a test counts their queries. `unnamed` tells which addresses of the site stand nowhere here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from django.urls import URLPattern, get_resolver

from benchmarks.address_places import TABLES, Place, Rows, place_in
from brokerui.api.ids import id_of
from routing.model.estate import Estate

WRITE_ONLY = frozenset(
    {
        *("account:logout", "account:revoke", "api:import", "api:whatif", "shell:language"),
        *("shell:keys", "shell:theme"),
        *("demo:remove", "findings:remove", "scenarios:delete", "map:save_as", "map:delete_view"),
        "tables:accounts_instancegroup_delete",
        *(
            "api:dialogs",
            "api:dialogs_messages",
            "api:dialogs_end",
            "api:dialogs_retry",
            "api:dialog_messages",
            "api:dialog_body",
            "api:dialog_end",
            "api:dialog_move",
            "api:dialog_timer",
        ),
        *("api:queue_conversation_group", "api:queue_receive", "api:queue_status", "api:receipt"),
        *("api:database_broker", "api:database_failover", "api:queues_status"),
        *("delayed:switch_on_all", "delayed:end_all", "delayed:draft_all", "delayed:fail_over"),
        "servers:delete",
        "api:alert_channel_test",
        *(f"alerts:{name}" for name in ("rule_delete", "silence_end", "channel_switch", "channel_test")),
        "alerts:channel_delete",
        *(
            "delayed:retry",
            "delayed:retry_all",
            "delayed:switch_on",
            "service_queues:switch_on",
            "traffic:start",
            "traffic:generate",
            "traffic:cancel",
        ),
        *("jobs:cancel", "jobs:retry", "api:version_restore", "api:change_undo", "api:change_redo"),
        *(f"api:change_{name}" for name in ("submit", "approve", "reject", "reopen", "rebase")),
        *(f"api:change_{name}" for name in ("apply", "confirm", "rollback")),
        *(f"changes:{name}" for name in ("undo", "redo", "remove", "discard", "copy", "add", "restore", "remedy")),
        *(f"changes:{name}" for name in ("submit", "approve", "reject", "reopen", "comment")),
        *(f"changes:{name}" for name in ("rebase", "apply", "confirm", "rollback")),
        "tests:delete",
        *(f"imports:{name}" for name in ("again", "apply", "discard", "preview", "scenario")),
    }
)
"""They take POST only. (`benchmarks/rest.py` and `benchmarks/import_page.py` time the ones that do much.)"""
OPTIONS = ("instance", "database", "service", "identifier", "address", "network")
VIEWS = (
    *("routes", "services", "service_queues", "service_queue_usages", "service_contracts", "service_message_types"),
    *("service_contract_usages", "service_contract_message_usages", "remote_service_bindings"),
    *("conversation_priorities", "databases", "endpoints", "tcp_endpoints", "service_broker_endpoints"),
    *("conversation_endpoints", "transmission_queue", "conversation_groups"),
    *("dm_broker_connections", "dm_broker_forwarded_messages"),
    *("dm_broker_queue_monitors", "dm_broker_activated_tasks"),
)
ELSEWHERE = frozenset(
    {
        *(
            "moved",
            "conversations:conversation",
            "conversations:body",
            *("api:dialog", "api:dialog_history"),
            "api:queue_messages",
            "delayed:end",
            "traffic:run",
            "traffic:round",
            "traffic:csv",
        ),
        *("api:change", "api:change_edits", "api:change_estate", "api:change_diff", "api:change_checks"),
        *("api:change_certificate", "api:routing_test_file", "tests:file"),
        *("changes:change", "changes:effect-line", "changes:effect"),
        *("api:change_review", "changes:review", "api:change_sql"),
        "changes:route-form",
        "changes:row-form",
        *("changes:rows", "changes:rows-preview"),
        *("changes:sql", "changes:sql-preview"),
        "changes:findings",
        "changes:edit-sql",
        "changes:drawn",
        *("map:view", "api:map_view"),
        *("saved:save", "saved:view", "saved:delete", "api:saved_view"),
        *(
            "api:server",
            "api:server_leak",
            "api:collection",
            "api:alert_silence",
            "api:round",
            "api:alert_channel",
            "servers:server",
            "servers:leak",
            "servers:groups_csv",
            "servers:growth_csv",
            "service_queues:queue",
            "service_queues:queue_csv",
        ),
    }
)
"""Addresses that need a conversation, a draft, a collection or a pipeline result: other tests count their queries."""
CODE = "unknown-address"
Addresses = dict[str, list[str]]
"""By name of the view, with its namespace."""


def addresses(estate: Estate, rows: Rows) -> Addresses:
    """All of them, of the live estate; pages about an estate also as it was in version 1."""
    place, names = place_in(estate), list(estate.instances)
    return {
        "start": ["/"],
        "overview:overview": _each("/overview/", {"span": "7d"}),
        "expiry:expiry": _each("/expiry/", {"within": "90d"}),
        "expiry:csv": ["/expiry/expiry.csv"],
        "overview:alerts": ["/overview/alerts/"],
        "overview:csv": ["/overview/overview.csv"],
        "healthz": ["/healthz"],
        "readyz": ["/readyz"],
        "metrics": ["/metrics"],
        "account:login": ["/account/login/"],
        "account:password": ["/account/password/"],
        "account:preferences": ["/account/preferences/"],
        "account:tokens": ["/account/tokens/"],
        "estate:document": ["/estate.json"],
        "traffic:runs": ["/traffic/"],
        "changes:list": ["/changes/"],
        "tests:list": ["/tests/"],
        "tests:new": ["/tests/new/"],
        "changes:version": _each("/changes/versions/1/", {"show": "sql"}, {"show": "objects"}, {"against": "0"}),
        "api:changes": ["/api/v1/changes/"],
        "api:map_views": ["/api/v1/map/views/"],
        "saved:list": ["/saved/"],
        "api:saved_views": ["/api/v1/views/"],
        "api:preferences": ["/api/v1/me/preferences/"],
        "api:users": ["/api/v1/users/"],
        "api:user": [f"/api/v1/users/{rows.user}/"],
        "api:instance_groups": ["/api/v1/instance_groups/"],
        "alerts:alerts": ["/alerts/"],
        "alerts:rule_new": ["/alerts/rules/new/"],
        "alerts:rule": ["/alerts/rules/1/"],
        "alerts:silence_new": ["/alerts/silences/new/"],
        "alerts:channel_new": ["/alerts/channels/new/"],
        "api:alerts": _each("/api/v1/alerts/", {"is_open": "true"}, {"limit": "1"}),
        "api:alert_rules": ["/api/v1/alerts/rules/"],
        "api:alert_rule": ["/api/v1/alerts/rules/1/"],
        "api:alert_channels": ["/api/v1/alerts/channels/"],
        "api:alert_silences": ["/api/v1/alerts/silences/"],
        "servers:list": ["/servers/"],
        "api:servers": ["/api/v1/servers/"],
        "api:collections": _each("/api/v1/collections/", {"limit": "1"}),
        "servers:paste": _each("/servers/paste/", {"server": place.instance}),
        "jobs:list": ["/jobs/", "/jobs/?state=failed"],
        "scenarios:list": ["/scenarios/"],
        "scenarios:open": ["/scenarios/1-default/open/"],
        "scenarios:document": ["/scenarios/1-default/document.json"],
        **_map(place, names),
        **_where(place),
        **_charts(place, names),
        **_routes(place),
        **_findings(place, rows),
        **_imports(rows),
        **_messages(),
        **_tables(rows, place),
        **_rest(place),
    }


def _each(path: str, *queries: dict[str, Any]) -> list[str]:
    """The bare address, and the same with each of the queries."""
    return [path, *(f"{path}?{urlencode(query)}" for query in queries)]


EARLIER = {"as_of": "1"}


def _map(place: Place, names: list[str]) -> Addresses:
    group = {"first": names[0], "last": names[len(names) // 3]}
    selected = [
        f"instance/{quote(place.instance)}",
        f"database/{quote(place.instance)}/{quote(place.database)}",
        f"route/{quote(place.instance)}/{quote(place.database)}/{quote(place.route)}",
        f"instance/{quote(names[0])}",
    ]
    focus = {"focus": place.instance}
    queries = [
        focus,
        {**focus, "hops": "2"},
        {"focus": names[0], "hops": "2"},
        group,
        {"service": place.service},
        {**focus, "service": place.service},
        {"q": place.service[-4:]},
        {"q": "srv"},
        {"shown": "list"},
        {"shown": "list", "page": "100"},
        {**focus, "shown": "list"},
        *({"select": one} for one in selected),
        {**focus, "select": selected[0]},
        EARLIER,
    ]
    return {
        "map:map": _each("/map/", *queries),
        "map:findings": [f"/map/findings/?{urlencode({'instance': name})}" for name in (place.instance, names[0])],
        "map:svg": _each("/map/map.svg", focus, group),
        "map:export": _each("/map/export.csv", focus),
    }


def _where(place: Place) -> Addresses:
    parameters = {"from": place.origin, "to": place.service}
    queries = [
        parameters,
        {**parameters, "broker": place.identifier},
        {**parameters, "route": f"{place.origin}/{place.route}"},
        {"from": f"outside:{place.instance}", "to": place.service},
        {"from": place.origin, "to": "//nowhere.example/Unknown"},
        {**parameters, **EARLIER},
    ]
    fields = [{"from": "srv"}, {"to": "app"}, {"route": "Route"}, {"route": "nothing like it"}]
    return {
        "where:where": _each("/where/", *queries),
        "where:since": _each("/where/since/", parameters, {**parameters, **EARLIER}),
        "where:options": [f"/where/options/{next(iter(field))}/?{urlencode(field)}" for field in fields],
    }


def _charts(place: Place, names: list[str]) -> Addresses:
    app = place.service.rpartition("/")[0]
    group = {"origin_from": place.origin, "origin_to": place.origin}
    queries = [
        {"origin": place.instance},
        {"service": app},
        {"origin": place.instance, "service": app},
        {"verdict": "dropped"},
        {"pairs": "all"},
        {"outside": "1"},
        {"system": "1"},
        group,
        EARLIER,
    ]
    ways = [
        {"q": f"from:{place.instance}"},
        {"q": f"via:{names[0]}"},
        {"q": "outcome:dropped"},
        {"q": "Service0"},
        {"outside": "1"},
        {"system": "1"},
        EARLIER,
    ]
    one = {"origin": place.instance, "service": app}
    return {
        "reachability:matrix": _each("/reachability/", *queries),
        "reachability:progress": _each("/reachability/progress/"),
        "reachability:table_csv": _each("/reachability/table.csv", *queries[:2]),
        "reachability:pairs_csv": [f"/reachability/pairs.csv?{urlencode(one)}"],
        "flow:flow": _each("/flow/", *ways),
        "flow:csv": _each("/flow/flow.csv", ways[0]),
    }


def _routes(place: Place) -> Addresses:
    filters = [
        {"q": place.service[-8:]},
        {"q": "nothing.like.it"},
        {"q": "*app1*"},
        {"q": f"instance:{place.instance}"},
        {"q": f"service:{place.service}"},
        {"q": "is:expired"},
        {"q": "expires:<30d"},
        {"q": "has:finding"},
        {"q": f"finding:{CODE}"},
        {"q": "hide:system"},
    ]
    orders = [{"sort": "remote_service_name"}, {"sort": "-lifetime"}, {"sort": "address", "q": "Route1"}]
    select = {"select": f"route/{quote(place.instance)}/{quote(place.database)}/{quote(place.route)}"}
    pages = [{"page": "100"}, {"page": "999999"}, select, {**select, **EARLIER}, EARLIER]
    return {
        "routes:list": _each("/routes/", *filters, *orders, *pages),
        "routes:csv": _each("/routes/routes.csv", filters[0], filters[7]),
    }


def _findings(place: Place, rows: Rows) -> Addresses:
    filters = [
        {"q": "severity:error"},
        {"q": f"code:{rows.codes[0]}"},
        {"q": f"instance:{place.instance}"},
        {"q": "srv0"},
        {"page": "100"},
        EARLIER,
    ]
    return {
        "findings:list": _each("/findings/", *filters),
        "findings:state": _each("/findings/state/"),
        "findings:csv": _each("/findings/findings.csv", filters[1]),
        "findings:suppress": _each("/findings/suppress/"),
        "findings:suppressions": _each("/findings/suppressions/"),
        "findings:suppressions_json": ["/findings/suppressions.json"],
        "findings:code": [f"/findings/{code}/" for code in rows.codes],
    }


def _imports(rows: Rows) -> Addresses:
    run = f"/imports/{rows.run}/"
    return {
        "imports:start": _each("/imports/", {"page": "10"}),
        "imports:script": ["/imports/collect.sql"],
        "imports:run": [run],
        "imports:document": [f"{run}estate.json"],
        "imports:csv": [f"{run}{name}.csv" for name in ("changes", "findings", "groups")],
        "api:import_run": [f"/api/v1/estate/import/runs/{rows.run}/"],
    }


def _messages() -> Addresses:
    """Pages of hosted instances, here without any; `benchmarks/messaging/monitoring.py` measures them with rows."""
    names = ("delayed", "conversations", "service_queues", "forwarding", "queues", "mirrors", "connections", "events")
    pages = {f"{name}:{name}": [f"/{name}/"] for name in names}
    files = {f"{name}:csv": [f"/{name}/{name}.csv"] for name in names}
    return {**pages, **files, "goto:goto": ["/goto/", "/goto/?q=or"]}


def _tables(rows: Rows, place: Place) -> Addresses:
    found = {
        "tables:index": ["/tables/"],
        "tables:options": [
            f"/tables/options/{kind}/?{urlencode(query)}"
            for kind in OPTIONS
            for query in ({"q": "srv"}, {"q": place.service[-4:], "service": place.service})
        ],
        "tables:estate_version_changelist": _each("/tables/estate/version/", {"q": "srv"}),
        "audit:audit": _each("/audit/", {"action": "estate."}),
        "audit:csv": ["/audit/audit.csv"],
        "api:audit": ["/api/v1/audit/"],
        "tables:auth_user_changelist": _each("/tables/auth/user/", {"q": "a"}),
        "tables:accounts_instancegroup_changelist": _each("/tables/accounts/instancegroup/", {"q": "a"}),
        "tables:accounts_instancegroup_add": ["/tables/accounts/instancegroup/add/"],
        "tables:accounts_instancegroup_change": [f"/tables/accounts/instancegroup/{rows.instance_group}/change/"],
        "tables:auth_user_add": ["/tables/auth/user/add/"],
        "tables:auth_user_change": [f"/tables/auth/user/{rows.user}/change/"],
        "tables:accounts_token_changelist": ["/tables/accounts/token/"],
        "tables:axes_accessattempt_changelist": ["/tables/axes/accessattempt/"],
    }
    for table in TABLES:
        path, row = f"/tables/estate/{table}/", rows.tables[table]
        text = place.instance if table == "instance" else place.service[-4:]
        lists = [{"q": text}, {"q": "nothing like it"}, {"p": "100"}, {"o": "-1"}]
        found[f"tables:estate_{table}_changelist"] = _each(path, *lists)
        found[f"tables:estate_{table}_add"] = [f"{path}add/"]
        found[f"tables:estate_{table}_preview_new"] = [f"{path}preview/"]
        for name in ("change", "preview", "delete"):
            found[f"tables:estate_{table}_{name}"] = [f"{path}{row}/{name}/"]
    return found


def _rest(place: Place) -> Addresses:
    api, table = "/api/v1/", (place.instance, place.database)
    first = {"limit": "1"}
    filters = {
        "instances": [{"address": f"tcp://{place.instance}:4022"}, {"forwarding": "true"}],
        "databases": [{"instance": place.instance}, {"ordering": "-name"}],
        "services": [{"name": place.service}, {"ordering": "name"}],
        "queues": [{"ordering": "name"}],
        "routes": [
            {"service": place.service},
            {"instance": place.instance, "database": place.database},
            {"ordering": "-lifetime"},
            {"ordering": "address"},
            {"expires_before": "2021-01-01T00:00:00Z"},
        ],
    }
    ids = {
        "instance": id_of(table[:1]),
        "database": id_of(table),
        "service": id_of((*table, place.own_service)),
        "queue": id_of((*table, place.queue)),
        "route": id_of((*table, place.route)),
    }
    lists = {
        f"api:{name}": _each(f"{api}{name}/", first, {"limit": "1000"}, EARLIER, *filters[name]) for name in filters
    }
    return {
        "api:estate": [f"{api}estate/"],
        **lists,
        **{f"api:{name}": [f"{api}{name}s/{key}/"] for name, key in ids.items()},
        **{f"api:sys_{name}": _each(f"{api}sys/{name}/", {"limit": "1000"}) for name in VIEWS},
        **{
            f"api:collected_{name}": [f"{api}collected/{name}/"]
            for name in ("transmission_queue", "conversation_endpoints")
        },
        "api:versions": [f"{api}versions/"],
        "api:overview": [f"{api}overview/"],
        "api:routing_tests": [f"{api}routing-tests/"],
        "api:events": [f"{api}events/"],
        "api:drains": [f"{api}drains/"],
        "api:expiries": [f"{api}expiries/"],
        "api:rounds": [f"{api}rounds/"],
        "api:forwarding": [f"{api}forwarding/"],
        "api:queue_states": [f"{api}queue_states/"],
        "api:version": [f"{api}versions/1/"],
        "api:version_diff": _each(f"{api}versions/1/diff/", {"limit": "10"}),
        "api:schema": [f"{api}schema/"],
        "api:docs": [f"{api}docs/"],
    }


def names_of_site() -> Iterator[str]:
    """Of every view that the site has, with its namespace."""

    def walk(resolver: Any, space: str) -> Iterator[str]:
        for one in resolver.url_patterns:
            if isinstance(one, URLPattern):
                yield f"{space}{one.name}"
            else:
                yield from walk(one, f"{one.namespace}:" if one.namespace else space)

    yield from walk(get_resolver(), "")


def unnamed(known: Addresses) -> set[str]:
    """Views of the site that are not among these, although they can be asked for."""
    return set(names_of_site()) - set(known) - WRITE_ONLY - ELSEWHERE
