"""The tables: every row of the estate in forms, with what a change would bring beside the fields, before saving."""

from brokerui.pages.tables import accounts, history, instance_groups, lists
from brokerui.pages.tables.site import site

__all__ = ["accounts", "history", "instance_groups", "lists", "site"]
