"""Scripts in other code pages are read rightly or refused, never misread."""

from __future__ import annotations

import pytest

from routing.common.errors import InputError, Invalid
from routing.tsql.encodings import KNOWN, check_encoding, code_page_findings, problem_of, text_from

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


REAL = {
    "cp1250": "Łódź Załączniki Příjem Účet Fő Źródło Ćwiczenie Šifra Čekanje Întârziere Měna řez Zákazník",
    "cp1251": "Склад Заказы Ёж Маршрут Ъ Їжак Наруџбине Љубав ок по Тест_Заказ",
    "cp1253": "Παραγγελίες Αποθήκη Ω Άγιος ένα",
    "cp1254": "Sipariş Müşteri Ğ İstanbul Şirket ağ",
    "cp1255": "הזמנות מחסן א",
    "cp1256": "طلبات مخزن",
    "cp1257": "Užsakymai Pasūtījumi Sąskaitos Klientų Žurnalas Šķūnis",
    "cp866": "Склад Заказы Я ок Ёж",
    "koi8-r": "Склад Заказы Я Ок",
    "cp932": "テスト 注文 在庫 ｼｽﾃﾑ ｱ 表 能力 ソート 売上 倉庫管理",
    "gbk": "订单 销售 通 联通 台 头 仓库 采购 团 客户 同 服务 发货 通台",
    "cp949": "주문 창고 재고 고객 가 영업",
    "big5": "訂單 倉庫 庫存 客戶 銷售",
    "euc_jp": "注文 在庫 テスト",
    "cp850": "Aufträge Börse Größe créée Ñandú Señales Übergabe",
}
"""Names as people give them, in the code page of their country."""
CASES = [(encoding, name) for encoding, names in REAL.items() for name in names.split()]


@pytest.mark.parametrize(("encoding", "name"), CASES)
@pytest.mark.parametrize(
    "form", ["CREATE QUEUE [{}];\n", "CREATE ROUTE [To{}] WITH SERVICE_NAME = N'{}', ADDRESS = 'LOCAL'\n"]
)
def test_no_name_of_another_code_page_is_misread_in_silence(encoding: str, name: str, form: str) -> None:
    text = form.format(name, name)
    data = text.encode(encoding)
    problem = problem_of(data)
    if problem is not None:
        assert "name its encoding" in str(problem)
    elif text_from(data, where="x.sql") != text:
        (finding,) = code_page_findings(data, where="x.sql", encoding=None)
        assert (finding.code, finding.severity, finding.file) == ("code-page", "info", "x.sql")
    assert text_from(data, where="x.sql", encoding=encoding) == text
    assert code_page_findings(data, where="x.sql", encoding=encoding) == ()


@pytest.mark.parametrize("name", ["Größe", "Aufträge", "Börse", "Öl", "Übergabe", "créée", "Éclair", "Dönüm", "5 €"])
def test_a_western_name_is_read_without_a_word(name: str) -> None:
    data = script(name).encode("cp1252")
    assert text_from(data, where="x.sql") == script(name)
    assert code_page_findings(data, where="x.sql", encoding=None) == ()


@pytest.mark.parametrize("name", ["São", "Ærø", "Œuvre", "coûts²", "Señales", "Più"])
def test_a_western_name_that_may_be_another_one_is_shown(name: str) -> None:
    data = script(name).encode("cp1252")
    assert text_from(data, where="x.sql") == script(name)
    (finding,) = code_page_findings(data, where="x.sql", encoding=None)
    assert f"To{name}" in str(finding.reason)


@pytest.mark.parametrize(
    "name",
    ["Ελλάδα", "\u0435\u0301", "naïve", "Naïve", "µm", "\u0417\u0430\u043a\u0430\u04372", "הזמנות", "طلبات", "™", "Ü1"],
)
def test_utf_8_without_a_mark_is_read(name: str) -> None:
    assert text_from(script(name).encode(), where="x.sql") == script(name)


def common(first: int, last: int) -> str:
    """The characters of Big5 between two lead bytes, and the letters of half width."""
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0x7F))
    return "".join(pair.decode("big5", "ignore") for pair in pairs)


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("big5", ["\u4e00", "\u4e00\u4e8c", "Queue\u4e00", "\u4e00_1", *common(0xA4, 0xA4)]),
        (
            "cp932",
            [
                "\uff71",
                "\uff72",
                "\uff7c\uff7d\uff83\uff91",
                "\uff74\uff97\uff70",
                "\uff84\uff91",
                "\u8868",
                "\u63aa",
                "\u8358",
            ],
        ),
    ],
)
def test_signs_that_are_letters_in_east_asia_are_refused_with_their_code_page(encoding: str, names: list[str]) -> None:
    for name in names:
        data = f"CREATE QUEUE [{name}];\n".encode(encoding)
        with pytest.raises(InputError, match="name its encoding") as fault:
            text_from(data, where="x.sql")
        assert {"big5": "cp950", "cp932": "cp932"}[encoding] in str(fault.value), name
        assert f"[{name}]" in text_from(data, where="x.sql", encoding=encoding)


@pytest.mark.parametrize("name", ["m\u00b2", "A\u00b5"])
def test_a_sign_within_a_name_is_shown(name: str) -> None:
    (finding,) = code_page_findings(script(name).encode("cp1252"), where="x.sql", encoding=None)
    assert f"To{name}" in str(finding.reason)


def test_a_name_of_one_sign_is_no_utf_8() -> None:
    data = script("\u9686").encode("gbk").replace(b"To", b"")
    assert data.decode(), "by chance"
    with pytest.raises(InputError, match="gb18030"):
        text_from(data, where="x.sql")
