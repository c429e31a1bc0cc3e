"""The pages of the site, one package each."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Template tags of the pages; the pages have no tables of their own."""

    name = "brokerui.pages"
    label = "pages"
