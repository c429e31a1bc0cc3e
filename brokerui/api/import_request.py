"""What an import is asked to take, from each of the forms in which it may be sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request

from brokerui.analysis.imports.sending import Sent
from brokerui.analysis.imports.sources import Kind, Mode, Source
from brokerui.api.parameters import NOTE, Parameter, address, choice, flag, given, moment, text
from brokerui.api.parsers import Body, json_of
from brokerui.api.problems import Problem, in_query
from routing.common.errors import Invalid, must_be
from routing.common.moment import parse_moment
from routing.common.names import check_name
from routing.common.sentence import say
from routing.documents.json_decoders import (
    Decoder,
    array_of,
    boolean,
    fields,
    network_address,
    or_null,
    string,
)
from routing.model.address import Address, parse_network_address

MODES = tuple(mode.value for mode in Mode)
OPTIONS = (
    text("instance", gettext_lazy("Of T-SQL that is sent as it is: the instance that it is of.")),
    address("address", gettext_lazy("Where that instance listens (default: what its name and its endpoint say).")),
    choice("mode", gettext_lazy("What becomes of what is there."), MODES),
    flag("dry_run", gettext_lazy("Say what would come of it, and write nothing.")),
    moment("at", gettext_lazy("From when LIFETIME counts (default: now).")),
    NOTE,
)
LARGEST = 4 << 20
"""Bytes of JSON with options. What is larger is sent as it is."""
_FIRST_KEY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:document|sql|mode|dry_run|at|note)"\s*:')


def sent_of(request: Request) -> Sent:
    """What the request asks. Raises problems, `Invalid` and `InputError`."""
    body: Any = request.data
    if isinstance(body, Body):
        return _raw(request, body)
    if "file" in request.FILES:
        return _form(request)
    raise Problem(422, _("There is nothing to import: send a document or a script."))


def _raw(request: Request, body: Body) -> Sent:
    options = given(request, OPTIONS)
    if body.media_type != "application/json":
        return _of_file(body.content, "script.sql", options)
    if not _FIRST_KEY.match(body.content):
        return _of_file(body.content, "document.json", options)
    if len(body.content) > LARGEST:
        text = _(
            "JSON with options may have up to %(limit)s bytes. Send what is larger as it is, options in the query."
        )
        raise Problem(413, text % {"limit": f"{LARGEST:,}"})
    if options:
        raise in_query(next(iter(options)), _("stands in the query and beside a body with options; put it there"))
    return _options_from(json_of(body.content))


def _form(request: Request) -> Sent:
    given(request, ())
    if len(request.FILES.getlist("file")) > 1:
        raise Invalid("file", say("stands more than once: send one file at a time"))
    file = request.FILES["file"]
    known: dict[str, Parameter] = {one.name: one for one in OPTIONS}
    options = {}
    for name in (*request.POST, *request.FILES):
        if name not in (*known, "file"):
            raise Invalid(name, say("is no field of this form; known are {known}", known=("file", *known)))
    for name, value in request.POST.items():
        options[name] = _read(known[name], str(value))
    return _of_file(file.read(), str(file.name), options)


def _read(parameter: Parameter, value: str) -> Any:
    try:
        check_name(value, "", 4_000)
        return parameter.read(value)
    except Invalid as fault:
        raise fault.below(parameter.name) from None


def _of_file(content: bytes, name: str, options: Mapping[str, Any]) -> Sent:
    """A document where the name says so, else a script."""
    rest = {key: value for key, value in options.items() if key not in ("instance", "address")}
    if name.lower().endswith(".json"):
        return _sent((_source(name, Kind.DOCUMENT, content),), rest)
    if "instance" not in options:
        raise Invalid("instance", say("is missing: scripts do not say of which instance they are"))
    listens = _listens(options["address"]) if "address" in options else None
    return _sent((_source(name, Kind.SCRIPT, content, options["instance"], listens),), rest)


def _sent(sources: tuple[Source, ...], options: Mapping[str, Any]) -> Sent:
    """A document is a whole estate, scripts are of their instances, unless it is said otherwise."""
    is_document = any(source.kind is Kind.DOCUMENT for source in sources)
    mode = Mode(options.get("mode") or (Mode.WHOLE if is_document else Mode.INSTANCES))
    return Sent(sources, **{**options, "mode": mode})


def _source(name: str, kind: Kind, content: bytes, instance: str = "", listens: Address | None = None) -> Source:
    return Source(name, kind, lambda: content, len(content), instance, address=listens)


def _listens(key: str) -> Address:
    try:
        return parse_network_address(key)
    except Invalid as fault:
        raise fault.below("address") from None


# -- JSON with options -------------------------------------------------------------------------------------


def _script_from(value: Any) -> tuple[str, str]:
    found = fields(value, {"file": string, "text": string}, ("text",))
    return found.get("file", "script.sql"), found["text"]


def _scripts_from(value: Any) -> list[Source]:
    readers: Mapping[str, Decoder] = {
        "instance": string,
        "address": or_null(network_address),
        "scripts": array_of(_script_from),
    }
    found = fields(value, readers, ("instance", "scripts"))
    check_name(found["instance"], "instance", 256)
    return [
        _source(name, Kind.SCRIPT, content.encode(), found["instance"], found.get("address"))
        for name, content in found["scripts"]
    ]


def _mode_from(value: Any) -> str:
    if value not in MODES:
        raise Invalid("", must_be(say("one of {known}", known=MODES), value))
    return str(value)


def _document_from(value: Any) -> list[Source]:
    if type(value) is not dict:
        raise Invalid("", must_be(say("an object"), value))
    return [_source("document", Kind.DOCUMENT, json.dumps(value, ensure_ascii=False).encode())]


def _options_from(value: Any) -> Sent:
    readers: Mapping[str, Decoder] = {
        "document": _document_from,
        "sql": array_of(_scripts_from),
        "mode": _mode_from,
        "dry_run": boolean,
        "at": or_null(lambda text: parse_moment(string(text))),
        "note": string,
    }
    found = fields(value, readers, ())
    if ("document" in found) == ("sql" in found):
        raise Invalid("", say("must have either a document or sql"))
    instances = found.pop("sql", None) or (found.pop("document", []),)
    return _sent(tuple(source for sources in instances for source in sources), found)
