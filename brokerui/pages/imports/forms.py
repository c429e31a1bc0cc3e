"""Forms of an import: files, and the kind of each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from brokerui.analysis.imports.models import ADDRESSES, TOKEN, ImportFile
from brokerui.analysis.imports.services import Assignment, Given
from brokerui.analysis.imports.sources import Kind, Mode, addresses_from
from brokerui.analysis.imports.variables import MAX_TEXT_CHARS, variables_from
from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import Sentence, say
from routing.model.estate import INSTANCE_NAME_CHARS
from routing.tsql.encodings import check_encoding


def upload_problem(files: Sequence[UploadedFile]) -> str:
    """Why these files cannot be taken; empty where they can."""
    if not files:
        return _("Choose files first.")
    if sum(file.size or 0 for file in files) > settings.SCENARIO_MAX_BYTES:
        limit = filesizeformat(settings.SCENARIO_MAX_BYTES)
        return _("Files of up to %(size)s in all are accepted.") % {"size": limit}
    empty = next((file.name for file in files if not file.size), None)
    return _("The file %(name)s is empty.") % {"name": empty} if empty is not None else ""


def given_of(files: Sequence[UploadedFile]) -> list[Given]:
    return [Given(str(file.name), file.read()) for file in files]


def token_of(values: Mapping[str, str]) -> str:
    """Return the token of the form; a form of the page has one."""
    return values.get("token", "")[:TOKEN]


@dataclass
class Assigning:
    """The form that says what each file is, as it was sent."""

    files: Sequence[ImportFile]
    mode: Mode
    assignments: list[Assignment] = field(default_factory=list)
    faults: dict[str, Sentence] = field(default_factory=dict)
    """By field."""
    variables: str = ""
    """`NAME=VALUE` in each line."""

    @classmethod
    def of(cls, files: Sequence[ImportFile], values: Mapping[str, str], likely: Mapping[str, str]) -> Assigning:
        """`likely`: addresses by instance, taken where the form asks for them and none is given."""
        mode = Mode.INTO if "run" in values else values.get("mode", "")
        form = cls(files, Mode(mode) if mode in tuple(Mode) else Mode.INSTANCES)
        for file in files:
            form._read(file, values, likely if "likely" in values else {})
        form.variables = values.get("variables", "").strip()[:MAX_TEXT_CHARS]
        form._try("variables", lambda: variables_from(form.variables.splitlines()))
        return form

    def _read(self, file: ImportFile, values: Mapping[str, str], likely: Mapping[str, str]) -> None:
        """Write the typed values into the row too, so that the form shows them again."""
        at = file.position
        kind = values.get(f"kind-{at}", "")
        file.kind = kind if kind in tuple(Kind) else file.kind
        for name in ("instance", "database", "address", "encoding"):
            setattr(file, name, values.get(f"{name}-{at}", "").strip())
        if file.kind == Kind.DOCUMENT:
            file.instance = file.database = file.address = file.encoding = ""
        else:
            file.address = file.address or likely.get(file.instance, "")
            self._check(file)
        self.assignments.append(Assignment(Kind(file.kind), file.instance, file.database, file.address, file.encoding))

    def _check(self, file: ImportFile) -> None:
        at = file.position
        if not file.instance:
            self.faults[f"instance-{at}"] = say("Name the instance that this file is of.")
        else:
            self._try(f"instance-{at}", lambda: check_name(file.instance, "", INSTANCE_NAME_CHARS))
        if file.database:
            self._try(f"database-{at}", lambda: check_name(file.database, ""))
        if file.encoding:
            self._try(f"encoding-{at}", lambda: check_encoding(file.encoding))
        if file.address:
            self._try(f"address-{at}", lambda: _check_addresses(file.address))

    def _try(self, name: str, check: Callable[[], object]) -> None:
        try:
            check()
        except Invalid as fault:
            self.faults[name] = fault.problem


def _check_addresses(text: str) -> None:
    if len(text) > ADDRESSES:
        raise Invalid("", say("is longer than {limit} characters", limit=ADDRESSES))
    addresses_from(text)
