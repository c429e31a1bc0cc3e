"""The estate that a new home starts with, to try everything on."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """Loading the demo, saying that it is one, taking it away."""

    name = "brokerui.demo"
    label = "demo"
