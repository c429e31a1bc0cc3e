"""Routing tests of the live estate."""

from django.apps import AppConfig


class RoutingTestsConfig(AppConfig):
    """Routing tests of the live estate."""

    name = "brokerui.analysis.routing_tests"
    label = "routing_tests"
