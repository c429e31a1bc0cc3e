"""Tables as people paste them into issues, forums and mails."""

from __future__ import annotations

import pytest

from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.common.errors import InputError
from routing.model.estate import Estate
from routing.model.route import Route

MARKDOWN = """| name | remote_service_name | address |
|---|:--:|---:|
| AutoCreatedLocal | NULL | LOCAL |
| ToPost | //office/Post | TCP://post:4022 |
"""
BOXED = """+------------------+---------------------+-----------------+-----------------+
| name             | remote_service_name | broker_instance | address         |
+------------------+---------------------+-----------------+-----------------+
| AutoCreatedLocal | NULL                | NULL            | LOCAL           |
| ToPost           | //office/Post       | NULL            | TCP://post:4022 |
+------------------+---------------------+-----------------+-----------------+
"""
OPEN = """name | remote_service_name | address
:--- | --- | ---
AutoCreatedLocal | NULL | LOCAL
ToPost | //office/Post | TCP://post:4022
"""
LIST = """

name                : AutoCreatedLocal
remote_service_name :
address             : LOCAL

name                : ToPost
remote_service_name : //office/Post
address             : TCP://post:4022

"""


def routes(text: str) -> dict[str, Route]:
    snapshot = read_saved(text.encode(), where="t.txt", database="Sales")
    estate = apply_snapshot(Estate(), "here", snapshot).estate
    return dict(estate.instances["here"].databases["Sales"].table.routes)


@pytest.mark.parametrize(
    "text",
    [
        MARKDOWN,
        f"The routes:\n\n```\n{MARKDOWN}```\n\nThat is all.\n",
        MARKDOWN.replace("\n", "\r\n"),
        MARKDOWN.replace("| NULL |", "| null |").replace("//office/Post", "`//office/Post`"),
        "\n".join(f"   {line}" for line in MARKDOWN.splitlines()),
        BOXED,
        OPEN,
        OPEN.replace(":---", "---"),
        LIST,
        LIST.replace("remote_service_name :\n", "remote_service_name : NULL\n"),
        LIST.replace("\n", "\r\n"),
    ],
)
def test_blanks_beside_lines_are_no_part_of_a_value(text: str) -> None:
    found = routes(text)
    assert list(found) == ["AutoCreatedLocal", "ToPost"]
    assert found["AutoCreatedLocal"].remote_service_name is None
    assert (found["ToPost"].remote_service_name, found["ToPost"].address.key) == ("//office/Post", "tcp://post:4022")


def test_an_escaped_line_is_a_part_of_the_value() -> None:
    assert "To|Post" in routes(MARKDOWN.replace("| ToPost", "| To\\|Post"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (MARKDOWN + "| short |\n", "line 5: has 1 columns"),
        (f"{MARKDOWN}\n{MARKDOWN}", "begins another table"),
        (LIST.replace("//office/Post", "//office/\n                      Post"), "Export-Csv"),
        (LIST + "name : x\n", "other columns"),
        (
            "name remote_service_name address\n---- ------------------- -------\nT... x                   LOCAL\n",
            "shortened",
        ),
        ("ToDepot\tD\tLOCAL\nToPost\tP\ttcp://p:1\n", "without headings"),
        ("From: a\nTo: b\n\nHi", "a mail"),
        ("CREATE ROUTE r WITH ADDRESS = 'LOCAL'", "import-sql"),
    ],
)
def test_what_cannot_be_read_for_sure_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError) as fault:
        routes(text)
    assert reason in str(fault.value)
