"""Scripts in other code pages are read rightly or refused, never misread."""

from __future__ import annotations

import pytest

from routing.common.errors import InputError, Invalid
from routing.tsql.encodings import KNOWN, check_encoding, text_from

NAMES = {
    "cp1251": "Склад",
    "cp866": "Склад",
    "cp932": "テスト",
    "gbk": "订单",
    "gb18030": "订单服务",
    "cp949": "주문",
    "cp850": "Aufträge",
    "cp437": "Börse",
    "cp1250": "Załączniki",
}


def script(name: str) -> str:
    return f"USE Shop\nGO\nCREATE ROUTE [To{name}] WITH SERVICE_NAME = N'{name}', ADDRESS = 'LOCAL';\n"


@pytest.mark.parametrize(("encoding", "name"), NAMES.items())
def test_another_code_page_is_refused_and_read_when_it_is_named(encoding: str, name: str) -> None:
    data = script(name).encode(encoding)
    with pytest.raises(InputError) as fault:
        text_from(data, where="x.sql")
    assert "name its encoding" in str(fault.value)
    assert text_from(data, where="x.sql", encoding=encoding) == script(name)


@pytest.mark.parametrize(("encoding", "name"), [("cp1251", "Склад"), ("cp932", "テスト"), ("gb18030", "订单")])
def test_the_refusal_names_the_code_page(encoding: str, name: str) -> None:
    with pytest.raises(InputError, match=encoding):
        text_from(script(name).encode(encoding), where="x.sql")


@pytest.mark.parametrize("name", ["Aufträge", "Größe", "créée", "Ñandú", "Señales", "5 €", "coûts²"])
def test_western_names_are_read_as_cp1252(name: str) -> None:
    assert text_from(script(name).encode("cp1252"), where="x.sql") == script(name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", NAMES.values())
def test_unicode_is_told_apart(encoding: str, name: str) -> None:
    assert text_from(script(name).encode(encoding), where="x.sql") == script(name)


def test_one_odd_byte_in_utf_8_is_refused_with_its_line() -> None:
    data = script("Склад").encode() + b"PRINT '\xe4'"
    with pytest.raises(InputError, match="is UTF-8 but for 1 bytes, the first in line 4"):
        text_from(data, where="x.sql")


def test_comments_alone_do_not_matter() -> None:
    data = "-- Маршруты\n".encode("cp1251") + script("Depot").encode()
    assert "ToDepot" in text_from(data, where="x.sql")


@pytest.mark.parametrize("encoding", ["rot13", "zip", "unicode_escape", "nonsense", "", "cp1251\0", "ж"])
def test_what_is_no_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(Invalid):
        check_encoding(encoding)


def test_every_known_encoding_is_one() -> None:
    for name in KNOWN:
        check_encoding(name)


def test_a_wrong_encoding_is_told() -> None:
    with pytest.raises(InputError, match="is not cp932 text"):
        text_from(b"\x85\xff", where="x.sql", encoding="cp932")
