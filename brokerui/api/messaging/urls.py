"""Addresses of messaging, within those of the REST interface."""

from __future__ import annotations

from django.urls import URLPattern, path

from brokerui.api.messaging import brokers, dialog_body, dialog_ends, dialog_history, dialogs, queues, several
from brokerui.api.messaging.sys_views import sys_addresses

QUEUE = "queues/<str:instance>/<str:database>/<path:queue>"
"""The name of a queue may hold slashes, escaped or not: servers unescape a path before it is looked up."""


def addresses() -> list[URLPattern]:
    """Return the addresses of the verbs and of the product's views."""
    return [
        path("dialogs/", dialogs.DialogBegin.as_view(), name="dialogs"),
        path("dialogs/messages/", dialogs.DialogsMessages.as_view(), name="dialogs_messages"),
        path("dialogs/end/", dialog_ends.DialogsEnd.as_view(), name="dialogs_end"),
        path("dialogs/retry/", several.DialogsRetry.as_view(), name="dialogs_retry"),
        path("dialogs/<str:handle>/", dialogs.DialogDetail.as_view(), name="dialog"),
        path("dialogs/<str:handle>/body/", dialog_body.DialogBody.as_view(), name="dialog_body"),
        path("dialogs/<str:handle>/history/", dialog_history.DialogHistory.as_view(), name="dialog_history"),
        path("dialogs/<str:handle>/messages/", dialogs.DialogMessages.as_view(), name="dialog_messages"),
        path("dialogs/<str:handle>/end/", dialogs.DialogEnd.as_view(), name="dialog_end"),
        path("dialogs/<str:handle>/move/", dialogs.DialogMove.as_view(), name="dialog_move"),
        path("dialogs/<str:handle>/timer/", dialogs.DialogTimer.as_view(), name="dialog_timer"),
        path(f"{QUEUE}/messages/", queues.QueueMessages.as_view(), name="queue_messages"),
        path(f"{QUEUE}/receive/", queues.QueueReceive.as_view(), name="queue_receive"),
        path(f"{QUEUE}/conversation_group/", queues.QueueConversationGroup.as_view(), name="queue_conversation_group"),
        path(f"{QUEUE}/status/", queues.QueueStatus.as_view(), name="queue_status"),
        path("queue_states/status/", several.QueuesStatus.as_view(), name="queues_status"),
        path(
            "databases/<str:instance>/<str:database>/broker/", brokers.DatabaseBroker.as_view(), name="database_broker"
        ),
        path(
            "databases/<str:instance>/<str:database>/failover/",
            brokers.DatabaseFailover.as_view(),
            name="database_failover",
        ),
        path("receipts/<str:receipt>/", queues.ReceiptSettle.as_view(), name="receipt"),
        *sys_addresses(),
    ]
