"""Requests of an import: the query and a file as it is, a form, or JSON with options."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request

from brokerui.analysis.imports.models import ENCODING
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.analysis.imports.unattended_imports import Sent
from brokerui.analysis.imports.variables import variables_from
from brokerui.api.fields import (
    AddressField,
    ArrayField,
    MomentField,
    NameField,
    NetworkAddressField,
    StrictBooleanField,
    StrictChoiceField,
    StrictField,
    StringField,
)
from brokerui.api.parsers import RawBody, json_of
from brokerui.api.problems import ApiProblem, in_query
from brokerui.api.queries import MAX_NOTE, NoQuery, NoteQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query, reader_of
from routing.common.errors import Invalid, must_be
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.model.address import Address, parse_network_address
from routing.model.estate import INSTANCE_NAME_CHARS
from routing.tsql.encodings import check_encoding

MODES: Final = [mode.value for mode in Mode]
MAX_JSON_BYTES: Final = 4 << 20
"""Of JSON with options. A larger document is sent as it is."""
MAX_FILE_NAME: Final = 255
MAX_VARIABLES_CHARS: Final = 2_000
"""Characters of all variables together: they have to fit into an address."""
OF_SCRIPT: Final = ("instance", "database", "address", "encoding")
"""Options about one script, not about the import."""
_FIRST_KEY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:document|sql|mode|dry_run|at|note|variables)"\s*:')


class VariablesField(StringField):
    """sqlcmd variables, `NAME=VALUE` in each line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_VARIABLES_CHARS, allow_blank=True, **options)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        variables_from(text.splitlines())
        return text


