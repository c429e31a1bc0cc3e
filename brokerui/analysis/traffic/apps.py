"""The results of the pipeline about an estate's traffic."""

from django.apps import AppConfig


class TrafficResultsConfig(AppConfig):
    """The results of the pipeline about an estate's traffic."""

    name = "brokerui.analysis.traffic"
    label = "traffic_results"
