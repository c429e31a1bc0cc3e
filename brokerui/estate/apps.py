"""The live estate: its rows, its versions, and who may change it how."""

from django.apps import AppConfig


class EstateConfig(AppConfig):
    """One live estate in the database."""

    name = "brokerui.estate"
    label = "estate"
