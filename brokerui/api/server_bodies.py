"""Bodies of `servers/` and `collections/`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.overview.real_servers import RealServer
from brokerui.analysis.servers.clean_up_plan import DAYS, DEFAULT_DAYS, CleanUpPlan
from brokerui.analysis.servers.leak import DatabaseLeak
from brokerui.analysis.servers.leak_words import growth, headline, order_of_work, state_words, why
from brokerui.analysis.servers.models import CollectedDatabase, Collection, CollectionSource
from brokerui.analysis.servers.sums import ServerSums
from brokerui.api.fields import MomentField, NameField, StrictBooleanField, StrictChoiceField, TextField
from brokerui.api.ids import id_of
from brokerui.api.overview import CauseSerializer
from brokerui.api.serializers import QuerySerializer, StrictSerializer
from brokerui.core.templatetags.wording import translate
from brokerui.estate.models.base import SYSNAME
from routing.catalog.broker_log import BrokerEvent
from routing.common.moment import format_moment
from routing.common.sentence import Sentence
from routing.lint.endpoint_leaks import ServiceState
from routing.model.collected import MAX_COUNT
from routing.model.estate import INSTANCE_NAME_CHARS

Json = dict[str, Any]


def _count(**options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=0, max_value=MAX_COUNT, **options)


class ListedServerSerializer(serializers.Serializer):
    """A real server, in the list."""

    id = serializers.CharField()
    name = serializers.CharField()
    databases = _count()
    read_at = serializers.DateTimeField(allow_null=True, help_text=_("Its last collection, else its import."))
    is_stale = serializers.BooleanField(help_text=_("Longer ago than ESTATE_STALE_DAYS, or never."))
    messages = _count(help_text=_("That waited there when it was asked."))
    leaks = _count(help_text=_("Databases with conversations that will never close by themselves."))
    product_version = serializers.CharField(allow_null=True)
    how = serializers.ChoiceField(CollectionSource.values, allow_null=True, help_text=_("Of its last collection."))
    author = serializers.CharField(allow_null=True)


class ServerDatabaseSerializer(serializers.Serializer):
    """A database with the sums of its last collection."""

    id = serializers.CharField(help_text=_("In servers/leaks/."))
    name = serializers.CharField()
    collected_at = serializers.DateTimeField()
    messages = _count(allow_null=True)
    states = serializers.DictField(child=_count(), allow_null=True, help_text=_("Conversations by state."))
    left = _count(help_text=_("Conversations that will never close by themselves."))


class BrokerEventSerializer(serializers.Serializer):
    """An error of Service Broker in the log of a server."""

    log = serializers.CharField(help_text=_("`error log` or `event session`."))
    number = serializers.IntegerField(help_text=_("In sys.messages; 0: none."))
    name = serializers.CharField(allow_blank=True, help_text=_("Of the event; empty in an error log."))
    text = serializers.CharField(allow_blank=True)
    times = _count()
    first = serializers.CharField(allow_blank=True, help_text=_("As the log writes it."))
    last = serializers.CharField(allow_blank=True)


class ServerDetailSerializer(ListedServerSerializer):
    """A real server with its causes."""

    causes = CauseSerializer(many=True, help_text=_("The worst first, with T-SQL for a person to run there."))
    collected = ServerDatabaseSerializer(many=True)
    events = BrokerEventSerializer(many=True)


class CollectionSerializer(serializers.Serializer):
    """A collection of a server."""

    number = serializers.IntegerField()
    server = serializers.CharField()
    collected_at = serializers.DateTimeField()
    kept_at = serializers.DateTimeField()
    author = serializers.CharField()
    how = serializers.ChoiceField(CollectionSource.values)


class PastedSerializer(StrictSerializer):
    """Rows of a server, as a person would paste them."""

    server = NameField(max_length=INSTANCE_NAME_CHARS)
    database = NameField(
        max_length=SYSNAME, required=False, help_text=_("Where the rows have no column database_name.")
    )
    collected_at = MomentField(required=False, help_text=_("When the server was asked; missing: now."))
    content = TextField(
        help_text=_(
            "Rows of sys.transmission_queue or sys.conversation_endpoints, a result of collect-sql, an error log or"
            " events."
        ),
    )
    dry_run = StrictBooleanField(default=False, help_text=_("Only return the sums."))


class UnderstoodDatabaseSerializer(serializers.Serializer):
    """The sums of one database in the rows."""

    name = serializers.CharField()
    messages = _count(allow_null=True)
    states = serializers.DictField(child=_count(), allow_null=True)


class UnderstoodSerializer(serializers.Serializer):
    """The sums that were understood."""

    number = serializers.IntegerField(allow_null=True, help_text=_("Of the collection; null: a dry run."))
    server = serializers.CharField()
    collected_at = serializers.DateTimeField()
    databases = UnderstoodDatabaseSerializer(many=True)
    events = _count(allow_null=True, help_text=_("Kinds of errors; null: no log."))


class LeakGroupSerializer(serializers.Serializer):
    """The conversations of a service in one role and state."""

    service = serializers.CharField(allow_null=True)
    is_initiator = serializers.BooleanField(allow_null=True)
    state = serializers.CharField()
    words = serializers.CharField()
    why = serializers.CharField(allow_null=True)
    is_leak = serializers.BooleanField()
    ages = serializers.DictField(
        child=_count(), help_text=_("By the days at which their age begins; unknown: not known.")
    )
    endpoints = _count()
    more = serializers.IntegerField(allow_null=True, help_text=_("Since the collection before."))
    a_day = serializers.IntegerField(allow_null=True, help_text=_("Since the first collection."))


class WorkStepSerializer(serializers.Serializer):
    """A step of the order of work."""

    title = serializers.CharField()
    text = serializers.CharField()
    sql = serializers.CharField(allow_null=True)


class CleanUpSerializer(serializers.Serializer):
    """The clean-up script: it only counts until a person sets @run = 1."""

    services = serializers.ListField(child=serializers.CharField())
    days = serializers.IntegerField()
    ends = _count()
    stays = _count()
    sql = serializers.CharField()


class LeakSerializer(serializers.Serializer):
    """Conversations that a database leaves over."""

    server = serializers.CharField()
    database = serializers.CharField()
    collected_at = serializers.DateTimeField(allow_null=True)
    headline = serializers.CharField()
    growth = serializers.CharField()
    left = _count()
    left_bytes = _count(help_text=_("About the bytes of their rows, by the widths of the columns, without indexes."))
    groups = LeakGroupSerializer(many=True)
    history = serializers.ListField(child=serializers.DictField(), help_text=_("Conversations by state over time."))
    steps = WorkStepSerializer(many=True)
    clean_up = CleanUpSerializer(allow_null=True, help_text=_("Null: there is no conversation in state DI."))


class LeakQuery(QuerySerializer):
    """Which conversations the script takes."""

    service = NameField(max_length=256, help_text=_("Missing: all services that leak DI."))
    days = StrictChoiceField(
        list(map(str, DAYS)), default=str(DEFAULT_DAYS), help_text=_("Begun more than this number of days ago.")
    )


def server_as_json(server: RealServer) -> Json:
    """A server, in the list."""
    last = server.last
    return {
        "id": id_of((server.name,)),
        "name": server.name,
        "databases": server.databases,
        "read_at": format_moment(server.at) if server.at is not None else None,
        "is_stale": server.is_stale,
        "messages": server.held,
        "leaks": server.leaks,
        "product_version": (last.product_version or None) if last is not None else None,
        "how": last.source if last is not None else None,
        "author": last.author if last is not None else None,
    }


def database_as_json(server: str, row: CollectedDatabase) -> Json:
    """A database with the sums of one collection."""
    return {
        "id": id_of((server, row.name)),
        "name": row.name,
        "collected_at": format_moment(row.collection.collected_at),
        "messages": row.messages,
        "states": row.states,
        "left": row.left,
    }


def event_as_json(event: BrokerEvent) -> Json:
    """An error of a log."""
    values = asdict(event)
    return {"log": values.pop("source"), **values}


def collection_as_json(one: Collection) -> Json:
    """A collection without its sums."""
    return {
        "number": one.pk,
        "server": one.server,
        "collected_at": format_moment(one.collected_at),
        "kept_at": format_moment(one.kept_at),
        "author": one.author,
        "how": one.source,
    }


def understood_as_json(sums: ServerSums, number: int | None) -> Json:
    """The sums that were understood."""
    databases = [{"name": one.name, "messages": one.messages, "states": one.states} for one in sums.databases]
    return {
        "number": number,
        "server": sums.server,
        "collected_at": format_moment(sums.at),
        "databases": databases,
        "events": None if sums.events is None else len(sums.events),
    }


def leak_as_json(leak: DatabaseLeak, plan: CleanUpPlan | None) -> Json:
    """Everything of the page about a leak."""
    steps = [
        {"title": _words(one.title), "text": _words(one.text), "sql": one.sql or None} for one in order_of_work(leak)
    ]
    return {
        "server": leak.server,
        "database": leak.database,
        "collected_at": format_moment(leak.at) if leak.at is not None else None,
        "headline": _words(headline(leak)),
        "growth": _words(growth(leak)),
        "left": leak.left,
        "left_bytes": leak.left_bytes,
        "groups": [_group(one, leak) for one in leak.groups],
        "history": [{"collected_at": format_moment(one.at), **one.states} for one in leak.history],
        "steps": steps,
        "clean_up": None if plan is None else _plan(plan),
    }


def _plan(plan: CleanUpPlan) -> Json:
    figures = {"days": plan.days, "ends": plan.ends, "stays": plan.stays}
    return {"services": list(plan.services), **figures, "sql": plan.sql}


def _group(one: ServiceState, leak: DatabaseLeak) -> Json:
    reason = why(one, leak)
    return {
        "service": one.service,
        "is_initiator": one.is_initiator,
        "state": one.state,
        "words": _words(state_words(one)),
        "why": None if reason is None else _words(reason),
        "is_leak": one.is_leak,
        "ages": {"unknown" if age is None else str(age): count for age, count in one.ages.items()},
        "endpoints": one.endpoints,
        "more": leak.more(one),
        "a_day": leak.a_day(one),
    }


def _words(sentence: Sentence | str) -> str:
    return sentence.render(translate) if isinstance(sentence, Sentence) else sentence


def collected_now(body: Json) -> Any:
    """The moment of the rows."""
    return body.get("collected_at") or timezone.now().replace(microsecond=0)
