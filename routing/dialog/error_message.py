"""Error messages: write and read their bodies.

A positive code is defined by the application; a negative code is the SQL Server error of that number.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, unescape

from routing.dialog.problems import problem
from routing.dialog.system_names import ERROR_TYPE

MAX_ERROR_CODE = (1 << 31) - 1
"""Maximum of the SQL type int."""
MAX_DESCRIPTION_CHARACTERS = 3000
"""nvarchar(3000)."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent, not even escaped."""
_ERROR = re.compile(r'<Error xmlns="[^"]*"><Code>(-?\d+)</Code><Description>(.*)</Description></Error>', re.DOTALL)


def error_body(code: int, description: str) -> bytes:
    """Return the body of an Error message in UTF-8. Characters not allowed in XML become U+FFFD."""
    escaped = xml_text(description)
    return f'<Error xmlns="{ERROR_TYPE}"><Code>{code}</Code><Description>{escaped}</Description></Error>'.encode()


def xml_text(text: str) -> str:
    """Return a text escaped for the content of an XML element."""
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})


def broker_error(number: int, **values: Any) -> bytes:
    """Return the body of a broker error. Applications read it, so it is English on every instance."""
    return error_body(-number, str(problem(number, **values)))


def read_error(body: bytes) -> tuple[int, str] | None:
    """Return code and description of a body in this product's format, else None."""
    found = _ERROR.fullmatch(body.decode("utf-8", "replace"))
    return (int(found[1]), unescape(found[2], {"&#13;": "\r"})) if found else None
