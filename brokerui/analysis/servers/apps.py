"""Collections of real servers, each with its moment."""

from django.apps import AppConfig


class ServersConfig(AppConfig):
    """Collections of real servers, each with its moment."""

    name = "brokerui.analysis.servers"
    label = "servers"
