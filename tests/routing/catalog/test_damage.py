"""A result that was cut, changed or mixed up is refused in one line, or is the complete result: never another one."""

from __future__ import annotations

import json
import random

import pytest

from routing.catalog.document import read_catalog
from routing.catalog.frames import check_of
from routing.catalog.reading import read_saved
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.errors import InputError
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Instance
from tests.routing.catalog import savers
from tests.routing.catalog.rich import draw_rich
from tests.routing.catalog.savers import PLAIN_SAVERS, SAVERS
from tests.routing.catalog.server import catalog, dumps, rows_of
from tests.strategies.choices import RandomChooser

SMALL = Instance("s", {"Db": Database("Db", services=(Service("Öl & <Fett>"),))})
TEXT = dumps(catalog(SMALL, server=[], service_queues=[], service_message_types=[], service_contracts=[]))
ROWS = rows_of(TEXT)


def read(content: bytes) -> CatalogSnapshot:
    return read_saved(content, where="file")


def check_whole_or_refused(content: bytes, whole: CatalogSnapshot) -> None:
    try:
        snapshot = read(content)
    except InputError as error:
        message = str(error)
    else:
        assert snapshot == whole
        return
    assert "\n" not in message
    assert len(message) < 500


def problem(content: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(content)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("file: ")
    assert len(message) < 400
    return message.removeprefix("file: ")


@pytest.mark.parametrize("way", SAVERS, ids=lambda way: way.__name__)
def test_cut_at_any_byte(way: object) -> None:
    content = way(ROWS)  # type: ignore[operator] - every way is a function of rows or text
    whole = read(content)
    for cut in range(0, len(content), 7):
        check_whole_or_refused(content[:cut], whole)


@pytest.mark.parametrize("way", PLAIN_SAVERS, ids=lambda way: way.__name__)
def test_a_plain_document_cut_at_any_byte(way: object) -> None:
    content = way(TEXT)  # type: ignore[operator] - every way is a function of rows or text
    whole = read(content)
    for cut in range(0, len(content), 5):
        check_whole_or_refused(content[:cut], whole)


def test_every_byte_changed() -> None:
    """Each byte of one row, changed to any of some bytes: the check sees it, unless it is outside the script's
    output."""
    content = savers.ssms_csv_quoted(ROWS)
    whole = read(content)
    rng = random.Random(3)
    for at in range(len(content)):
        changed = content[:at] + bytes([rng.choice(b'0A"x<|>\\ \n')]) + content[at + 1 :]
        check_whole_or_refused(changed, whole)


def test_a_row_that_is_gone() -> None:
    assert problem(savers.sqlcmd(ROWS[:3] + ROWS[4:])) == (
        f"is not complete: of its {len(ROWS)} rows, these are missing: 4"
    )
    assert problem(savers.sqlcmd(ROWS[:1] + ROWS[3:5] + ROWS[8:-1])).endswith(f"missing: 2-3, 6-8, {len(ROWS)}")


def test_many_ranges_are_not_all_named() -> None:
    rows = rows_of(dumps(catalog(SMALL)))
    assert problem(savers.sqlcmd(rows[::2])).endswith("missing: 2, 4, 6, 8, 10, …")


@pytest.mark.parametrize("dots", ["…", "..."])
def test_a_shortened_row(dots: str) -> None:
    problem_text = problem(savers.shortened(ROWS, dots=dots))
    assert problem_text == f"row 1 of {len(ROWS)} is shortened to fit a column; save it with Export-Csv, or wider"


def test_the_last_row_shortened() -> None:
    last = ROWS[-1][:20] + "..."
    assert problem(savers.sqlcmd([*ROWS[:-1], last])).startswith(f"row {len(ROWS)} of {len(ROWS)} is shortened")


def test_a_changed_row() -> None:
    changed = ROWS[2].replace("s", "z", 1) if "s" in ROWS[2] else ROWS[2].replace("e", "z", 1)
    assert problem(savers.sqlcmd([*ROWS[:2], changed, *ROWS[3:]])) == (
        f"row 3 of {len(ROWS)} was changed after the instance wrote it"
    )


def test_two_results_in_one_file() -> None:
    other = rows_of(TEXT, "0F0F")
    assert problem(savers.sqlcmd(ROWS) + savers.sqlcmd(other)).startswith("holds rows of more than one result")


def test_rows_of_two_results() -> None:
    other = rows_of(TEXT, "0F0F")
    assert problem(savers.sqlcmd([*ROWS[:4], *other[4:]])).startswith("holds rows of more than one result")


def test_a_number_of_rows_that_cannot_be() -> None:
    assert "99999999 rows" in problem(b"<A1B2|1/99999999|{|000000>".replace(b"000000", check(b"A1B2|1/99999999|{")))


@pytest.mark.parametrize("line", ["A1B2|0/1|{", "A1B2|2/1|{"])
def test_a_row_that_cannot_be(line: str) -> None:
    assert "which is not possible" in problem(f"<{line}|{check_of(line)}>".encode())


def check(line: bytes) -> bytes:
    return check_of(line.decode()).encode()


@pytest.mark.parametrize(
    "content", [b"", b" \r\n", b"brokerui_catalog\r\n----\r\n", b"{}", b"\0" * 99, b"[]", b"<A1B2|"]
)
def test_what_holds_no_result(content: bytes) -> None:
    assert problem(content).startswith(
        "holds neither a result of collect-sql nor a grid of sys.databases, sys.routes, sys.services, "
        "sys.service_queues, sys.transmission_queue"
    )


def test_a_plain_document_with_stripped_lines() -> None:
    """Where lines are of different widths something was lost at their ends, or a word was kept whole."""
    text = '{"format":"brokerui.catalog/1","databases":[{"database_id":5,"name":"a\nb"}],\n"routes":[]}'
    assert "is not JSON" in problem(text.encode())


def test_a_plain_document_broken_once() -> None:
    text = '{"format":"brokerui.catalog/1","databases":\n[]}'
    assert read(text.encode()).databases == ()


def test_text_after_the_document() -> None:
    assert "more text" in problem(TEXT.encode() + b" {}")


def test_bytes_that_are_no_text() -> None:
    assert "is not utf-16-le text" in problem(b"\xff\xfe\x00\xd8<")


@pytest.mark.parametrize("seed", range(30))
def test_any_damage(seed: int) -> None:
    """Bytes dropped, doubled, swapped and changed at random."""
    rng = random.Random(seed)
    estate = draw_rich(RandomChooser(rng))
    instance = next(iter(estate.instances.values()))
    content = rng.choice(SAVERS)(rows_of(dumps(catalog(instance))))
    whole = read(content)
    for _ in range(20):
        damaged = bytearray(content)
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(damaged))
            end = min(len(damaged), start + rng.choice((1, 2, 40, 400)))
            damaged[start:end] = rng.choice(
                (b"", damaged[start:end] * 2, rng.randbytes(end - start), damaged[: end - start])
            )
        check_whole_or_refused(bytes(damaged), whole)


@pytest.mark.parametrize("seed", range(20))
def test_any_json_in_place_of_a_value(seed: int) -> None:
    """Well-formed rows with a document that is not as it must be: an error with its JSON path."""
    rng = random.Random(seed)
    instance = next(iter(draw_rich(RandomChooser(rng)).instances.values()))
    document = catalog(instance)
    for _ in range(40):
        changed = json.loads(json.dumps(document))
        replace_somewhere(rng, changed)
        result = told_or_said(json.dumps(changed))
        assert isinstance(result, CatalogSnapshot) or result.startswith("file: $")


def told_or_said(text: str) -> CatalogSnapshot | str:
    try:
        return read_catalog(text, where="file")
    except InputError as error:
        return str(error)


def replace_somewhere(rng: random.Random, value: object) -> None:
    odd = rng.choice((None, True, -1, 2, 1.5, "", "x", "\0", [], {}, [[]], {"a": 1}, 10**30))
    while isinstance(value, (dict, list)) and value:
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        inner = value[key]  # type: ignore[index] - a value of JSON that has members
        if not inner or not isinstance(inner, (dict, list)) or rng.random() < 0.2:
            value[key] = odd  # type: ignore[index] - a value of JSON that has members
            return
        value = inner
