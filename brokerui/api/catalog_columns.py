"""The columns of the catalog views, for the schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


def _text(**more: Any) -> Any:
    return serializers.CharField(**more)


def _maybe(kind: type[Any] = serializers.CharField) -> Any:
    return kind(allow_null=True)


class SysRouteSerializer(serializers.Serializer):
    """A row of sys.routes."""

    instance = _text()
    database = _text()
    name = _text()
    route_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    remote_service_name = _maybe()
    broker_instance = _maybe()
    lifetime = _maybe(serializers.DateTimeField)
    address = _text()
    mirror_address = _maybe()


class SysServiceSerializer(serializers.Serializer):
    """A row of sys.services."""

    instance = _text()
    database = _text()
    name = _text()
    service_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    service_queue_id = _maybe(serializers.IntegerField)


class SysServiceQueueSerializer(serializers.Serializer):
    """A row of sys.service_queues."""

    instance = _text()
    database = _text()
    schema = _maybe()
    name = _text()
    object_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    schema_id = _maybe(serializers.IntegerField)
    parent_object_id = serializers.IntegerField()
    type = _text()
    type_desc = _text()
    create_date = _maybe(serializers.DateTimeField)
    modify_date = _maybe(serializers.DateTimeField)
    is_ms_shipped = serializers.BooleanField()
    is_published = serializers.BooleanField()
    is_schema_published = serializers.BooleanField()
    max_readers = serializers.IntegerField()
    activation_procedure = _maybe()
    execute_as_principal_id = _maybe(serializers.IntegerField)
    is_activation_enabled = serializers.BooleanField()
    is_receive_enabled = serializers.BooleanField()
    is_enqueue_enabled = serializers.BooleanField()
    is_retention_enabled = serializers.BooleanField()
    is_poison_message_handling_enabled = serializers.BooleanField()


class SysServiceBrokerEndpointSerializer(serializers.Serializer):
    """A row of sys.service_broker_endpoints, and the port of sys.tcp_endpoints."""

    instance = _text()
    name = _text()
    endpoint_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    protocol = serializers.IntegerField()
    protocol_desc = _text()
    type = serializers.IntegerField()
    type_desc = _text()
    state = serializers.IntegerField()
    state_desc = _text()
    is_admin_endpoint = serializers.BooleanField()
    is_message_forwarding_enabled = serializers.BooleanField()
    message_forwarding_size = serializers.IntegerField()
    connection_auth = _maybe(serializers.IntegerField)
    connection_auth_desc = _maybe()
    certificate_id = _maybe(serializers.IntegerField)
    encryption_algorithm = serializers.IntegerField()
    encryption_algorithm_desc = _text()
    port = serializers.IntegerField()


COLUMNS_BY_VIEW: dict[str, type[Any]] = {
    "routes": SysRouteSerializer,
    "services": SysServiceSerializer,
    "service_queues": SysServiceQueueSerializer,
    "service_broker_endpoints": SysServiceBrokerEndpointSerializer,
}
