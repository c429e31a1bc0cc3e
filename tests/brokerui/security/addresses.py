"""Every address of the site, and the permissions there: written down here, not taken from the views.

A new address without a line here fails the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from brokerui.accounts.levels import Level, Permission, Right
from brokerui.pages.tables.row_kinds import KINDS

VIEW, OPERATE, EDIT, ADMINISTER = Level
READ_BODIES = Right.READ_BODIES


@dataclass(frozen=True, slots=True)
class Address:
    """The levels that reading and writing take there."""

    name: str
    read: Permission | None = VIEW
    """None: it is open to strangers."""
    write: Permission | None = None
    """None: no role writes there."""
    methods: tuple[str, ...] = ()
    """That write."""
    args: tuple[str, ...] = ()
    """Names in the world of the tests."""
    has_page: bool = True
    """Whether it can be asked for with GET."""
    query: str = ""
    """Without which nothing is there."""

    @property
    def is_api(self) -> bool:
        return self.name == "metrics" or (self.name.startswith("api:") and self.name != "api:docs")

    def path(self, world: dict[str, Any]) -> str:
        query = f"?{urlencode({self.query: world[self.query]})}" if self.query else ""
        return reverse(self.name, args=[world[arg] for arg in self.args]) + query


def _page(name: str, *args: str) -> Address:
    return Address(name, args=args)


def _open(name: str, *methods: str, has_page: bool = False) -> Address:
    return Address(name, None, methods=methods, has_page=has_page)


def _form(name: str, write: Permission, *args: str, read: Permission = VIEW) -> Address:
    return Address(name, read, write, ("POST",), args)


def _button(name: str, write: Level, *args: str) -> Address:
    return Address(name, VIEW, write, ("POST",), args, has_page=False)


def _table(kind: str) -> list[Address]:
    base, row = f"tables:estate_{kind}", f"row_{kind}"
    return [
        _form(f"{base}_changelist", EDIT, read=EDIT),
        _form(f"{base}_add", EDIT, read=EDIT),
        _form(f"{base}_change", EDIT, row, read=EDIT),
        _form(f"{base}_delete", EDIT, row, read=EDIT),
        _form(f"{base}_preview_new", EDIT, read=EDIT),
        _form(f"{base}_preview", EDIT, row, read=EDIT),
    ]


def _rows(kind: str) -> list[Address]:
    return [
        Address(f"api:{kind}s", VIEW, EDIT, ("POST",)),
        Address(f"api:{kind}", VIEW, EDIT, ("PUT", "PATCH", "DELETE"), (f"id_{kind}",)),
    ]


ADDRESSES = [
    _page("start"),
    _open("account:login", "POST", has_page=True),
    _open("account:logout", "POST"),
    _open("shell:keys", "POST"),
    _open("shell:theme", "POST"),
    _open("shell:language", "POST"),
    _open("healthz", has_page=True),
    _open("readyz", has_page=True),
    _page("metrics"),
    _form("account:password", VIEW),
    _form("account:preferences", VIEW),
    _form("account:tokens", VIEW),
    _button("account:revoke", VIEW, "token_key"),
    *map(_page, ("map:map", "map:svg", "map:export", "where:where", "estate:document")),
    Address("map:findings", query="instance"),
    _button("map:save_as", VIEW),
    _form("map:view", VIEW, "map_view"),
    _button("map:delete_view", VIEW, "map_view"),
    _page("where:options", "field"),
    _page("where:since"),
    *map(_page, ("reachability:matrix", "reachability:progress", "reachability:table_csv", "reachability:pairs_csv")),
    *map(_page, ("flow:flow", "flow:csv", "routes:list", "routes:csv")),
    *map(_page, ("findings:list", "findings:state", "findings:csv", "findings:suppressions")),
    _page("findings:suppressions_json"),
    _page("findings:code", "code"),
    _form("findings:suppress", EDIT, read=EDIT),
    _button("findings:remove", EDIT, "suppression"),
    *(_page(f"overview:{name}") for name in ("overview", "alerts", "csv")),
    *(_page(f"{name}:{name}") for name in ("delayed", "conversations", "queues", "mirrors", "connections", "events")),
    *(_page(f"{name}:csv") for name in ("delayed", "conversations", "queues", "mirrors", "connections", "events")),
    *map(_page, ("service_queues:service_queues", "service_queues:csv", "forwarding:forwarding", "forwarding:csv")),
    *map(_page, ("expiry:expiry", "expiry:csv")),
    *(_page(f"service_queues:{name}", "hosted_queue") for name in ("queue", "queue_csv")),
    _button("service_queues:switch_on", OPERATE),
    *(_button(f"delayed:{name}", OPERATE) for name in ("retry", "retry_all", "switch_on", "switch_on_all", "end_all")),
    *(_button(f"delayed:{name}", EDIT) for name in ("draft_all", "fail_over")),
    _form("delayed:end", OPERATE, "handle"),
    _page("conversations:conversation", "handle"),
    _form("conversations:body", READ_BODIES, "handle", "kept", "message", read=READ_BODIES),
    _page("goto:goto"),
    _page("traffic:runs"),
    _page("traffic:run", "traffic_run"),
    _page("traffic:round", "traffic_round"),
    _button("traffic:start", OPERATE),
    _button("traffic:generate", OPERATE),
    _button("traffic:cancel", OPERATE, "traffic_round"),
    _page("traffic:csv", "traffic_run", "traffic_table"),
    _page("alerts:alerts"),
    _form("alerts:rule_new", EDIT),
    _form("alerts:rule", EDIT, "alert_rule"),
    _button("alerts:rule_delete", EDIT, "alert_rule"),
    _form("alerts:silence_new", OPERATE),
    _button("alerts:silence_end", OPERATE, "alert_silence"),
    _form("alerts:channel_new", ADMINISTER),
    *(_button(f"alerts:channel_{name}", ADMINISTER, "alert_channel") for name in ("switch", "test", "delete")),
    _page("servers:list"),
    _form("servers:paste", OPERATE),
    _page("servers:server", "server"),
    *(_page(f"servers:{name}", "left_database") for name in ("leak", "groups_csv", "growth_csv")),
    _button("servers:delete", OPERATE, "collection"),
    _form("imports:start", EDIT),
    _page("imports:script"),
    *(_page(f"imports:{name}", "run") for name in ("run", "document")),
    _page("imports:csv", "run", "csv"),
    *(_button(f"imports:{name}", EDIT, "run") for name in ("preview", "again", "apply", "discard")),
    _button("imports:scenario", OPERATE, "run"),
    _form("changes:list", EDIT),
    _button("changes:remedy", EDIT),
    _page("changes:version", "version"),
    _button("changes:restore", EDIT, "version"),
    _page("changes:change", "draft"),
    _form("changes:effect-line", VIEW, "draft"),
    _page("changes:effect", "draft"),
    _form("changes:route-form", EDIT, "draft"),
    _form("changes:row-form", EDIT, "draft", "row_kind"),
    _form("changes:rows", EDIT, "draft"),
    _button("changes:rows-preview", VIEW, "draft"),
    _form("changes:sql", EDIT, "draft"),
    _button("changes:sql-preview", VIEW, "draft"),
    _page("changes:findings", "draft"),
    _page("changes:edit-sql", "draft", "edit_index"),
    _button("changes:add", EDIT, "draft"),
    _form("changes:drawn", EDIT, "draft"),
    *(_button(f"changes:{name}", EDIT, "draft") for name in ("undo", "redo", "remove", "discard", "copy")),
    _page("changes:review", "draft"),
    *(_button(f"changes:{name}", EDIT, "draft") for name in ("submit", "approve", "reject", "reopen", "comment")),
    *(_button(f"changes:{name}", EDIT, "draft") for name in ("rebase", "apply", "confirm", "rollback")),
    _form("tests:list", EDIT),
    _form("tests:new", EDIT),
    _form("tests:file", EDIT, "test_file"),
    _button("tests:delete", EDIT, "test_file"),
    _page("jobs:list"),
    *(_button(f"jobs:{name}", EDIT, "job") for name in ("cancel", "retry")),
    _form("scenarios:list", OPERATE),
    *(_page(f"scenarios:{name}", "scenario") for name in ("document", "open")),
    _button("scenarios:delete", OPERATE, "scenario"),
    _button("demo:remove", EDIT),
    Address("tables:index", EDIT),
    Address("tables:options", EDIT, args=("kind",)),
    *(address for kind in KINDS for address in _table(kind)),
    _form("tables:estate_version_changelist", EDIT, read=EDIT),
    Address("audit:audit", EDIT),
    Address("audit:csv", EDIT),
    Address("api:audit", EDIT),
    _form("tables:auth_user_changelist", ADMINISTER, read=ADMINISTER),
    _form("tables:auth_user_add", ADMINISTER, read=ADMINISTER),
    _form("tables:accounts_instancegroup_changelist", ADMINISTER, read=ADMINISTER),
    _form("tables:accounts_instancegroup_add", ADMINISTER, read=ADMINISTER),
    _form("tables:accounts_instancegroup_change", ADMINISTER, "instance_group", read=ADMINISTER),
    _button("tables:accounts_instancegroup_delete", ADMINISTER, "instance_group"),
    _form("tables:auth_user_change", ADMINISTER, "user", read=ADMINISTER),
    _form("tables:accounts_token_changelist", ADMINISTER, read=ADMINISTER),
    _form("tables:axes_accessattempt_changelist", ADMINISTER, read=ADMINISTER),
    _page("api:docs"),
    _page("api:schema"),
    _page("api:estate"),
    Address("api:import", VIEW, EDIT, ("POST",), has_page=False),
    _page("api:import_run", "run"),
    Address("api:whatif", VIEW, VIEW, ("POST",), has_page=False),
    Address("api:changes", VIEW, EDIT, ("POST",)),
    Address("saved:list"),
    _button("saved:save", VIEW),
    _form("saved:view", VIEW, "saved_view"),
    _button("saved:delete", VIEW, "saved_view"),
    Address("api:saved_views", VIEW, VIEW, ("POST",)),
    Address("api:saved_view", VIEW, VIEW, ("PATCH", "DELETE"), ("saved_view",)),
    Address("api:preferences", VIEW, VIEW, ("PATCH",)),
    Address("api:users", ADMINISTER),
    Address("api:user", ADMINISTER, ADMINISTER, ("PATCH",), ("user",)),
    Address("api:instance_groups", ADMINISTER),
    Address("api:map_views", VIEW, VIEW, ("POST",)),
    Address("api:map_view", VIEW, VIEW, ("PATCH", "DELETE"), ("map_view",)),
    _page("api:alerts"),
    Address("api:alert_rules", VIEW, EDIT, ("POST",)),
    Address("api:alert_rule", VIEW, EDIT, ("PATCH", "DELETE"), ("alert_rule",)),
    Address("api:alert_channels", VIEW, ADMINISTER, ("POST",)),
    Address("api:alert_channel", VIEW, ADMINISTER, ("PATCH", "DELETE"), ("alert_channel",)),
    Address("api:alert_channel_test", VIEW, ADMINISTER, ("POST",), ("alert_channel",), has_page=False),
    Address("api:alert_silences", VIEW, OPERATE, ("POST",)),
    Address("api:alert_silence", VIEW, OPERATE, ("DELETE",), ("alert_silence",)),
    Address("api:change", VIEW, EDIT, ("PATCH", "DELETE"), ("draft",)),
    Address("api:change_edits", VIEW, EDIT, ("PUT", "POST"), ("draft",)),
    *(Address(f"api:change_{step}", VIEW, EDIT, ("POST",), ("draft",), has_page=False) for step in ("undo", "redo")),
    _page("api:change_estate", "draft"),
    Address("api:change_sql", VIEW, EDIT, ("PUT",), ("draft",)),
    _page("api:change_diff", "draft"),
    _page("api:change_checks", "draft"),
    _page("api:change_certificate", "draft"),
    _page("api:routing_tests"),
    Address("api:routing_test_file", VIEW, EDIT, ("PUT", "DELETE"), ("test_file",)),
    *(
        Address(f"api:change_{step}", VIEW, EDIT, ("POST",), ("draft",), has_page=False)
        for step in ("submit", "approve", "reject", "reopen", "rebase", "apply", "confirm", "rollback")
    ),
    Address("api:change_review", VIEW, EDIT, ("POST",), ("draft",)),
    *(address for kind in ("instance", "database", "service", "queue", "route") for address in _rows(kind)),
    *(_page(f"api:sys_{name}") for name in ("routes", "services", "service_queues", "service_queue_usages")),
    *(_page(f"api:sys_service_{name}") for name in ("contracts", "contract_usages", "contract_message_usages")),
    *map(_page, ("api:sys_service_message_types", "api:sys_service_broker_endpoints", "api:sys_databases")),
    *map(_page, ("api:sys_remote_service_bindings", "api:sys_conversation_priorities")),
    *map(_page, ("api:sys_endpoints", "api:sys_tcp_endpoints")),
    *map(_page, ("api:collected_transmission_queue", "api:collected_conversation_endpoints")),
    *(_page(f"api:sys_{name}") for name in ("conversation_endpoints", "transmission_queue", "conversation_groups")),
    *(_page(f"api:sys_dm_broker_{name}") for name in ("connections", "forwarded_messages")),
    *(_page(f"api:sys_dm_broker_{name}") for name in ("queue_monitors", "activated_tasks")),
    Address("api:dialogs", VIEW, OPERATE, ("POST",), has_page=False),
    Address("api:dialogs_messages", VIEW, OPERATE, ("POST",), has_page=False),
    Address("api:dialogs_retry", VIEW, OPERATE, ("POST",), has_page=False),
    Address("api:dialogs_end", VIEW, OPERATE, ("POST",), has_page=False),
    Address("api:dialog", VIEW, args=("handle",)),
    Address("api:dialog_history", VIEW, args=("handle",)),
    *(
        Address(f"api:dialog_{name}", VIEW, OPERATE, ("POST",), ("handle",), has_page=False)
        for name in ("messages", "end", "move", "timer")
    ),
    Address("api:dialog_body", VIEW, READ_BODIES, ("POST",), ("handle",), has_page=False),
    *(
        Address(f"api:queue_{name}", VIEW, OPERATE, ("POST",), ("nowhere", "nowhere", "nowhere"), has_page=False)
        for name in ("conversation_group", "receive", "status")
    ),
    Address("api:queue_messages", VIEW, args=("nowhere", "nowhere", "nowhere"), has_page=False),
    Address("api:queues_status", VIEW, OPERATE, ("POST",), has_page=False),
    Address("api:database_failover", VIEW, EDIT, ("POST",), ("nowhere", "nowhere"), has_page=False),
    Address("api:database_broker", VIEW, EDIT, ("POST",), ("nowhere", "nowhere"), has_page=False),
    Address("api:receipt", VIEW, OPERATE, ("POST",), ("handle",), has_page=False),
    _page("api:overview"),
    _page("api:servers"),
    _page("api:server", "server"),
    _page("api:server_leak", "left_database"),
    Address("api:collections", VIEW, OPERATE, ("POST",)),
    Address("api:collection", VIEW, OPERATE, ("DELETE",), ("collection",)),
    _page("api:events"),
    _page("api:queue_states"),
    _page("api:forwarding"),
    _page("api:drains"),
    _page("api:expiries"),
    Address("api:rounds", VIEW, OPERATE, ("POST",)),
    Address("api:round", VIEW, OPERATE, ("DELETE",), ("traffic_round",)),
    _page("api:versions"),
    _page("api:version", "version"),
    _page("api:version_diff", "version"),
    Address("api:version_restore", VIEW, EDIT, ("POST",), ("version",), has_page=False),
]


def known(resolver: Any = None, space: str = "") -> Iterator[str]:
    """The names of all addresses that the site has, but for redirects from those of earlier versions."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from known(one, f"{space}{one.namespace}:" if one.namespace else space)
        elif isinstance(one, URLPattern) and one.name != "moved":
            yield f"{space}{one.name}"


_ROWS = {
    f"tables:estate_{kind}_{view}": (number + turn) % 3
    for number, kind in enumerate(KINDS)
    for turn, view in enumerate(("changelist", "add", "change", "delete"))
}


def is_opened(address: Address) -> bool:
    """Say whether `make test` opens it where it opens every page.

    Of the pages of the tables of an estate, which have the same markup for each kind of row, it opens every third.
    """
    return _ROWS.get(address.name, 0) == 0


def is_of_rows(address: Address) -> bool:
    return address.name in _ROWS
