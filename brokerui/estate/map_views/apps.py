"""Saved views of the map."""

from django.apps import AppConfig


class MapViewsConfig(AppConfig):
    """Named filters of the map with the places of its boxes."""

    name = "brokerui.estate.map_views"
    label = "map_views"
