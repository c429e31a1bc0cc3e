"""Bodies that several resources share: ids and owners of rows, pages, problem documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.explanations.looks import LookKind
from brokerui.api.fields import NameField, StringField
from routing.common.names import SYSNAME_CHARS


def row_id() -> Any:
    """Return the field of a row's id, in responses."""
    help_text = _("Stands for the row in addresses; stays the same as long as the names do.")
    return serializers.CharField(read_only=True, help_text=help_text)


def owner_instance() -> Any:
    """Return the field of the instance that a row is on."""
    return NameField(help_text=_("The instance that it is on. Cannot be changed."))


def owner_database() -> Any:
    """Return the field of the database that a row is in."""
    return NameField(max_length=SYSNAME_CHARS, help_text=_("The database that it is in. Cannot be changed."))


def page_of(row: type[Any]) -> type[Any]:
    """Return the serializer of a page of these rows."""
    return _page_class(row, _page_of_members(row))


class LookSerializer(serializers.Serializer):
    """One look of the diagnosis of a conversation that waits."""

    look = serializers.ChoiceField([kind.value for kind in LookKind], help_text=_("The same in every language."))
    title = serializers.CharField()
    saw = serializers.CharField()
    decides = serializers.BooleanField(help_text=_("Whether it is the first look that shows a cause."))


class ChangedRowsSerializer(serializers.Serializer):
    """Ids of the rows of a list, on all its pages, that differ from the version which the draft was made on."""

    added = serializers.ListField(child=serializers.CharField())
    altered = serializers.ListField(child=serializers.CharField())
    dropped = serializers.ListField(child=serializers.CharField())


def marked_page_of(row: type[Any]) -> type[Any]:
    """Return the serializer of a page of rows; the first page of a draft tells which rows the draft changes."""
    changed = ChangedRowsSerializer(required=False, help_text=_("Only with `draft`, and on the first page."))
    return _page_class(row, {**_page_of_members(row), "changed": changed})


def uncounted_page_of(row: type[Any]) -> type[Any]:
    """Return the serializer of a page of rows that are not counted."""
    members = {
        "__doc__": "A page of rows of running conversations.",
        "count": serializers.IntegerField(allow_null=True, help_text=_("null: nobody counts them.")),
        **_page_members(row),
    }
    return _page_class(row, members)


def _page_of_members(row: type[Any]) -> dict[str, Any]:
    return {
        "__doc__": "A page of rows.",
        "count": serializers.IntegerField(min_value=0, help_text=_("Rows of all pages.")),
        **_page_members(row),
    }


def _page_members(row: type[Any]) -> dict[str, Any]:
    return {
        "next": serializers.URLField(allow_null=True, help_text=_("The next page; null: this is the last.")),
        "results": row(many=True),
    }


def _page_class(row: type[Any], members: dict[str, Any]) -> type[Any]:
    return type(row.__name__.replace("Serializer", "PageSerializer"), (serializers.Serializer,), members)


def columns_of(row: type[Any], keys: Iterable[str]) -> type[Any]:
    """Return the serializer of a changed row, which the address names: its id and key may be left out.

    They cannot be changed; a client that sends back what it read may leave them in.
    """
    names = tuple(keys)

    def get_fields(self: Any) -> dict[str, Any]:
        fields: dict[str, Any] = super(made, self).get_fields()
        for name in names:
            fields[name].required = False
        return fields | {"id": StringField(required=False, help_text=fields["id"].help_text)}

    name = row.__name__.replace("Serializer", "ColumnsSerializer")
    made: type[Any] = type(name, (row,), {"__doc__": row.__doc__, "get_fields": get_fields})
    return made


class FaultSerializer(serializers.Serializer):
    """One thing that is wrong, and where."""

    vars()["in"] = serializers.ChoiceField(["query", "body", "file"])  # a word of Python
    name = serializers.CharField(allow_blank=True, help_text=_("The parameter, the path in the body, or the file."))
    path = serializers.CharField(
        required=False, allow_blank=True, help_text=_("In a file or a script: JSON path or line.")
    )
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    """A problem document (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text=_("A word for programs to compare."))
    detail = serializers.CharField(help_text=_("A sentence for people, in the language of Accept-Language."))
    errors = FaultSerializer(many=True, required=False)  # type: ignore[assignment]  # taken out by the metaclass
    existing = serializers.CharField(required=False, help_text=_("The id of the row that is in the way."))
    number = serializers.IntegerField(required=False, help_text=_("The product's, of what it refuses."))
