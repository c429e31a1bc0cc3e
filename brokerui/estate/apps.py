"""The live estate: its rows, its versions, and the services that change it."""

from django.apps import AppConfig


class EstateConfig(AppConfig):
    """One live estate in the database."""

    name = "brokerui.estate"
    label = "estate"
