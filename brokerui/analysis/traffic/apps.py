"""The results of the pipeline about an estate's traffic."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from brokerui.core.conditions import TAG


class TrafficResultsConfig(AppConfig):
    """The results of the pipeline about an estate's traffic."""

    name = "brokerui.analysis.traffic"
    label = "traffic_results"

    def ready(self) -> None:
        """Register the system check of rounds."""
        from brokerui.analysis.traffic import checks  # noqa: PLC0415 - models, which are not there yet at the start

        register(checks.rounds_have_a_worker, TAG, Tags.database)
