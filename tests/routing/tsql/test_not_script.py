"""Files that are no script are refused with what they look like; scripts never are."""

from __future__ import annotations

from pathlib import Path

import pytest

from routing.common.errors import InputError
from routing.tsql import decode_script
from routing.tsql.not_script import checked_script, says_nothing

MAIL = "From: a@b.example\nTo: c@d.example\nSubject: routes\n\nHi,\n\nplease use the new route.\nSet it tonight.\n"
LOG = "".join(f"2026-06-01 10:00:{second:02} spid51 Broker manager started\n" for second in range(20))
LIST = "name                : ToPost\nremote_service_name : //office/Post\naddress             : LOCAL\n"
GRID = "AutoCreatedLocal\tNULL\tLOCAL\nToPost\t//office/Post\ttcp://post:4022\n"
TABLE = "name   create_date\n------ -----------\nShop   2026-01-01\n"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (MAIL.encode(), "a mail"),
        (b"From: a\nTo: b\n\nuse it", "a mail"),
        (b"From: a\nTo: b\n\nexecute it tonight\ngo\n", "a mail"),
        (LOG.encode(), "a log"),
        (LIST.encode(), "Format-List"),
        (LIST.encode("utf-16"), "Format-List"),
        (GRID.encode(), "without headings"),
        (TABLE.encode(), "a table"),
        (b"<!DOCTYPE html><html><body>CREATE</body></html>", "HTML"),
        (b"PK\x03\x04" + bytes(range(1, 255)), "ZIP"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 90)), "an image"),
        (b"%PDF-1.4 \xe2\xe3", "a PDF"),
        (b'{"a": 1}', "JSON"),
        (b"hello world", "nothing in it begins a statement"),
    ],
)
def test_what_is_no_script_is_refused(content: bytes, what: str) -> None:
    with pytest.raises(InputError) as fault:
        checked_script(decode_script(content), "x.txt")
    assert what in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    "text",
    [
        f"{MAIL}\nCREATE ROUTE r WITH ADDRESS = 'LOCAL';",
        ":setvar x y",
        ":r .\\a.sql",
        "USE Parts;",
        "PRINT 'Subject: x'",
        '-- brokerui: {"hop_limit": 3}',
        "/* <html> */ GO",
        "EXEC dbo.make_routes",
        "if 1 = 1 alter queue q with status = on",
    ],
)
def test_a_script_is_taken(text: str) -> None:
    assert checked_script(text, "x.sql") == text


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeff", "-- to do\n/* later */\n", "/* a /* b */ c */;", "/* never ends", ";;\n"]
)
def test_a_comment_says_nothing_and_is_no_other_file(text: str) -> None:
    assert says_nothing(text)
    assert checked_script(text, "x.sql") == text


@pytest.mark.parametrize("text", ["GO", "PRINT '--'", "/* a */ x", '-- brokerui: {"hop_limit": 3}', "'never ends"])
def test_what_stands_beside_a_comment_says_something(text: str) -> None:
    assert not says_nothing(text)


def test_every_script_of_the_corpus_is_taken() -> None:
    for path in Path("tests/data/tsql").glob("*.sql"):
        text = decode_script(path.read_bytes())
        assert checked_script(text, path.name) == text, path.name
