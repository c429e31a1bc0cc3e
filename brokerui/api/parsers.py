"""Parsers of request bodies: limited in size, and strict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser, MultiPartParser

from brokerui.api.problems import ApiProblem, in_body
from routing.common.errors import Invalid
from routing.documents.json_pull import reject_duplicate_keys

MAX_JSON_BYTES = 1 << 20
"""Bytes of a body that describes one object, or some edits."""
CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RawBody:
    """A body that its view reads, and not its parser."""

    media_type: str
    content: bytes


class JsonParser(BaseParser):
    """JSON without doubled keys, NaN, or halves of surrogate pairs."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return the value; raises a problem where the body is not JSON."""
        return json_of(read_bounded(stream, MAX_JSON_BYTES))


class RawParser(BaseParser):
    """A body that the parser does not read."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return the bytes with their media type."""
        return RawBody(self.media_type, read_bounded(stream, settings.SCENARIO_MAX_BYTES))


class RawJsonParser(RawParser):
    media_type = "application/json"


class SqlParser(RawParser):
    media_type = "application/sql"


class TextParser(RawParser):
    media_type = "text/plain"


class FormParser(MultiPartParser):
    """A form with a file."""


def read_bounded(stream: Any, limit: int) -> bytes:
    """Return the whole body. One that is too large is read to its end, so that the client gets to read the response."""
    content: bytes = stream.read(limit + 1)
    if len(content) <= limit:
        return content
    while stream.read(CHUNK_BYTES):
        pass
    raise ApiProblem(413, _("A body of up to %(limit)s bytes is accepted here.") % {"limit": f"{limit:,}"})


def json_of(content: bytes) -> Any:
    """Return the value of a JSON text; raises a problem where it has none."""
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=reject_duplicate_keys, parse_constant=_no_constant)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except Invalid as fault:
        raise in_body(fault, status=400) from None
    except RecursionError:
        raise _not_json(_("it is nested too deeply")) from None
    except UnicodeDecodeError as error:
        raise _not_json(_("it is not UTF-8, at byte %(byte)s") % {"byte": error.start}) from None
    except UnicodeEncodeError:
        raise _not_json(_("it holds half a surrogate pair")) from None
    except json.JSONDecodeError as error:
        place = {"reason": error.msg, "line": error.lineno, "column": error.colno}
        raise _not_json(_("%(reason)s, at line %(line)s, column %(column)s") % place) from None
    except ValueError:
        raise _not_json(_("it has a number that is too long, or none")) from None
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _not_json(reason: str) -> ApiProblem:
    detail = _("The body is not JSON: %(reason)s.") % {"reason": reason}
    return ApiProblem(400, detail, errors=[{"in": "body", "name": "", "detail": reason}])
