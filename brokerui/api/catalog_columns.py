"""The columns of the catalog views, for the schema."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.catalog_database_columns import SysDatabaseSerializer


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


class SysServiceQueueUsageSerializer(serializers.Serializer):
    """A row of sys.service_queue_usages."""

    instance = _text()
    database = _text()
    service_id = serializers.IntegerField()
    service_queue_id = serializers.IntegerField()


class SysServiceContractSerializer(serializers.Serializer):
    """A row of sys.service_contracts."""

    instance = _text()
    database = _text()
    name = _text()
    service_contract_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)


class SysServiceContractUsageSerializer(serializers.Serializer):
    """A row of sys.service_contract_usages."""

    instance = _text()
    database = _text()
    service_id = serializers.IntegerField()
    service_contract_id = serializers.IntegerField()


class SysServiceContractMessageUsageSerializer(serializers.Serializer):
    """A row of sys.service_contract_message_usages."""

    instance = _text()
    database = _text()
    service_contract_id = serializers.IntegerField()
    message_type_id = serializers.IntegerField()
    is_sent_by_initiator = serializers.BooleanField()
    is_sent_by_target = serializers.BooleanField()


class SysServiceMessageTypeSerializer(serializers.Serializer):
    """A row of sys.service_message_types."""

    instance = _text()
    database = _text()
    name = _text()
    message_type_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    validation = _text()
    validation_desc = _text()
    xml_collection_id = _maybe(serializers.IntegerField)


class SysRemoteServiceBindingSerializer(serializers.Serializer):
    """A row of sys.remote_service_bindings."""

    instance = _text()
    database = _text()
    name = _text()
    remote_service_binding_id = serializers.IntegerField()
    principal_id = _maybe(serializers.IntegerField)
    remote_service_name = _text()
    service_contract_id = serializers.IntegerField()
    remote_principal_id = _maybe(serializers.IntegerField)
    is_anonymous_on = serializers.BooleanField()
    remote_principal_name = _text(allow_null=True, help_text=_("Not the product's."))


class SysConversationPrioritySerializer(serializers.Serializer):
    """A row of sys.conversation_priorities."""

    instance = _text()
    database = _text()
    priority_id = serializers.IntegerField()
    name = _text()
    service_contract_id = _maybe(serializers.IntegerField)
    local_service_id = _maybe(serializers.IntegerField)
    remote_service_name = _maybe()
    priority = serializers.IntegerField()


class SysEndpointSerializer(serializers.Serializer):
    """A row of sys.endpoints."""

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


class SysTcpEndpointSerializer(SysEndpointSerializer):
    """A row of sys.tcp_endpoints."""

    port = serializers.IntegerField()
    is_dynamic_port = serializers.BooleanField()
    ip_address = _maybe()


class SysServiceBrokerEndpointSerializer(SysEndpointSerializer):
    """A row of sys.service_broker_endpoints, and the port of sys.tcp_endpoints."""

    is_message_forwarding_enabled = serializers.BooleanField()
    message_forwarding_size = serializers.IntegerField()
    connection_auth = _maybe(serializers.IntegerField)
    connection_auth_desc = _maybe()
    certificate_id = _maybe(serializers.IntegerField)
    encryption_algorithm = serializers.IntegerField()
    encryption_algorithm_desc = _text()
    port = serializers.IntegerField(help_text=_("Not the product's."))


COLUMNS_BY_VIEW: dict[str, type[Any]] = {
    "routes": SysRouteSerializer,
    "services": SysServiceSerializer,
    "service_queues": SysServiceQueueSerializer,
    "service_queue_usages": SysServiceQueueUsageSerializer,
    "service_contracts": SysServiceContractSerializer,
    "service_contract_usages": SysServiceContractUsageSerializer,
    "service_contract_message_usages": SysServiceContractMessageUsageSerializer,
    "service_message_types": SysServiceMessageTypeSerializer,
    "remote_service_bindings": SysRemoteServiceBindingSerializer,
    "conversation_priorities": SysConversationPrioritySerializer,
    "databases": SysDatabaseSerializer,
    "endpoints": SysEndpointSerializer,
    "tcp_endpoints": SysTcpEndpointSerializer,
    "service_broker_endpoints": SysServiceBrokerEndpointSerializer,
}
