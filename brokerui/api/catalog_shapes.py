"""The columns of the catalog views, as the schema tells them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as fields


def _text(**more: Any) -> Any:
    return fields.CharField(**more)


def _maybe(kind: type[Any] = fields.CharField) -> Any:
    return kind(allow_null=True)


class SysRouteSerializer(fields.Serializer):
    """A row of sys.routes."""

    instance = _text()
    database = _text()
    name = _text()
    route_id = fields.IntegerField()
    principal_id = _maybe(fields.IntegerField)
    remote_service_name = _maybe()
    broker_instance = _maybe()
    lifetime = _maybe(fields.DateTimeField)
    address = _text()
    mirror_address = _maybe()


class SysServiceSerializer(fields.Serializer):
    """A row of sys.services."""

    instance = _text()
    database = _text()
    name = _text()
    service_id = fields.IntegerField()
    principal_id = _maybe(fields.IntegerField)
    service_queue_id = _maybe(fields.IntegerField)


class SysServiceQueueSerializer(fields.Serializer):
    """A row of sys.service_queues."""

    instance = _text()
    database = _text()
    schema = _maybe()
    name = _text()
    object_id = fields.IntegerField()
    principal_id = _maybe(fields.IntegerField)
    schema_id = _maybe(fields.IntegerField)
    parent_object_id = fields.IntegerField()
    type = _text()
    type_desc = _text()
    create_date = _maybe(fields.DateTimeField)
    modify_date = _maybe(fields.DateTimeField)
    is_ms_shipped = fields.BooleanField()
    is_published = fields.BooleanField()
    is_schema_published = fields.BooleanField()
    max_readers = fields.IntegerField()
    activation_procedure = _maybe()
    execute_as_principal_id = _maybe(fields.IntegerField)
    is_activation_enabled = fields.BooleanField()
    is_receive_enabled = fields.BooleanField()
    is_enqueue_enabled = fields.BooleanField()
    is_retention_enabled = fields.BooleanField()
    is_poison_message_handling_enabled = fields.BooleanField()


class SysServiceBrokerEndpointSerializer(fields.Serializer):
    """A row of sys.service_broker_endpoints, and the port of sys.tcp_endpoints."""

    instance = _text()
    name = _text()
    endpoint_id = fields.IntegerField()
    principal_id = _maybe(fields.IntegerField)
    protocol = fields.IntegerField()
    protocol_desc = _text()
    type = fields.IntegerField()
    type_desc = _text()
    state = fields.IntegerField()
    state_desc = _text()
    is_admin_endpoint = fields.BooleanField()
    is_message_forwarding_enabled = fields.BooleanField()
    message_forwarding_size = fields.IntegerField()
    connection_auth = _maybe(fields.IntegerField)
    connection_auth_desc = _maybe()
    certificate_id = _maybe(fields.IntegerField)
    encryption_algorithm = fields.IntegerField()
    encryption_algorithm_desc = _text()
    port = fields.IntegerField()


SHAPES: dict[str, type[Any]] = {
    "routes": SysRouteSerializer,
    "services": SysServiceSerializer,
    "service_queues": SysServiceQueueSerializer,
    "service_broker_endpoints": SysServiceBrokerEndpointSerializer,
}
"""By view."""
