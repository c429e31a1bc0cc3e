"""What the pipeline found about an estate's traffic."""

from django.apps import AppConfig


class TrafficResultsConfig(AppConfig):
    """What the pipeline found about an estate's traffic."""

    name = "brokerui.analysis.traffic"
    label = "traffic_results"
