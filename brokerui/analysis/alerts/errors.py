"""Errors of alerts."""


class AlertStaleError(Exception):
    """Somebody changed, ended or deleted it meanwhile."""
