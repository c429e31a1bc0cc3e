"""The fields of the tables' forms, and what all these forms do: a text is kept byte by byte, an empty one is null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.urls import reverse_lazy

Json = dict[str, Any]
Text = Any
"""A text, translated when it is shown."""
WAS = "was"
"""The hidden field of a line of a table: the name of what it shows; empty in a new line."""


def text(label: str, hint: Text = "", *, required: bool = False, limit: int | None = None, **more: Any) -> Any:
    """A text, byte by byte as it is typed; empty: null. `options` names where its suggestions come from."""
    options, example = more.pop("options", ""), more.pop("example", "")
    attrs: Json = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off", "class": "mono"}
    if options:
        attrs |= {"data-options": reverse_lazy("tables:options", args=[options])}
    if example:
        attrs["placeholder"] = example
    widget = forms.TextInput(attrs)
    return forms.CharField(
        label=label,
        help_text=hint,
        required=required,
        max_length=limit,
        strip=False,
        empty_value=None,
        widget=widget,
        **more,
    )


def number(label: str, hint: Text = "", **more: Any) -> Any:
    """A whole number; empty: null."""
    return forms.IntegerField(label=label, help_text=hint, required=False, **more)


def tick(label: str, hint: Text = "", *, initial: bool = False) -> Any:
    """Yes or no."""
    return forms.BooleanField(label=label, help_text=hint, required=False, initial=initial)


def choice(label: str, choices: Any, hint: Text = "", *, null: Text | None = None, **more: Any) -> Any:
    """One of a few; with `null`, which is what the empty choice is called, also none."""
    first = [("", null)] if null is not None else []
    return forms.TypedChoiceField(
        label=label,
        help_text=hint,
        choices=[*first, *choices],
        required=null is None,
        empty_value=None,
        coerce=str,
        **more,
    )


class ValueForm(forms.Form):
    """The columns of one value of the engine."""

    groups: tuple[tuple[Text, tuple[str, ...]], ...] = ()
    """Headings and fields, where the form is shown in parts."""

    @classmethod
    def columns(cls, document: Mapping[str, Any]) -> Json:
        """The initial values, from the value as the estate document has it."""
        return {name: document[name] for name in cls.names() if name in document}

    def document(self) -> Json:
        """The typed values, as members of an estate document."""
        return {name: self.cleaned_data[name] for name in self.names()}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(name for name in cls.base_fields if name != WAS)


def row_of(form: type[ValueForm]) -> type[ValueForm]:
    """The form as a line of a table. What a line shows has its name for good."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        super(made, self).__init__(*args, **kwargs)
        if "name" in self.fields and self.initial.get(WAS):
            self.fields["name"].disabled = True
        for field in self.fields.values():
            # Its column's head is all the label it has.
            field.widget.attrs["aria-label"] = field.label

    hidden = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    made: type[ValueForm] = type(f"{form.__name__}Row", (form,), {WAS: hidden, "__init__": init})
    return made


def without_nulls(parts: Json) -> Json:
    """Return the members without empty ones, which get their defaults."""
    return {name: value for name, value in parts.items() if value is not None}
