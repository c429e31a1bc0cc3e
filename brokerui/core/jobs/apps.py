"""The runner of background jobs."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Its models and tasks; `kinds` knows which jobs there are."""

    name = "brokerui.core.jobs"
    label = "jobs"
