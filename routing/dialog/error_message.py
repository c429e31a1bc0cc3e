"""Error messages: what the body of one is, and what it says.

A positive code is an application's own, a negative one the product's error of that number.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, unescape

from routing.dialog.problems import problem
from routing.dialog.system_names import ERROR_TYPE

MAX_ERROR_CODE = (1 << 31) - 1
"""int."""
MAX_DESCRIPTION_CHARACTERS = 3000
"""Characters: nvarchar(3000)."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, in any spelling."""
_ERROR = re.compile(r'<Error xmlns="[^"]*"><Code>(-?\d+)</Code><Description>(.*)</Description></Error>', re.DOTALL)


def error_body(code: int, description: str) -> bytes:
    """The body of an Error message, UTF-8. What XML cannot hold is shown as U+FFFD."""
    said = xml_text(description)
    return f'<Error xmlns="{ERROR_TYPE}"><Code>{code}</Code><Description>{said}</Description></Error>'.encode()


def xml_text(text: str) -> str:
    """A text for the inside of an element."""
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})


def broker_error(number: int, **values: Any) -> bytes:
    """The body of an error made by the broker. Applications read it: it is English on every instance."""
    return error_body(-number, str(problem(number, **values)))


def read_error(body: bytes) -> tuple[int, str] | None:
    """Code and description of a body made here; None: it is another's."""
    found = _ERROR.fullmatch(body.decode("utf-8", "replace"))
    return (int(found[1]), unescape(found[2], {"&#13;": "\r"})) if found else None
