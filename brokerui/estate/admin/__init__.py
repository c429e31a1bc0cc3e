"""The tables: every row of the estate in forms, with what a change would bring beside the fields, before saving."""

from brokerui.estate.admin import history, lists
from brokerui.estate.admin.site import site

__all__ = ["history", "lists", "site"]