class EncodingField(StringField):
    """The name of an encoding."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=ENCODING, **options)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        check_encoding(text)
        return text


class ImportQuery(NoteQuery):
    """The options beside a document or a script that is sent as it is."""

    instance = NameField(
        max_length=INSTANCE_NAME_CHARS,
        help_text=gettext_lazy("For T-SQL that is sent as it is: the instance to which it belongs."),
    )
    database = NameField(
        max_length=SYSNAME_CHARS,
        help_text=gettext_lazy("The database in which that script begins, as with `sqlcmd -d` (default: master)."),
    )
    encoding = EncodingField(
        help_text=gettext_lazy(
            "The encoding of that script, such as cp1251 (default: detected; refused where that is not certain)."
        )
    )
    variables = VariablesField(
        help_text=gettext_lazy("Sqlcmd variables of that script, as `sqlcmd -v` sets them: NAME=VALUE in each line.")
    )
    address = AddressField(
        help_text=gettext_lazy("The address of that instance (default: from its name and its endpoint).")
    )
    mode = StrictChoiceField(MODES, help_text=gettext_lazy("What happens to the estate as it is."))
    dry_run = StrictBooleanField(help_text=gettext_lazy("Report what would change, and write nothing."))
    at = MomentField(help_text=gettext_lazy("The time from which LIFETIME counts (default: now)."))


class ImportFormSerializer(ImportQuery):
    """The same as a form."""

    file = serializers.FileField(
        help_text=gettext_lazy("An estate document (its name ends in .json) or a T-SQL script.")
    )

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        fields["file"].required = True
        return fields


class DocumentField(StrictField, serializers.DictField):
    """An estate document, which the worker that imports it reads."""

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not dict:
            raise Invalid("", must_be(say("an object"), data))
        return [_source("document", Kind.DOCUMENT, json.dumps(data, ensure_ascii=False).encode())]


class ScriptSerializer(StrictSerializer):
    """A script."""

    file = StringField(
        required=False,
        allow_blank=True,
        max_length=MAX_FILE_NAME,
        help_text=gettext_lazy("The name that findings use for it."),
    )
    text = StringField(allow_blank=True)


class ServerSerializer(StrictSerializer):
    """The scripts of one instance, in the order in which they are run."""

    instance = NameField(max_length=INSTANCE_NAME_CHARS)
    database = NameField(required=False, allow_null=True, max_length=SYSNAME_CHARS)
    address = NetworkAddressField(required=False, allow_null=True)
    scripts = ArrayField(child=ScriptSerializer())

    def validate(self, attrs: Any) -> Any:
        return [
            _source(
                script.get("file", "script.sql"),
                Kind.SCRIPT,
                script["text"].encode(),
                attrs["instance"],
                attrs.get("address"),
                attrs.get("database"),
            )
            for script in attrs["scripts"]
        ]


class ImportSerializer(StrictSerializer):
    """Either `document` or `sql`; or the document alone, without anything around it."""

    document = DocumentField(required=False, help_text=gettext_lazy("An estate document."))
    sql = ArrayField(child=ServerSerializer(), required=False)
    mode = StrictChoiceField(MODES, required=False)
    dry_run = StrictBooleanField(required=False)
    at = MomentField(
        required=False, allow_null=True, help_text=gettext_lazy("The time from which LIFETIME counts; null: now.")
    )
    note = StringField(required=False, allow_blank=True, max_length=MAX_NOTE)
    variables = VariablesField(required=False, help_text=gettext_lazy("Sqlcmd variables: NAME=VALUE in each line."))

    def validate(self, attrs: Any) -> Any:
        if ("document" in attrs) == ("sql" in attrs):
            raise Invalid("", say("must have either a document or sql"))
        instances = attrs.pop("sql", None) or (attrs.pop("document", []),)
        return _sent(tuple(source for sources in instances for source in sources), attrs)


def import_from(request: Request) -> Sent:
    """Return the import that a request asks for. Raises problems, `Invalid` and `InputError`."""
    body: Any = request.data
    if isinstance(body, RawBody):
        return _raw(request, body)
    if "file" in request.FILES:
        return _form(request)
    raise ApiProblem(422, _("There is nothing to import: send a document or a script."))


def _raw(request: Request, body: RawBody) -> Sent:
    options = read_query(request, ImportQuery)
    if body.media_type != "application/json":
        return _of_file(body.content, "script.sql", options)
    if not _FIRST_KEY.match(body.content):
        return _of_file(body.content, "document.json", options)
    if len(body.content) > MAX_JSON_BYTES:
        text = _(
            "JSON with options may have up to %(limit)s bytes. Send a larger file as it is, with options in the query."
        )
        raise ApiProblem(413, text % {"limit": f"{MAX_JSON_BYTES:,}"})
    if options:
        raise in_query(
            next(iter(options)), _("is in the query of a request whose body has options; put it into the body")
        )
    sent: Sent = read_body(json_of(body.content), ImportSerializer)
    return sent


def _form(request: Request) -> Sent:
    read_query(request, NoQuery)
    if len(request.FILES.getlist("file")) > 1:
        raise Invalid("file", say("is there more than once: send one file at a time"))
    names = tuple(sorted(reader_of(ImportFormSerializer).names, key=lambda name: name != "file"))
    for name in (*request.POST, *request.FILES):
        if name not in names:
            raise Invalid(name, say("is no field of this form; known are {known}", known=names))
    file = request.FILES["file"]
    options: dict[str, Any] = reader_of(ImportQuery).run_validation({k: str(v) for k, v in request.POST.items()})
    return _of_file(file.read(), str(file.name), options)


def _of_file(content: bytes, name: str, options: Mapping[str, Any]) -> Sent:
    """Return the import of a document where the name says so, else of a script."""
    rest = {key: value for key, value in options.items() if key not in OF_SCRIPT}
    if name.lower().endswith(".json"):
        return _sent((_source(name, Kind.DOCUMENT, content),), rest)
    if "instance" not in options:
        raise Invalid("instance", say("is missing: a script does not say to which instance it belongs"))
    listens = _network_address(options["address"]) if "address" in options else None
    return _sent(
        (
            _source(
                name,
                Kind.SCRIPT,
                content,
                options["instance"],
                listens,
                options.get("database"),
                options.get("encoding"),
            ),
        ),
        rest,
    )


def _sent(sources: tuple[Source, ...], options: Mapping[str, Any]) -> Sent:
    """Take a document as a whole estate, unless `mode` says otherwise; scripts as they ask for it."""
    is_document = any(source.kind is Kind.DOCUMENT for source in sources)
    given = options.get("mode")
    mode = Mode(given) if given else Mode.WHOLE if is_document else None
    return Sent(sources, **{**options, "mode": mode})


def _source(
    name: str,
    kind: Kind,
    content: bytes,
    instance: str = "",
    address: Address | None = None,
    database: str | None = None,
    encoding: str | None = None,
) -> Source:
    return Source(name, kind, lambda: content, len(content), instance, database, address, encoding=encoding)


def _network_address(address: Address) -> Address:
    try:
        return parse_network_address(address.key)
    except Invalid as fault:
        raise fault.below("address") from None
