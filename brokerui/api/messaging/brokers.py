"""A hosted database: ALTER DATABASE … SET ENABLE_BROKER and its three other options, and PARTNER FAILOVER."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level, Permission
from brokerui.analysis.acts.failing_over import FailoverPlan, fail_over, failover_plan
from brokerui.api.fields import IdentifierField, StrictBooleanField, StrictChoiceField, StrictIntegerField
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialogs import verb
from brokerui.api.serializers import StrictSerializer, read_body
from brokerui.estate.selectors import estate_current
from brokerui.messaging import services

PLACE = [OpenApiParameter(name, {"type": "string"}, OpenApiParameter.PATH) for name in ("instance", "database")]
OPTIONS: Final = ("ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS")


class BrokerOptionSerializer(StrictSerializer):
    """ALTER DATABASE … SET."""

    option = StrictChoiceField(OPTIONS)


class BrokerSerializer(StrictSerializer):
    """The state of the database afterwards."""

    broker_instance = IdentifierField(allow_null=True)
    broker_enabled = StrictBooleanField()
    conversations_ended = StrictIntegerField(
        min_value=0,
        max_value=2**53,
        help_text=_("How many conversations ERROR_BROKER_CONVERSATIONS has ended with an error."),
    )


class FailoverSerializer(StrictSerializer):
    """SET PARTNER FAILOVER."""

    dry_run = StrictBooleanField(required=False, help_text=_("Change nothing; answer what the failover would do."))


class FailoverResultSerializer(serializers.Serializer):
    """The roles afterwards, and the effect."""

    result = serializers.ChoiceField(["done", "would_be_done"])
    database = serializers.CharField()
    principal = serializers.CharField(help_text=_("The instance that is the principal afterwards."))
    mirror = serializers.CharField()
    conversations = serializers.IntegerField(min_value=0, help_text=_("That move to the new principal."))
    messages = serializers.IntegerField(min_value=0, help_text=_("Of those, messages that wait to be sent."))
    better = serializers.IntegerField(min_value=0, help_text=_("Classes of conversations that routing serves better."))
    worse = serializers.IntegerField(min_value=0, help_text=_("Classes of conversations that routing serves worse."))


class DatabaseFailover(MessagingView):
    """The failover of a mirrored database. It changes the estate, and takes the level of editors."""

    write: ClassVar[Permission] = Level.EDIT

    @verb(
        "database_failover",
        _("Fail over a mirrored database"),
        FailoverSerializer,
        FailoverResultSerializer,
        parameters=PLACE,
        description=_(
            "The partners exchange their roles, and the database moves with its conversations, queues and keys. Both"
            " have to be hosted here. Either of them can be named; `dry_run` tells the effect and changes nothing."
        ),
        examples=[OpenApiExample("dry run", value={"dry_run": True}, request_only=True)],
    )
    def post(self, request: Request, instance: str, database: str) -> Response:
        """ALTER DATABASE … SET PARTNER FAILOVER."""

        def act() -> tuple[str, int, Any]:
            is_done = not read_body(request.data, FailoverSerializer).get("dry_run", False)
            plan = failover_plan(instance=instance, database=database)
            if is_done:
                fail_over(instance=instance, database=database, author=request.user.get_username())
            return instance, 0, _effect(plan, is_done=is_done)

        return Response(done_once(request, "failover", act))


def _effect(plan: FailoverPlan, *, is_done: bool) -> dict[str, Any]:
    return {
        "result": "done" if is_done else "would_be_done",
        "database": plan.pair.database,
        "principal": plan.pair.mirror,
        "mirror": plan.pair.principal,
        "conversations": plan.conversations,
        "messages": plan.messages,
        "better": sum(effect.count for effect in plan.better),
        "worse": sum(effect.count for effect in plan.worse),
    }


class DatabaseBroker(MessagingView):
    """The broker of a database. It changes the estate, and takes the level of editors."""

    write: ClassVar[Permission] = Level.EDIT

    @verb(
        "database_broker",
        _("Enable, disable or renew the broker of a database, or end its conversations"),
        BrokerOptionSerializer,
        BrokerSerializer,
        parameters=PLACE,
        description=_(
            "Of an instance that is hosted here, as ALTER DATABASE … SET does it: NEW_BROKER gives another identifier, "
            "and its conversations are gone without a word to their other sides; ERROR_BROKER_CONVERSATIONS keeps the "
            "identifier, enables the broker and ends all conversations with an error on both sides. It is a change of "
            "the estate, with an entry of the audit."
        ),
        examples=[OpenApiExample("end", value={"option": "ERROR_BROKER_CONVERSATIONS"}, request_only=True)],
    )
    def post(self, request: Request, instance: str, database: str) -> Response:
        """ALTER DATABASE … SET."""

        def alter() -> tuple[str, int, Any]:
            option = read_body(request.data, BrokerOptionSerializer)["option"]
            ended = _alter(option, instance, database, request.user.get_username())
            now = estate_current().estate.instances[instance].databases[database]
            answer = {"broker_instance": now.broker_instance, "broker_enabled": now.broker_enabled}
            return instance, 0, {**answer, "conversations_ended": ended}

        return Response(done_once(request, "broker", alter))


def _alter(option: str, instance: str, database: str, author: str) -> int:
    """Set the option; returns how many conversations were ended with an error."""
    if option == "ERROR_BROKER_CONVERSATIONS":
        return services.broker_error_conversations(instance=instance, database=database, author=author)
    verbs = {
        "ENABLE_BROKER": services.broker_enable,
        "DISABLE_BROKER": services.broker_disable,
        "NEW_BROKER": services.broker_renew,
    }
    verbs[option](instance=instance, database=database, author=author)
    return 0
