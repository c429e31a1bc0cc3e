"""One page of the tables: the form of a value with the tables below it, bound to an estate; and the draft it makes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.forms import BaseFormSet, Form, formset_factory
from django.utils.translation import gettext as _

from brokerui.core.templatetags.wording import sentence_text
from brokerui.estate.selectors import LiveEstate
from brokerui.pages.tables.form_fields import (
    WAS,
    Json,
    ValueForm,
    row_of,
)
from brokerui.pages.tables.forms import PlaceForm
from brokerui.pages.tables.row_kinds import (
    KINDS,
    Key,
    NestedRows,
    RowKind,
    as_shown,
    document_of,
    drop,
    find,
    own_members_of,
    put,
)
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.errors import Invalid
from routing.model.estate import Estate

IN_TABLE = 50
"""With more nested rows than this the form links to their list."""
_OUTER = re.compile(r"^((instances|databases)\[\d+\]\.?)+")
_ELEMENT = re.compile(r"(?P<list>\w+)\[(?P<index>\d+)\](?:\.(?P<column>\w+))?")


@dataclass(slots=True)
class Section:
    """A table below the form."""

    name: str
    title: Any
    formset: BaseFormSet | None
    """None where there are too many rows."""
    count: int
    kind: RowKind | None = None
    """The kind of its lines; None: parts of the value itself."""
    rows: NestedRows | None = None

    @property
    def lines(self) -> list[Any]:
        """The forms that hold something and are to stay."""
        assert self.formset is not None
        return [form for form in self.formset.forms if not _is_gone(form) and _is_used(form)]


def _is_used(form: Any) -> bool:
    return bool(form.initial.get(WAS)) or form.has_changed()


def _is_gone(form: Any) -> bool:
    return bool(getattr(form, "cleaned_data", {}).get("DELETE"))


class FormPage:
    """The form of a row. `key` names the row; None for a new one, whose owner is a field of the form."""

    def __init__(
        self,
        kind: RowKind,
        live: LiveEstate,
        key: Key | None,
        data: Any = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind, self.live, self.key, self.data = kind, live, key, data
        estate = self.estate = live.estate
        self.initial = dict(initial or {})
        self.old = find(kind, estate, key) if key else None
        self.document: Json = document_of(kind, as_shown(kind, self.old)) if self.old is not None else {}
        self.form = self._form()
        self.place = self._place()
        self.sections = [*map(self._part, kind.rows), *(self._holding(KINDS[name]) for name in kind.holds if key)]

    # -- Its forms -------------------------------------------------------------------------------------------

    def _form(self) -> ValueForm:
        columns = self.kind.form.columns(self.document)
        form = self.kind.form(self.data, initial={**columns, **self.initial})
        if self.key is not None:
            form.initial["name"] = self.key[-1]
            form.fields["name"].disabled = True
        return form

    def _place(self) -> PlaceForm | None:
        if self.key is not None or self.kind.depth == 1:
            return None
        return PlaceForm(self.data, kind_depth=self.kind.depth, initial=self.initial)

    def _part(self, rows: NestedRows) -> Section:
        values = self.document.get(rows.name, [])
        documents = [{**({rows.column: one} if rows.column else one), WAS: str(n)} for n, one in enumerate(values)]
        return Section(rows.name, rows.title, self._formset(rows.name, rows.form, documents), len(values), rows=rows)

    def _holding(self, kind: RowKind) -> Section:
        members = own_members_of(kind, self.old) if self.old is not None else ()
        title = kind.model._meta.verbose_name_plural
        if len(members) > IN_TABLE:
            return Section(kind.members, title, None, len(members), kind)
        known = {one.name: document_of(kind, one) for one in members}
        names = self._names_sent(kind.members)
        documents = [{**known.get(name, {}), WAS: name, "name": name} for name in (known if names is None else names)]
        form = kind.row_form or kind.form
        return Section(kind.members, title, self._formset(kind.members, form, documents), len(members), kind)

    def _names_sent(self, prefix: str) -> list[str] | None:
        """The names of the lines that a browser sends back, whatever the estate holds by now; None: it sends none."""
        if self.data is None:
            return None
        count = self.data.get(f"{prefix}-INITIAL_FORMS", "0")
        shown = min(int(count[:9]), IN_TABLE) if count.isascii() and count.isdecimal() else 0
        return [self.data.get(f"{prefix}-{number}-{WAS}", "") for number in range(shown)]

    def _formset(self, prefix: str, form: type[ValueForm], documents: list[Json]) -> BaseFormSet:
        initial = [{**form.columns(one), WAS: one.get(WAS, "")} for one in documents]
        made = formset_factory(row_of(form), extra=1, can_delete=True, max_num=1_000)
        return made(self.data, prefix=prefix, initial=initial)

    @property
    def forms(self) -> Iterator[Form]:
        """Yield the form of the row and those of its lines."""
        yield self.form
        if self.place is not None:
            yield self.place
        for section in self.sections:
            if section.formset is not None:
                yield from section.formset.forms

    # -- What it makes ---------------------------------------------------------------------------------------

    @cached_property
    def draft(self) -> UnsavedEdits | None:
        """Return the edits of the form; None where something in it is invalid: then its fields have faults."""
        if not self._is_valid():
            return None
        draft = UnsavedEdits(self.live)
        owner = self.owner
        if owner is not None:
            self._put_value(draft, owner)
        for section in self.sections:
            if section.kind is not None and section.formset is not None and self.key is not None:
                self._put_lines(draft, section, self.key)
        return None if self.has_errors else draft

    @property
    def faults(self) -> dict[str, list[str]]:
        """Return the problems by name of the field; empty before anything was sent."""
        if self.data is None:
            return {}
        return {
            form[name].html_name: [str(problem) for problem in problems]
            for form in self.forms
            for name, problems in form.errors.items()
            if name in form.fields
            and not (hasattr(form, "empty_permitted") and form.empty_permitted and not form.has_changed())
        }

    @property
    def has_errors(self) -> bool:
        return any(form.errors for form in self.forms if not _is_empty_line(form))

    def _is_valid(self) -> bool:
        formsets = [section.formset for section in self.sections if section.formset is not None]
        parts: list[Any] = [self.form, *([self.place] if self.place else []), *formsets]
        # Each of them is checked: all errors are shown at once.
        return False not in [part.is_valid() for part in parts]

    @cached_property
    def owner(self) -> Key | None:
        """Where the value is or will be; None where that is no place of the estate."""
        if self.key is not None:
            return self.key[:-1]
        if self.place is None:
            return ()
        found = place_of(self.estate, self.place.cleaned_data["place"] or "", self.kind.depth - 1)
        if found is None:
            self.place.add_error("place", _("There is no such place in the estate."))
        return found

    @property
    def name_of(self) -> Key | None:
        """The key of the value, once the form is valid."""
        if self.key is not None:
            return self.key
        return (*self.owner, self.form.cleaned_data["name"]) if self.owner is not None else None

    def _put_value(self, draft: UnsavedEdits, owner: Key) -> None:
        document = {**self.document, **self.form.document()}
        for section in self.sections:
            if section.rows is not None:
                document[section.name] = [_element(section.rows, line) for line in section.lines]
        try:
            value = self.kind.read(document)
            if self.key is None and find(self.kind, draft.after, (*owner, value.name)) is not None:
                self.form.add_error("name", _("There is one of this name already."))
            elif self.old is None or document_of(self.kind, value) != document_of(self.kind, self.old):
                put(self.kind, draft, owner, value)
        except Invalid as fault:
            self._tell(fault)

    def _put_lines(self, draft: UnsavedEdits, section: Section, owner: Key) -> None:
        kind = section.kind
        assert kind is not None
        assert section.formset is not None
        for line in section.formset.forms:
            was = line.initial.get(WAS, "")
            try:
                if _is_gone(line):
                    if was and find(kind, draft.after, (*owner, was)) is not None:
                        drop(kind, draft, (*owner, was))
                elif _is_used(line):
                    _put_line(kind, draft, owner, line)
            except Invalid as fault:
                _tell_line(line, fault)

    def _tell(self, fault: Invalid) -> None:
        """A fault of the value, at the field that it is about."""
        path = _OUTER.sub("", fault.path)
        element = _ELEMENT.fullmatch(path)
        section = next((one for one in self.sections if element and one.name == element["list"]), None)
        if element is None or section is None or section.rows is None:
            _at(self.form, path.replace(".", "_"), sentence_text(fault.problem))
            return
        index = self._taken() if path != fault.path else int(element["index"])
        lines = section.lines
        line = lines[min(index, len(lines) - 1)]
        _at(line, element["column"] or section.rows.column, sentence_text(fault.problem))

    def _taken(self) -> int:
        """The line with the address that another instance has."""
        addresses = self.kind.read({"name": "x", "addresses": self._addresses()}).addresses
        owners = [self.estate.by_address.get(address.key) for address in addresses]
        return next((n for n, owner in enumerate(owners) if owner not in (None, self.form["name"].value())), 0)

    def _addresses(self) -> list[str]:
        return [line.cleaned_data["address"] for line in self.sections[0].lines]


def _is_empty_line(form: Any) -> bool:
    return isinstance(form, ValueForm) and WAS in form.fields and not _is_used(form)


def _element(rows: NestedRows, line: Any) -> Any:
    document = line.document()
    return document[rows.column] if rows.column else document


def _put_line(kind: RowKind, draft: UnsavedEdits, owner: Key, line: Any) -> None:
    was = line.initial.get(WAS, "")
    name = was or line.cleaned_data["name"]
    old = find(kind, draft.after, (*owner, name))
    if old is not None and not was:
        line.add_error("name", _("There is one of this name already."))
        return
    before = document_of(kind, old) if old is not None else {}
    value = kind.read({**before, **line.document()})
    if document_of(kind, value) != before:
        put(kind, draft, owner, value)


def _tell_line(line: Any, fault: Invalid) -> None:
    _at(line, _OUTER.sub("", fault.path).rpartition(".")[2], sentence_text(fault.problem))


def _at(form: Any, field: str, problem: str) -> None:
    form.add_error(field if field in form.fields else None, problem)


def place_of(estate: Estate, text: str, depth: int) -> Key | None:
    """The instance, or instance and database, that a text names: `instance/database`. Names may hold slashes."""
    if depth == 1:
        return (text,) if text in estate.instances else None
    for slash in re.finditer("/", text):
        instance = estate.instances.get(text[: slash.start()])
        if instance is not None and text[slash.end() :] in instance.databases:
            return instance.name, text[slash.end() :]
    return None
