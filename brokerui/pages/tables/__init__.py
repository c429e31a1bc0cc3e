"""The tables: every row of the estate in forms, with what a change would bring beside the fields, before saving.

Begin with `site`, which has an address for each table, and `row_kinds`, how each kind of row is found, read from a
form, put and dropped. A list is of `base_admin`: `lists` of the estate with their `cells` and `list_filters`, `history`
of versions, `accounts` and `instance_groups` for administrators. A row has its pages in `row_page`: the form
(`form_page`, `forms`, `form_fields`, `options`, `typed_route`) gives `unsaved_edits`, and `change_preview` shows what
they would bring, each finding at its field (`field_mapping`).
"""

from brokerui.pages.tables import accounts, history, instance_groups, lists
from brokerui.pages.tables.site import site

__all__ = ["accounts", "history", "instance_groups", "lists", "site"]
