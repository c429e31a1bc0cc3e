"""The runner of background jobs."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    """Knows the kinds of jobs once every application is loaded."""

    name = "brokerui.core.jobs"
    label = "jobs"

    def ready(self) -> None:
        """Import the module `job_kinds` of each application that has one: there it registers its kinds."""
        autodiscover_modules("job_kinds")
