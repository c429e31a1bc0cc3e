"""The part of the site that every page shares."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class CoreConfig(AppConfig):
    """Base page, theme, errors, health."""

    name = "brokerui.core"
    label = "core"

    def ready(self) -> None:
        """Have misconfiguration reported by `manage.py check` and at every start; know where wake-ups go."""
        # Tasks belong to the application of Celery that is there when they are first sent.
        import brokerui.celery  # noqa: F401, PLC0415 - the app that tasks are of
        from brokerui.core import checks, conditions  # noqa: PLC0415 - settings are complete only now
        from brokerui.core.celery_transport import use_repairing_transport  # noqa: PLC0415 - the same
        from brokerui.core.tracing import tracing_is_wanted  # noqa: PLC0415 - the same

        use_repairing_transport()
        if tracing_is_wanted():
            from brokerui.core.traced_work import trace_tasks  # noqa: PLC0415 - only then

            trace_tasks()

        register(checks.home_is_writable)
        register(checks.secret_key_is_private)
        register(checks.home_is_private, deploy=True)
        register(checks.debug_is_local)
        register(checks.valkey_is_there)
        register(checks.redis_answers, deploy=True)
        register(checks.database_is_not_newer, conditions.TAG, Tags.database)
        register(checks.volumes_have_space, conditions.TAG)
        register(checks.redis_keys_are_ours, conditions.TAG, Tags.database)
