"""The plain value of a YAML text, with the line of each part of it.

Only what files of tests need is read: one document of objects, arrays and scalars. A scalar without quotes is null,
true, false, or a text: `no`, `1e3` and `2026-06-01` are texts. Anchors, aliases, tags and merges are refused, and no
object of Python is ever made of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

MAX_TEXT_BYTES = 1 << 20
"""A file of 5,000 tests."""
MAX_DEPTH = 8
"""Objects and arrays within each other; a file of tests has four."""
MAX_VALUES = 200_000
"""Objects, arrays and scalars; a text of commas would make millions."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONTROL = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no YAML may hold."""
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(slots=True)
class YamlDocument:
    """A plain value of dictionaries, lists, texts, booleans and None."""

    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each part, from 1, by its JSON path without `$.`."""

    def line_of(self, path: str) -> int:
        """The line of the part with this path, else of the nearest part around it."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, 1)


def read_yaml(content: bytes, where: str) -> YamlDocument:
    """Read the only document of a text; raise `InputError` with the line of the first error."""
    text = _decoded(content, where)
    document = YamlDocument()
    try:
        _Reader(yaml.parse(text, Loader=_LOADER), document).document()
    except _Refused as fault:
        raise InputError(where, f"line {fault.line}", fault.problem) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise InputError(where, f"line {line}", say("is not YAML: {reason}", reason=error.problem)) from None
    except yaml.YAMLError as error:
        raise InputError(where, "", say("is not YAML: {reason}", reason=str(error).splitlines()[0])) from None
    return document


def _decoded(content: bytes, where: str) -> str:
    if len(content) > MAX_TEXT_BYTES:
        raise InputError(where, "", say("is larger than {limit} bytes", limit=MAX_TEXT_BYTES))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(where, f"line {line}", say("is not UTF-8: {reason}", reason=error.reason)) from None
    control = _CONTROL.search(text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        problem = say("holds the control character {code}", code=f"U+{ord(control[0]):04X}")
        raise InputError(where, f"line {line}", problem)
    return text


class _Refused(Exception):
    """Something that YAML allows and files of tests do not need."""

    def __init__(self, line: int, problem: Sentence) -> None:
        super().__init__(line, problem)
        self.line = line
        self.problem = problem


class _Reader:
    """Builds the value of a document from the events of PyYAML's parser."""

    def __init__(self, events: Iterator[Any], document: YamlDocument) -> None:
        self._events = events
        self._document = document

    def document(self) -> None:
        """Read the one document that the text must hold."""
        next(self._events)  # the start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise _Refused(1, say("is empty"))
        self._document.value = self._value(next(self._events), "", 0)
        next(self._events)  # the end of the document
        following = next(self._events)
        if not isinstance(following, yaml.StreamEndEvent):
            raise _Refused(_line(following), say("begins a second document; one file holds one"))

    def _value(self, event: Any, path: str, depth: int) -> Any:
        _check(event, depth)
        self._document.lines[path] = _line(event)
        if len(self._document.lines) > MAX_VALUES:
            raise _Refused(_line(event), say("has more than {limit} values", limit=f"{MAX_VALUES:,}"))
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return list(self._elements(path, depth + 1))
        return dict(self._members(path, depth + 1))

    def _elements(self, path: str, depth: int) -> Iterator[Any]:
        index = 0
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._value(event, f"{path}[{index}]", depth)
            index += 1

    def _members(self, path: str, depth: int) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            _check(event, depth)
            if not isinstance(event, yaml.ScalarEvent):
                raise _Refused(_line(event), say("a key must be a text"))
            key = event.value
            if key in seen:
                raise _Refused(_line(event), say('has the key "{key}" twice', key=key[:80]))
            seen.add(key)
            member = f"{path}.{key}" if path else key
            value = self._value(next(self._events), member, depth)
            self._document.lines[member] = _line(event)
            yield key, value


def _check(event: Any, depth: int) -> None:
    """Refuse anchors, aliases, tags and values that are nested too deeply."""
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise _Refused(_line(event), say("has an anchor or an alias; write the value where it is needed"))
    if event.tag is not None:
        raise _Refused(_line(event), say("has the tag {tag}; tags are not read", tag=event.tag[:80]))
    if depth > MAX_DEPTH:
        raise _Refused(_line(event), say("is nested too deeply"))


def _scalar(event: Any) -> str | bool | None:
    text: str = event.value
    is_plain: bool = event.implicit[0]
    return _WORDS.get(text, text) if is_plain else text


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
