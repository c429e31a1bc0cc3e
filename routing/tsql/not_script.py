"""Refuses files that are no script, and says what they look like and what to do."""

from __future__ import annotations

import re

from routing.common.errors import InputError
from routing.common.sentence import Sentence, say
from routing.tsql.lexer import END, Unclosed, next_token

_LOOKED_AT = 1 << 20
"""Characters of a text in which signs are searched."""
_STRONG = re.compile(
    r"\b(?:create|alter|drop)\s+(?:or\s+alter\s+)?(?:route|service|queue|contract|message\s+type|broker\s+priority"
    r"|remote\s+service|endpoint|database|proc|procedure|table|view|function|trigger|login|user|schema|certificate"
    r"|master\s+key|role|index|type|event|availability)\b"
    r"|^[ \t]*(?:use[ \t]+(?:\[[^\]\n]*\]|\"[^\"\n]*\"|[\w$().#@-]+)[ \t]*(?:;.*|--.*)?|go[ \t]*\d*|exec(?:ute)?\b.*"
    r"|:(?:r|setvar|connect|on)\b.*|begin\s+(?:dialog|tran|try).*)$|-- brokerui:",
    re.IGNORECASE | re.MULTILINE,
)
_DDL = re.compile(
    r"\b(?:create|alter|drop)\s+(?:route|service|queue|contract|message\s+type|broker\s+priority|remote\s+service"
    r"|endpoint|database)\b|-- brokerui:",
    re.IGNORECASE,
)
"""Statements about Service Broker, wherever they stand."""
_WEAK = re.compile(
    r"(?:^|;)\s*(?:use|go|exec|execute|declare|set|select|insert|update|delete|print|grant|deny|revoke|if|begin|merge"
    r"|waitfor|raiserror|while|truncate|backup|restore|end|send|receive|get|move|return|throw|with|dbcc|add|create|alter"
    r"|drop|exit|quit|\$\(|<|:[a-z]|!!)",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t\ufeff]*-- brokerui:", re.MULTILINE)
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f]")
_BLOCK = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MAIL = re.compile(
    r"^(?:from|to|cc|subject|sent|date|von|an|betreff|gesendet|de|objet):[ \t]", re.IGNORECASE | re.MULTILINE
)
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|table|div|p|br)\b", re.IGNORECASE)
_LOG = re.compile(r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|^\w{3}\s+\d+ \d\d:\d\d:\d\d", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[A-Za-z_]\w*[ \t]+:(?:[ \t]|$)", re.MULTILINE)
_DASHED = re.compile(r"^[ \t]*-{3,}(?:[ \t|+]+-{2,})+[ \t|]*$", re.MULTILINE)
_MAGIC = (
    ("PK\x03\x04", say("a ZIP archive: unpack it")),
    ("\x1f\x8b", say("a packed file: unpack it")),
    ("\x89PNG", say("an image: copy the text")),
    ("\u2030PNG", say("an image: copy the text")),
    ("GIF8", say("an image: copy the text")),
    ("\xff\xd8\xff", say("an image: copy the text")),
    ("%PDF", say("a PDF: copy the text")),
)
_GRID = say(
    "a grid without headings: give it to `import-catalog`, or as a catalog, best with its headings, or run the script"
    " of `collect-sql`"
)
_OTHER = say("no T-SQL: nothing in it begins a statement")


def says_nothing(text: str) -> bool:
    """True if a script is empty, or all of it is a comment."""
    if _DIRECTIVE.search(text):
        return False
    try:
        token = next_token(text, 0)
        while token.text == ";":
            token = next_token(text, token.end)
    except Unclosed as fault:
        return text.startswith("/*", fault.start)
    return token.kind == END and token.end == len(text)


def checked_script(text: str, where: str) -> str:
    """The text of a script. Raises `InputError` for one in which something stands, and nothing of it is T-SQL."""
    likely = None if says_nothing(text) else looks_like(text)
    if likely is None:
        return text
    raise InputError(where, "", say("is no script, so that nothing of it was taken; it looks like {what}", what=likely))


def looks_like(text: str) -> Sentence | None:
    """Say which kind of text it is, if it is no script; None for one with statements, or with nothing but comments."""
    if _DDL.search(text) and not _packed_form(text):
        return None
    if has_statements(text) and not _packed_form(text) and not _is_mail(text):
        return None
    bare = _COMMENT.sub(" ", text[:_LOOKED_AT])
    return form_of(text) or (_OTHER if bare.strip() and not _WEAK.search(bare) else None)


def has_statements(text: str) -> bool:
    """True if a text has statements or commands that no other kind of text has."""
    return _STRONG.search(text) is not None


def form_of(text: str) -> Sentence | None:
    """The kind of file that a text comes from, if it is one that is known and neither a script nor a catalog."""
    return _packed_form(text) or _by_form(_BLOCK.sub(" ", text[:_LOOKED_AT].lstrip("\ufeff")))


def _is_mail(text: str) -> bool:
    return len(_MAIL.findall(text[:_LOOKED_AT])) > 1


def _packed_form(text: str) -> Sentence | None:
    beginning = text[:_LOOKED_AT].lstrip("\ufeff")
    for magic, what in _MAGIC:
        if beginning.startswith(magic):
            return what
    if len(_CONTROL.findall(beginning)) * 100 > len(beginning):
        return say("a binary file: give the text of the script")
    return None


def _by_form(text: str) -> Sentence | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if text.lstrip().startswith(("{", "[{")):
        return say("JSON: an estate document is imported without the name of an instance")
    if _HTML.search(text):
        return say("a page of HTML: copy the text of the script out of it")
    if _is_mail(text):
        return say("a mail: copy the text of the script out of it")
    if len(_LOG.findall(text)) * 2 > len(lines):
        return say("a log: give the script or the catalog itself")
    if len(_ITEM.findall(text)) * 2 > len(lines):
        return say("a list of PowerShell's Format-List: export it by `Export-Csv`, with the columns of one view")
    if _DASHED.search(text):
        return say("a table: give it to `import-catalog`, or as a catalog, with the headings of one view")
    counts = {line.count("\t") or line.count("|") or line.count(",") for line in lines}
    return _GRID if len(counts) == 1 and min(counts) > 1 else None
